"""Estimates of π on rows of any kind: groups, frames, texts, wide sparse tables, and columns that reveal the labels."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from pulib import check_scar, estimate_prior, prior_interval
from pulib._priors._build import build_method
from pulib._priors._columns import comparable, separating_column
from pulib._priors._scores import out_of_fold_scores
from pulib.exceptions import PUWarning

pd = pytest.importorskip("pandas")


def patients(n, size, prior, labeled, seed, d=5, apart=1.4):
    """One sample of patients with several nearly equal rows each, labeled by patient."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) < round(prior * n)
    place = rng.normal(size=(n, d)) + apart * truth[:, None]
    groups = np.repeat(np.arange(n), size)
    X = place[groups] + rng.normal(0, 0.03, size=(n * size, d))
    y = (truth & (rng.random(n) < labeled))[groups].astype(int)
    order = rng.permutation(len(y))
    return X[order], y[order], groups[order]


class TestGroups:
    def test_patients(self):
        prior = 0.3
        X, y, groups = patients(500, 4, prior, 0.5, 0)
        alone = prior_interval(X, y, scenario="one_sample")
        assert alone.high < prior - 0.05  # biased without groups
        names = np.array([f"patient {g}" for g in groups])
        estimate = prior_interval(X, y, scenario="one_sample", groups=names)
        assert estimate.low < prior < estimate.high
        assert abs(estimate.prior - prior) < 0.1
        assert not any("repeated" in text for text in estimate.warnings)
        assert estimate.prior == estimate_prior(X, y, scenario="one_sample", groups=list(names))

    @pytest.mark.parametrize("call", [estimate_prior, prior_interval, check_scar])
    def test_rows_that_look_repeated_warn_once_without_groups(self, call):
        X, y, _ = patients(200, 4, 0.4, 0.5, 0)
        with pytest.warns(PUWarning, match=r"sets of about 4 .*Pass groups=, one value per row") as warned:
            call(X, y)
        assert len(warned) == 1

    @pytest.mark.parametrize("method", ["elkan_noto", "tice"])
    def test_groups_correct_other_methods_with_folds(self, method):
        X, y, groups = patients(300, 5, 0.3, 0.5, 3, apart=2.0)
        alone, grouped = (estimate_prior(X, y, method, scenario="one_sample", groups=g) for g in (None, groups))
        assert abs(grouped - 0.3) < min(0.12, abs(alone - 0.3) + 0.02)

    def test_folds_keep_groups_together(self):
        X, y, groups = patients(60, 3, 0.5, 0.5, 0)
        seen = []

        class Spy(LogisticRegression):
            def fit(self, X, y):
                seen.append({tuple(row) for row in np.round(X, 6).tolist()})
                return super().fit(X, y)

        build_method(X, y == 1, "best_bin", groups=groups, classifier=Spy())
        group_of = {tuple(row): g for row, g in zip(np.round(X, 6).tolist(), groups, strict=True)}
        for rows in seen:
            inside = {group_of[row] for row in rows}
            assert len(rows) == 3 * len(inside)

    def test_few_groups_of_labels_count_as_few_labels(self):
        X, y, groups = patients(60, 5, 0.5, 0.4, 0)
        with pytest.warns(PUWarning, match=r"from \d+ groups of labels only"):
            estimate = prior_interval(X, y, groups=groups)
        assert estimate.low < 0.01

    def test_error_names_a_row_without_a_group(self):
        X, groups = np.random.default_rng(0).normal(size=(40, 2)), [None] + [1] * 39
        with pytest.raises(ValueError, match="groups has no value for row 0"):
            estimate_prior(X, np.arange(40) < 20, groups=groups)

    def test_scar_check_permutes_groups(self):
        # labels are random by patient; without groups, rows seem to differ
        levels = {"alone": [], "grouped": []}
        for seed in range(6):
            X, y, groups = patients(300, 6, 0.5, 0.5, seed, apart=4.0)
            for name, g in (("alone", None), ("grouped", groups)):
                check = check_scar(X, y, groups=g, classifier=LogisticRegression(), n_permutations=99)
                levels[name].append(check.p_value)
        assert np.mean(np.array(levels["alone"]) <= 0.05) >= 0.5
        assert np.mean(np.array(levels["grouped"]) <= 0.05) <= 0.2


