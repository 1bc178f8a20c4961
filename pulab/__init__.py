"""The laboratory: how a study is run, judged and told.  It imports :mod:`pulib`; pulib never imports it."""
