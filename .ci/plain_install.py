"""What a plain install holds and does: run by .ci/run where nothing but the wheel and its dependencies is installed."""

import importlib.metadata
import importlib.util
from pathlib import Path

import numpy as np

import pulib

LEFT_TO_EXTRAS = ("pandas", "matplotlib", "seaborn", "scikit_posthocs", "snakemake", "torch", "pyarrow", "jsonschema")


def main() -> None:
    assert "site-packages" in pulib.__file__, f"{pulib.__file__} is no installed copy"
    assert [name for name in LEFT_TO_EXTRAS if importlib.util.find_spec(name)] == []
    for name in pulib.__all__:
        getattr(pulib, name)
    data = pulib.load_dataset("breast_cancer")
    X, positive = np.asarray(data.X), np.asarray(data.y) == 1
    y = (positive & (np.random.default_rng(0).random(len(positive)) < 0.5)).astype(int)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for cls in (pulib.PUExtraTreesClassifier, pulib.AdaPUClassifier, pulib.UnbiasedPUClassifier):
        fitted = cls(scenario="one_sample", prior=positive.mean(), random_state=0).fit(X, y)
        accuracy = np.mean((fitted.predict(X) == 1) == positive)
        print(f"{cls.__name__}: accuracy {accuracy:.3f} on its own rows")
        assert accuracy > 0.85, "a first call on this set does better elsewhere"
    print(f"prior: {pulib.estimate_prior(X, y, scenario='one_sample'):.3f} of {positive.mean():.3f}")

    installed = [dist for dist in importlib.metadata.distributions() if dist.metadata["Name"] not in ("pip", "setuptools")]
    size = sum(Path(file.locate()).stat().st_size for dist in installed for file in dist.files or [] if file.locate().is_file())
    print(f"{len(installed)} packages, {size / 1e6:.0f} MB")
    assert len(installed) <= 21, "a plain install brings more than 21 packages"


if __name__ == "__main__":
    main()
