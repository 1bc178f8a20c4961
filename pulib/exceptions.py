"""Warnings of the library, in a separate category that users can filter."""

__all__ = ["PUWarning"]


class PUWarning(UserWarning):
    """The data, the labels, or π look wrong for PU learning; the message says what to do.

    Examples
    --------
    >>> import warnings
    >>> from pulib.exceptions import PUWarning
    >>> warnings.simplefilter("error", PUWarning)  # make every doubt an error
    >>> warnings.simplefilter("default", PUWarning)
    """
