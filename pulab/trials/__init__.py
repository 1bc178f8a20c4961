"""Running trials: identity, versions, seeds, store, results.  Knows no workflow engine and no configuration files."""