def table(n=600, seed=0):
    """A frame with a number, an ordered category, and a place that depend on the true class; random labels."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) < 0.4 * n
    sizes = ["low", "mid", "high"]
    size = np.where(truth, rng.choice(3, n, p=[0.05, 0.15, 0.8]), rng.choice(3, n, p=[0.8, 0.15, 0.05]))
    place = np.where(
        truth, rng.choice(["Rome", "Oslo"], n, p=[0.9, 0.1]), rng.choice(["Rome", "Oslo", "Bonn"], n, p=[0.1, 0.3, 0.6])
    )
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=n) + 2.5 * truth,
            "size": pd.Categorical([sizes[k] for k in size], categories=sizes, ordered=True),
            "place": place,
        }
    )
    y = (truth & (rng.random(n) < 0.5)).astype(int)
    order = rng.permutation(n)
    return frame.iloc[order].reset_index(drop=True), y[order]


ENCODED = make_pipeline(
    make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["size", "place"]), remainder="passthrough"),
    LogisticRegression(),
)


class TestFrames:
    def test_text_columns_with_a_pipeline(self):
        frame, y = table()
        estimate = prior_interval(frame, y, "by_subtype", scenario="one_sample", classifier=ENCODED)
        assert estimate.low < 0.4 < estimate.high
        assert abs(estimate.prior - 0.4) < 0.08

    def test_numbers_and_ordered_categories_without_a_classifier(self):
        frame, y = table()
        ranks = np.column_stack([frame["number"], frame["size"].cat.codes])
        assert estimate_prior(frame[["number", "size"]], y) == estimate_prior(ranks, y)

    def test_error_for_text_names_column_and_remedy(self):
        frame, y = table()
        with pytest.raises(ValueError, match=r"column 'place' contains text .*=make_pipeline\(make_column_transformer"):
            estimate_prior(frame, y)
        with pytest.raises(ValueError, match="column 'place' contains text"):
            check_scar(frame, y)
        with pytest.raises(ValueError, match=r"column 'size' contains text .*LogisticRegression needs numbers"):
            estimate_prior(frame, y, classifier=LogisticRegression())
        with pytest.raises(ValueError, match=r"column 'id' contains text \('id \d+'\); Pipeline needs numbers"):
            estimate_prior(frame.assign(id=[f"id {i}" for i in range(len(y))]), y, classifier=ENCODED)

    def test_scar_check_names_the_level(self):
        frame, y = table(1500)
        rng = np.random.default_rng(1)
        y = np.where(rng.random(1500) < np.where(frame["place"] == "Oslo", 1.0, 0.2), y, 0)
        frame["id"] = [f"id {i}" for i in range(1500)]
        encode = make_column_transformer((OneHotEncoder(), ["size", "place"]), ("passthrough", ["number"]))
        check = check_scar(frame, y, classifier=make_pipeline(encode, LogisticRegression()), n_permutations=199)
        assert check.p_value <= 0.05
        assert check.feature_name in ("place=Oslo", "place=Rome")
        assert frame.columns[check.feature] == "place"
        assert f"feature {check.feature_name};" in str(check)

    def test_scar_check_accepts_missing_values(self):
        rng = np.random.default_rng(0)
        truth = np.arange(600) < 300
        X = np.c_[rng.normal(size=600) + 4 * truth, rng.normal(size=600)]
        y = truth & (rng.random(600) < 0.5)
        X[y & (rng.random(600) < 0.5), 1] = np.nan
        check = check_scar(X, y, n_permutations=99)
        assert check.p_value <= 0.05
        assert check.feature == 1


def letters(n, seed=0):
    """Texts whose topic is the true class; 40% are positive."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) < 0.4 * n
    words = [[f"w{i}" for i in range(400)], [f"t{i}" for i in range(60)]]
    own = [
        " ".join([*rng.choice(words[0], 20), *(rng.choice(words[1], 8) if one else rng.choice(words[0], 8))]) for one in truth
    ]
    y = (truth & (rng.random(n) < 0.5)).astype(int)
    return own, y


class TestTexts:
    @pytest.mark.parametrize("kind", [list, pd.Series])
    def test_sequences_of_texts_with_a_pipeline(self, kind):
        own, y = letters(300)
        pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression())
        estimate = prior_interval(kind(own), y, scenario="one_sample", classifier=pipeline)
        assert estimate.low < 0.4 < estimate.high

    def test_error_without_a_classifier_names_the_remedy(self):
        own, y = letters(60)
        for kind in (list, np.array, pd.Series):
            with pytest.raises(ValueError, match=r"X contains texts \('w.*classifier=make_pipeline\(TfidfVectorizer"):
                estimate_prior(kind(own), y)


