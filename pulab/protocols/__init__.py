"""The papers' experimental protocols, one module per paper: ``run(context) -> TrialResult`` tunes, fits and evaluates."""
