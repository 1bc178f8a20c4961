"""Running trials: protocols, costs, seeds, the store, and tidy results."""
