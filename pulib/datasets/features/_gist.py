"""GIST: the spatial envelope of a scene (Oliva and Torralba, 2001), as the energy of Gabor filters on a coarse grid.

Bounded by arithmetic: one forward Fourier transform per padded image, and one inverse transform per image and filter.  Batches
of images use scipy's single-precision transforms, with threads over batches.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import scipy.fft

#: Images per batch: the complex responses of one filter stay within the processor's cache.
BATCH = 64


def image_side(n_features: int) -> tuple[int, int]:
    """Return the number of planes (3 for color, 1 for gray) and the side of square images with ``n_features`` values.

    Raises an error if there is no such image.
    """
    for planes in (3, 1):
        side = math.isqrt(n_features // planes)
        if planes * side**2 == n_features:
            return planes, side
    raise ValueError(f"{n_features} values per row are not a square image: expected side² (gray) or 3 side² (color)")


def luminance(pixels: np.ndarray) -> np.ndarray:
    """Convert rows of one gray or three color planes to gray images.

    Parameters
    ----------
    pixels : uint8 array of shape (n, size * size) or (n, 3 * size * size)
        The gray plane, or the red, green and blue planes, each by rows.

    Returns
    -------
    gray : float32 array of shape (n, size, size)
        In 0..255; colors are weighted by ITU-R BT.601.
    """
    n_planes, size = image_side(pixels.shape[1])
    planes = np.asarray(pixels).reshape(-1, n_planes, size, size).astype(np.float32)
    if n_planes == 1:
        return planes[:, 0]
    return np.einsum("ncij,c->nij", planes, np.array([0.299, 0.587, 0.114], np.float32))


class GistBank:
    """Gabor filters for images of one size, and their GIST descriptors.

    Parameters
    ----------
    image_size : int
        Side of the square images; a multiple of ``grid``.
    orientations : list of int, default=(8, 8, 8, 8)
        Number of filters per scale, from fine to coarse.
    grid : int, default=4
        The image is divided into grid x grid blocks.
    padding : int, optional
        Number of pixels to mirror at each border before filtering; half the image size by default.
    prefilter : float, default=4.0
        Cycles per image below which local contrast normalization removes structure; 0 turns it off.

    Notes
    -----
    The default gives 4 scales x 8 orientations x 16 blocks = 512 features: scale by scale, orientation by orientation, blocks
    by rows.  A filter of scale s with K orientations has the center frequency 0.3 / 1.85^s cycles per pixel, and the transfer
    function exp(-10 * 0.35 * (f / f_s - 1)^2 - 2 pi (16 K^2 / 32^2) * phi^2) of frequency f and angle phi to the filter's
    orientation, as in the publication's parameters.
    """

    def __init__(
        self,
        image_size: int,
        orientations: tuple[int, ...] | list[int] = (8, 8, 8, 8),
        grid: int = 4,
        padding: int | None = None,
        prefilter: float = 4.0,
    ):
        if image_size % grid:
            raise ValueError(f"image_size={image_size} must be a multiple of grid={grid}")
        self.image_size = image_size
        self.orientations = tuple(orientations)
        self.grid = grid
        self.padding = image_size // 2 if padding is None else padding
        self.prefilter = prefilter
        self.padded = image_size + 2 * self.padding
        self.filters = gabor_filters(self.padded, self.orientations)
        self._lowpass = lowpass_filter(self.padded, prefilter * self.padded / image_size) if prefilter else None

    @property
    def n_features(self) -> int:
        return sum(self.orientations) * self.grid**2

    @property
    def feature_names(self) -> list[str]:
        cells = [(r, c) for r in range(self.grid) for c in range(self.grid)]
        return [
            f"gist_scale{s}_orientation{k}_block{r}{c}"
            for s, count in enumerate(self.orientations)
            for k in range(count)
            for r, c in cells
        ]

    def describe(self) -> dict[str, Any]:
        """Return the parameters, for a data set's record."""
        return {
            "orientations_per_scale": list(self.orientations),
            "grid": self.grid,
            "padding": self.padding,
            "prefilter": self.prefilter,
        }

    def transform(
        self, images: np.ndarray | Callable[[int, int], np.ndarray], out: np.ndarray | None = None, n_threads: int | None = None
    ) -> np.ndarray:
        """Compute the descriptors of images.

        Parameters
        ----------
        images : float array of shape (n, image_size, image_size), or a function of (start, stop) that returns such rows
        out : float32 array of shape (n, n_features), optional
            Receives the result; required if ``images`` is a function.
        n_threads : int, optional
            All processors by default.  It does not change the result.
        """
        if not callable(images):
            array = np.asarray(images)
            out = np.empty((len(array), self.n_features), np.float32) if out is None else out

            def images(start: int, stop: int) -> np.ndarray:
                return array[start:stop]

        if out is None:
            raise ValueError("out=None: an array for the result is needed if the images come from a function")

        def work(start: int) -> None:
            stop = min(start + BATCH, len(out))
            out[start:stop] = self._describe(images(start, stop))

        with ThreadPoolExecutor(n_threads or len(os.sched_getaffinity(0))) as pool:
            list(pool.map(work, range(0, len(out), BATCH)))
        return out

    def _describe(self, images: np.ndarray) -> np.ndarray:
        p, size, block = self.padding, self.image_size, self.image_size // self.grid
        padded = np.pad(images.astype(np.float32), ((0, 0), (p, p), (p, p)), mode="symmetric")
        if self._lowpass is not None:
            padded = normalize_contrast(padded, self._lowpass)
        spectrum = scipy.fft.fft2(padded)
        result = np.empty((len(images), len(self.filters), self.grid, self.grid), np.float32)
        for k, transfer in enumerate(self.filters):
            response = np.abs(scipy.fft.ifft2(spectrum * transfer)[:, p : p + size, p : p + size])
            result[:, k] = response.reshape(-1, self.grid, block, self.grid, block).mean(axis=(2, 4))
        return result.reshape(len(images), -1)


