"""Running trials: identity, seeds, fingerprints, results.  Knows no workflow engine and no configuration files."""
