"""Warnings of the library, in a separate category that users can filter."""

__all__ = ["PUWarning"]


class PUWarning(UserWarning):
    """Warning that the data, the labels or π look wrong for PU learning; the message explains what to do.

    Examples
    --------
    >>> import warnings
    >>> from pulib.exceptions import PUWarning
    >>> warnings.simplefilter("error", PUWarning)  # make every warning an error
    >>> warnings.simplefilter("default", PUWarning)
    """
