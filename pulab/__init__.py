"""The laboratory: how a study is run, judged, and reported.  It imports :mod:`pulib`; pulib never imports it."""
