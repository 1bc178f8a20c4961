"""No experiment depends on how a YAML parser orders nested merges, in which PyYAML 6.0.4 differs from earlier versions."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
MERGE = "tag:yaml.org,2002:merge"
FILES = sorted(
    file
    for folder in ("config", "pulib", "workflow", "profiles", "envs")
    for file in (ROOT / folder).rglob("*.yaml")
    if "node_modules" not in file.parts
)
#: The labeled share of the positives that hides its name in each setting of OPU (section 6.2: "20%, 30%, 40%").
SHARES = {"r20": 0.2, "r30": 0.3, "r40": 0.4}


def parts(node):
    """The pairs of a mapping that stand in it, and the mappings that are merged into it."""
    own = [(key, value) for key, value in node.value if key.tag != MERGE]
    merged = [each for key, value in node.value if key.tag == MERGE for each in listed(value)]
    return own, merged


def listed(value):
    return value.value if isinstance(value, yaml.SequenceNode) else [value]


def keys(node):
    """Every key that a mapping has in the end."""
    own, merged = parts(node)
    return {key.value for key, _ in own}.union(*map(keys, merged))


def said_twice(node):
    """Keys that a merged mapping has from two places, or that two merged mappings have: which counts depends on the order."""
    own, merged = parts(node)
    seen = {key.value for key, _ in own}
    for each in merged:
        yield from keys(each) & seen
        yield from said_twice(each)
        seen |= keys(each)


def ambiguous(node):
    """Keys with their lines, of a whole document."""
    if isinstance(node, yaml.SequenceNode):
        for each in node.value:
            yield from ambiguous(each)
    elif isinstance(node, yaml.MappingNode):
        own, merged = parts(node)
        seen = set()
        for each in merged:
            for key in {*said_twice(each), *(keys(each) & seen)}:
                yield f"line {node.start_mark.line + 1}: {key}"
            seen |= keys(each)
        for _, value in own:
            yield from ambiguous(value)


def own_first(node, construct):
    """A document where a mapping's own keys count, then those of what is merged into it, in the order of the merges."""
    if isinstance(node, yaml.SequenceNode):
        return [own_first(each, construct) for each in node.value]
    if not isinstance(node, yaml.MappingNode):
        return construct(node)
    own, merged = parts(node)
    read = {}
    for each in reversed(merged):
        read |= own_first(each, construct)
    return read | {construct(key): own_first(value, construct) for key, value in own}


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_merged_mapping_says_a_key_twice(file):
    assert list(ambiguous(yaml.compose(file.read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_the_installed_parser_reads_what_the_rule_of_yaml_says(file):
    text = file.read_text(encoding="utf-8")
    scalars = yaml.SafeLoader("")
    read = own_first(yaml.compose(text), lambda node: scalars.construct_object(node, deep=True))
    assert yaml.safe_load(text) == read


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a: &a {r: 1}\nb: {<<: *a, r: 2}\n", []),  # one merge: its own keys count, for every parser
        ("a: &a {r: 1}\nb: &b {<<: *a, r: 2}\nc: {<<: *b, hide: 3}\n", ["line 3: r"]),
        ("a: &a {r: 1}\nb: &b {<<: *a, s: 2}\nc: {<<: *b, hide: 3}\n", []),
        ("a: &a {r: 1}\nb: &b {r: 2}\nc: {<<: [*a, *b]}\n", ["line 3: r"]),
        ("a: &a {r: 1}\nb: &b {<<: *a, r: 2}\nc: &c {<<: *b}\nd: [{<<: *c}]\n", ["line 3: r", "line 4: r"]),
    ],
)
def test_ambiguous_merges_are_found(text, found):
    assert list(ambiguous(yaml.compose(text))) == found


def test_each_setting_of_opu_hides_the_share_in_its_name():
    settings = yaml.safe_load((ROOT / "config" / "studies" / "opu.yaml").read_text(encoding="utf-8"))["settings"]
    named = {name: SHARES[found[0]] for name in settings if (found := re.match(r"r\d\d", name))}
    assert len(named) >= 7
    assert {name: settings[name]["split"]["r"] for name in named} == named
    assert {name: setting["split"]["r"] for name, setting in settings.items() if name not in named} == dict.fromkeys(
        set(settings) - set(named), 0.3
    )
    told = {name: int(re.search(r"r = (\d+)%", setting["label"])[1]) for name, setting in settings.items()}
    assert told == {name: round(100 * setting["split"]["r"]) for name, setting in settings.items()}
