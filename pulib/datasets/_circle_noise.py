"""RESVM's generated data; the function is outside this package because `pulib.sampling` also uses it."""

from pulib._circle_noise import make_circle_noise as make_circle_noise
