"""GIST of one image by its definition, filter by filter, in double precision."""

import numpy as np


def naive_gist(image, orientations=(8, 8, 8, 8), grid=4, prefilter=4.0):
    size = len(image)
    pad = size // 2
    n = size + 2 * pad
    padded = np.pad(np.asarray(image, float), pad, mode="symmetric")
    f = np.fft.fftfreq(n)

    u, v = np.meshgrid(f, f)

    def smooth(values):
        bandwidth = prefilter / size / np.sqrt(np.log(2))
        return np.fft.ifft2(np.fft.fft2(values) * np.exp(-(u**2 + v**2) / bandwidth**2)).real

    logarithm = np.log(padded + 1)
    detail = logarithm - smooth(logarithm)
    flat = detail / (0.2 + np.sqrt(np.abs(smooth(detail**2))))
    spectrum = np.fft.fft2(flat)
    features = []
    for scale, count in enumerate(orientations):
        for k in range(count):
            angle = np.angle(np.exp(1j * (np.arctan2(v, u) + np.pi * k / count)))
            ratio = np.hypot(u, v) / (0.3 / 1.85**scale)
            gain = np.exp(-3.5 * (ratio - 1) ** 2 - 2 * np.pi * (16 * count**2 / 1024) * angle**2)
            response = np.abs(np.fft.ifft2(spectrum * gain))[pad : pad + size, pad : pad + size]
            features.append(response.reshape(grid, size // grid, grid, size // grid).mean(axis=(1, 3)).ravel())
    return np.concatenate(features)
