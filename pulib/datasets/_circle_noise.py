"""RESVM's generated data, which splits draw as well: the function is below both packages."""

from pulib._circle_noise import make_circle_noise as make_circle_noise