def frequencies(size: int) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies in cycles per pixel, by rows and by columns, in the order of a discrete Fourier transform."""
    f = scipy.fft.fftfreq(size).astype(np.float64)
    return f[:, None], f[None, :]


def gabor_filters(size: int, orientations: tuple[int, ...]) -> np.ndarray:
    """Transfer functions, float32 of shape (sum(orientations), size, size); real, and one-sided in orientation."""
    fy, fx = frequencies(size)
    radius, angle = np.hypot(fx, fy), np.arctan2(fy, fx)
    filters = []
    for scale, count in enumerate(orientations):
        center = 0.3 / 1.85**scale
        for k in range(count):
            turned = (angle + np.pi / count * k + np.pi) % (2 * np.pi) - np.pi
            width = 16 * count**2 / 32**2
            filters.append(np.exp(-10 * 0.35 * (radius / center - 1) ** 2 - 2 * width * np.pi * turned**2))
    return np.asarray(filters, np.float32)


def lowpass_filter(size: int, cycles: float) -> np.ndarray:
    """Gaussian transfer function that equals one half at ``cycles`` per padded image."""
    fy, fx = frequencies(size)
    s = cycles / np.sqrt(np.log(2)) / size
    return np.exp(-(fx**2 + fy**2) / s**2).astype(np.float32)


def normalize_contrast(images: np.ndarray, lowpass: np.ndarray) -> np.ndarray:
    """Subtract the local mean and divide by the local standard deviation (plus 0.2), on a log scale of brightness."""
    logarithm = np.log1p(images)
    detail = logarithm - scipy.fft.ifft2(scipy.fft.fft2(logarithm) * lowpass).real
    deviation = np.sqrt(np.abs(scipy.fft.ifft2(scipy.fft.fft2(detail * detail) * lowpass).real))
    return detail / (0.2 + deviation)
