"""Claims of the RESVM chapter, in the order of its sections."""

from studies.resvm.claims import drops, ranks, sweeps

__all__ = ["drops", "ranks", "sweeps"]

LABELS = {"resvm_bag": "bagging"}
