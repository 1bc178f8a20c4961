"""Split schemes as typed objects (stand-in until the classes arrive)."""
from __future__ import annotations
from dataclasses import dataclass, fields
from typing import Any, ClassVar
@dataclass(frozen=True, kw_only=True)
class Scheme:
    name: ClassVar[str] = ""
    version: ClassVar[int] = 1
    def draw(self, dataset: Any, *, random_state: int, shared_seed: int | None = None, repeat: int = 0) -> Any:
        import inspect
        from pulib import sampling
        f = getattr(sampling, f"{self.name}_split")
        place = {"repeat": repeat, "shared_seed": shared_seed}
        accepted = inspect.signature(f).parameters
        return f(dataset, random_state=random_state, **{k: v for k, v in place.items() if k in accepted}, **{i.name: (list(v) if isinstance(v := getattr(self, i.name), tuple) else v) for i in fields(self)})
@dataclass(frozen=True, kw_only=True)
class AdaPUSplit(Scheme):
    name: ClassVar[str] = "adapu"
    n_labeled: int | float = 1000
    n_unlabeled: int | float | None = None
    test: str = "given"
    n_test: int | float = 0.2
@dataclass(frozen=True, kw_only=True)
class Biased(Scheme):
    name: ClassVar[str] = "biased"
    n_labeled: int = 1000
    kind: str = "posterior"
    power: float = 10.0
    test_fraction: float = 0.2
@dataclass(frozen=True, kw_only=True)
class CaseControl(Scheme):
    name: ClassVar[str] = "case_control"
    n_labeled: int = 1000
    unlabeled: str = "all"
    prior: str | float = "train_and_test"
    test_fraction: float = 0.2
    redraw_labeled: bool = True
@dataclass(frozen=True, kw_only=True)
class Censored(Scheme):
    name: ClassVar[str] = "censored"
    r: float = 0.2
    n_folds: int = 5
    validation_share: float = 0.1
    hide: str = "random"
@dataclass(frozen=True, kw_only=True)
class Contaminated(Scheme):
    name: ClassVar[str] = "contaminated"
    n_labeled: int = 100
    n_unlabeled: int = 1000
    contamination_labeled: float = 0.0
    contamination_unlabeled: float = 0.0
    test: str = "given"
    n_test_positive: int | None = None
    n_test_negative: int | None = None
    generator: str | None = None
@dataclass(frozen=True, kw_only=True)
class Expansion(Scheme):
    name: ClassVar[str] = "expansion"
    later: tuple[Any, ...] = ()
    train_share: float = 2 / 3
    stratify: bool = False
@dataclass(frozen=True, kw_only=True)
class Given(Scheme):
    name: ClassVar[str] = "given"
    held_out: float = 0.3
@dataclass(frozen=True, kw_only=True)
class Mechanism(Scheme):
    name: ClassVar[str] = "mechanism"
    scenario: str = "two_sample"
    n_labeled: int | None = None
    kind: str | None = None
    power: float = 1.0
    wrong_share: float = 0.0
    max_labeled: int = 1000
    max_unlabeled: int = 10000
    max_test: int = 10000
    test_fraction: float = 0.3
def make_splits(dataset: Any, scheme: Scheme, seeds: Any, *, shared_seed: int = 0) -> Any:
    return {k: scheme.draw(dataset, random_state=s, shared_seed=shared_seed, repeat=k) for k, s in seeds.items()}
