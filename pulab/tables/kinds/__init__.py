"""One module for each kind of table, with ``render(spec, inputs, paths)``; a study's entry names it as its ``kind``."""