class TestWide:
    def counts(self, n, d, seed=0):
        rng = np.random.default_rng(seed)
        truth = np.arange(n) < 0.3 * n
        rows = np.repeat(np.arange(n), 40)
        columns = rng.integers(0, d, 40 * n)
        topic = truth[rows] & (rng.random(40 * n) < 0.3)
        columns[topic] = rng.integers(0, 200, topic.sum())
        X = sparse.csr_matrix((np.ones(40 * n), (rows, columns)), shape=(n, d))
        X.sum_duplicates()
        return X, (truth & (rng.random(n) < 0.4)).astype(int)

    def test_sparse_rows(self):
        X, y = self.counts(1000, 200_000)
        estimate = prior_interval(X.multiply(0.1).tocsr(), y, scenario="one_sample")
        assert estimate.low < 0.3 < estimate.high
        assert abs(estimate.prior - 0.3) < 0.06

    def test_dense_rows(self):
        rng = np.random.default_rng(0)
        truth = np.arange(200) < 80
        X = rng.normal(size=(200, 10_500))
        X[truth, :300] += 1.0
        positive = truth & (np.arange(200) % 2 == 0)
        options = {"folds": 5, "random_state": 0, "n_jobs": 1, "balanced": True, "probabilities": False}
        scores = out_of_fold_scores(X, positive, classifier=None, **options)
        assert scores[truth].mean() > scores[~truth].mean() + 0.05


class TestColumnsThatSeparate:
    y = np.arange(200) % 4 == 0

    def test_warning_names_the_column_once(self):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame({"a": rng.normal(size=200), "seen_by": np.where(self.y, "Ann", "Bo")})
        encode = make_column_transformer((OneHotEncoder(), ["seen_by"]), remainder="passthrough")
        with pytest.warns(PUWarning, match="Column 'seen_by' of X alone separates") as warned:
            estimate_prior(frame, self.y, classifier=make_pipeline(encode, LogisticRegression()))
        assert len(warned) == 1

    @pytest.mark.parametrize(
        "column",
        [
            lambda y, rng: np.where(y, rng.uniform(5, 6, len(y)), rng.uniform(0, 4, len(y))),
            lambda y, rng: np.where(y, rng.integers(0, 2, len(y)), np.nan),
            lambda y, rng: np.where(y, rng.choice([2, 4], len(y)), rng.choice([1, 3, 5], len(y))),
            lambda y, rng: np.where(y, rng.choice(["Ann", "Bo"], len(y)), None),
            lambda y, rng: np.where(y, rng.choice(["Ann", "Bo"], len(y)), rng.choice(["Cy", "Di"], len(y))),
            lambda y, rng: pd.Categorical(np.where(y, "yes", "no")),
        ],
    )
    def test_numbers_and_categories(self, column):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame({"a": rng.normal(size=200), "b": column(self.y, rng)})
        assert separating_column(frame, self.y) == "b"
        if frame["b"].dtype == np.float64:
            assert separating_column(frame.to_numpy(), self.y) == 1

    def test_of_sparse_rows(self):
        X = sparse.csr_matrix(np.c_[np.random.default_rng(0).integers(0, 2, (200, 4)), self.y])
        assert separating_column(X, self.y) == 4

    @pytest.mark.parametrize(
        "column",
        [
            lambda y, rng: np.arange(200),  # an id
            lambda y, rng: rng.normal(size=200) + 3 * y,
            lambda y, rng: np.where(rng.random(200) < 0.3, np.nan, y),
            lambda y, rng: np.where(y & (np.arange(200) % 3 == 0), np.nan, 1.0),
            lambda y, rng: np.full(200, np.nan),
        ],
    )
    def test_other_columns_are_not_named(self, column):
        values = column(self.y, np.random.default_rng(0))
        assert separating_column(np.c_[values, values], self.y) is None
        assert separating_column(pd.DataFrame({"a": values, "id": [f"i{k}" for k in range(200)]}), self.y) is None


def test_comparable_columns_of_a_frame():
    frame = pd.DataFrame(
        {
            "n": [1.0, np.nan, 3.0],
            "kind": ["x", None, "y"],
            "size": pd.Categorical(["b", "a", None], categories=["a", "b"], ordered=True),
            "day": pd.to_datetime(["2020-01-02", None, "2020-01-01"]),
        }
    )
    columns = comparable(frame, np.array([True, True, True]))
    assert columns.names == ["n", "kind=x", "kind=y", "size", "day"]
    assert columns.numbers == [0, 1, 1, 2, 3]
    assert_array_equal(np.argsort(columns.rows[:, 0]), [1, 0, 2])
    assert_array_equal(columns.rows[:, 1:3], [[1, 0], [0, 0], [0, 1]])
    assert_array_equal(np.argsort(columns.rows[:, 3]), [2, 1, 0])
    assert_array_equal(np.argsort(columns.rows[:, 4]), [1, 2, 0])
