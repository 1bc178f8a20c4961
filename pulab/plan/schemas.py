"""JSON schemas of the configuration files, for editors: ``python -m pulab.plan.schemas`` writes them from the models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pydantic

from pulab.plan.configuration import adapter
from pulab.plan.models import Config, Priors, Registry, SpeedEntry

FOLDER = Path(__file__).parents[2] / "workflow" / "schemas"
#: Content of a file, by name of its schema.
FILES: dict[str, Any] = {"config": Config, "methods": Registry, "priors": Priors, "speed": dict[str, SpeedEntry]}


def make_schema(kind: Any) -> dict[str, Any]:
    """Return the schema of a type, with the version of pydantic that made it."""
    schema = adapter(kind).json_schema()
    dialect = "https://json-schema.org/draft/2020-12/schema"
    made_by = f"made by python -m pulab.plan.schemas, pydantic {'.'.join(pydantic.VERSION.split('.')[:2])}"
    return {"$schema": dialect, "$comment": made_by, **schema}


def main() -> None:
    for name, kind in FILES.items():
        (FOLDER / f"{name}.schema.json").write_text(_text(make_schema(kind)) + "\n", encoding="utf-8")


def _text(schema: dict[str, Any], levels: int = 2) -> str:
    """Format JSON with one line per definition, to keep diffs small."""
    if not levels:
        return json.dumps(schema, ensure_ascii=False)
    deeper = {key: _text(part, levels - 1) if isinstance(part, dict) else json.dumps(part) for key, part in schema.items()}
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {text}" for key, text in deeper.items()) + "\n}"


if __name__ == "__main__":
    main()
