"""GIST: the spatial envelope of a scene (Oliva and Torralba, 2001), as the energy of Gabor filters on a coarse grid.

Bound by arithmetic: per image one forward and, per filter, one inverse Fourier transform of the padded image.  All of it is
done for a batch of images at a time, by scipy's transforms in single precision, with threads over batches.
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
    """The number of planes (3 for color, 1 for gray) and the side of square images with so many pixel values.

    If no square image has that many, there is an error.
    """
    for planes in (3, 1):
        side = math.isqrt(n_features // planes)
        if planes * side**2 == n_features:
            return planes, side
    raise ValueError(f"{n_features} values per row are not a square image: expected side² (gray) or 3 side² (color)")


def luminance(pixels: np.ndarray) -> np.ndarray:
    """Gray images from rows of one gray or three color planes.

    Parameters
    ----------
    pixels : uint8 array of shape (n, size * size) or (n, 3 * size * size)
        The gray plane, or the red, green and blue ones, each by rows.

    Returns
    -------
    gray : float32 array of shape (n, size, size)
        In 0..255, color by the weights of ITU-R BT.601.
    """
    n_planes, size = image_side(pixels.shape[1])
    planes = np.asarray(pixels).reshape(-1, n_planes, size, size).astype(np.float32)
    if n_planes == 1:
        return planes[:, 0]
    return np.einsum("ncij,c->nij", planes, np.array([0.299, 0.587, 0.114], np.float32))


class GistBank:
    """Gabor filters for images of one size, and the descriptors that they give.

    Parameters
    ----------
    image_size : int
        Side of the square images; a multiple of ``grid``.
    orientations : list of int, default=(8, 8, 8, 8)
        Filters per scale, from fine to coarse.
    grid : int, default=4
        The image is cut into grid x grid blocks.
    padding : int, optional
        Pixels by which images are mirrored at each border before they are filtered; half their size by default.
    prefilter : float, default=4.0
        Cycles per image below which the local contrast normalization takes structure away; 0 switches it off.

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
        """The parameters, for a data set's record."""
        return {
            "orientations_per_scale": list(self.orientations),
            "grid": self.grid,
            "padding": self.padding,
            "prefilter": self.prefilter,
        }

    def transform(
        self, images: np.ndarray | Callable[[int, int], np.ndarray], out: np.ndarray | None = None, n_threads: int | None = None
    ) -> np.ndarray:
        """Descriptors of many images.

        Parameters
        ----------
        images : float array of shape (n, image_size, image_size), or a function of (start, stop) that gives such rows
        out : float32 array of shape (n, n_features), optional
            Takes the result; needed where ``images`` is a function.
        n_threads : int, optional
            All processors by default.  The result does not depend on it.
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
    """A Gaussian transfer function that passes one half at ``cycles`` per padded image."""
    fy, fx = frequencies(size)
    s = cycles / np.sqrt(np.log(2)) / size
    return np.exp(-(fx**2 + fy**2) / s**2).astype(np.float32)


def normalize_contrast(images: np.ndarray, lowpass: np.ndarray) -> np.ndarray:
    """Take the mean of the neighborhood away and divide by its standard deviation, on a logarithmic scale of brightness."""
    logarithm = np.log1p(images)
    detail = logarithm - scipy.fft.ifft2(scipy.fft.fft2(logarithm) * lowpass).real
    deviation = np.sqrt(np.abs(scipy.fft.ifft2(scipy.fft.fft2(detail * detail) * lowpass).real))
    return detail / (0.2 + deviation)
