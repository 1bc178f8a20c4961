"""GIST of one image, by the definition: explicit loops over filters, frequencies and blocks, in double precision."""

import numpy as np


def naive_gist(image, orientations=(8, 8, 8, 8), grid=4, prefilter=4.0):
    """Descriptor of one square gray image."""
    size = len(image)
    pad = size // 2
    n = size + 2 * pad
    padded = np.pad(np.asarray(image, float), pad, mode="symmetric")
    f = np.fft.fftfreq(n)

    def smooth(values):
        bandwidth = prefilter * n / size / np.sqrt(np.log(2)) / n
        gain = np.array([[np.exp(-(u * u + v * v) / bandwidth**2) for u in f] for v in f])
        return np.fft.ifft2(np.fft.fft2(values) * gain).real

    logarithm = np.log(padded + 1)
    detail = logarithm - smooth(logarithm)
    flat = detail / (0.2 + np.sqrt(np.abs(smooth(detail**2))))
    spectrum = np.fft.fft2(flat)
    features = []
    for scale, count in enumerate(orientations):
        for k in range(count):
            gain = np.empty((n, n))
            for i, v in enumerate(f):
                for j, u in enumerate(f):
                    angle = np.arctan2(v, u) + np.pi * k / count
                    while angle >= np.pi:
                        angle -= 2 * np.pi
                    while angle < -np.pi:
                        angle += 2 * np.pi
                    ratio = np.hypot(u, v) / (0.3 / 1.85**scale)
                    gain[i, j] = np.exp(-3.5 * (ratio - 1) ** 2 - 2 * np.pi * (16 * count**2 / 1024) * angle**2)
            response = np.abs(np.fft.ifft2(spectrum * gain))[pad : pad + size, pad : pad + size]
            block = size // grid
            for r in range(grid):
                for c in range(grid):
                    features.append(response[r * block : (r + 1) * block, c * block : (c + 1) * block].mean())
    return np.array(features)
