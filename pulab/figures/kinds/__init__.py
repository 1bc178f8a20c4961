"""One module for each kind of figure, with ``draw(spec, tidy, published)``; a study's entry names it as its ``kind``."""
