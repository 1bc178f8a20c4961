"""Loaders, one module per format; a registry entry's ``loader`` names one of them, or any function by dotted path.

Each takes a :class:`pulib.datasets._source.Source` and returns a :class:`pulib.datasets._source.Prepared`.
"""

LOADERS = {
    "breast_cancer": "pulib.datasets.loaders._bundled.load_breast_cancer",
    "digits": "pulib.datasets.loaders._bundled.load_digits",
    "generated": "pulib.datasets.loaders._bundled.load_generated",
    "idx": "pulib.datasets.loaders._images.load_idx",
    "cifar10": "pulib.datasets.loaders._images.load_cifar10",
    "svhn": "pulib.datasets.loaders._images.load_svhn",
    "gist": "pulib.datasets.loaders._gist.load_gist",
    "libsvm": "pulib.datasets.loaders._libsvm.load_libsvm",
    "table": "pulib.datasets.loaders._table.load_table",
    "expansion_table": "pulib.datasets.loaders._table.load_expansion_table",
    "covtype": "pulib.datasets.loaders._covtype.load_covtype",
    "unsw_nb15": "pulib.datasets.loaders._unsw_nb15.load_unsw_nb15",
    "newsgroups_glove": "pulib.datasets.loaders._newsgroups.load_mean_glove",
    "newsgroups_svd": "pulib.datasets.loaders._newsgroups.load_tfidf_svd",
    "npz": "pulib.datasets.loaders._arrays.load_npz",
    "wheel": "pulib.datasets.loaders._wheel.load_wheel",
}

_FILES = ("train", "test", "n_train", "names", "separator", "skip_lines", "encoding", "missing")
_TABLE = (*_FILES, "drop", "encode", "on_missing", "dtype")
_NOT_OF_MEMBERS = ("train", "test", "n_train")
#: Accepted ``options`` of each loader.
OPTIONS = {
    "breast_cancer": (),
    "digits": (),
    "generated": ("function", "parameters"),
    "idx": ("train_images", "train_labels", "test_images", "test_labels"),
    "cifar10": (),
    "svhn": ("train", "test"),
    "gist": (),
    "libsvm": ("train", "test", "n_features", "dtype"),
    "table": (*_TABLE, "target", "codes", "by_file"),
    "expansion_table": (*_TABLE, "target", "required", "time", "event", "events", "positive_at_training", "positive_at_test"),
    "covtype": (),
    "unsw_nb15": ("train", "test"),
    "newsgroups_glove": ("texts", "vectors", "member", "dimension"),
    "newsgroups_svd": ("texts", "dimension"),
    "npz": ("keys",),
    "wheel": (*(key for key in _TABLE if key not in _NOT_OF_MEMBERS), "target", "codes", "member", "labels"),
}
#: Accepted values of some options.
VALUES = {"on_missing": ("error", "drop_rows", "median")}
#: Accepted keys of some options.
KEYS = {"keys": ("X", "y", "X_test", "y_test")}
_NAME, _NAMES, _WHOLE, _MAPPING = (str,), (list, tuple), (int,), (dict,)
#: Types of some options; the items of lists are not checked.
TYPES = {
    **dict.fromkeys(["target", "separator", "encoding", "dtype", "time", "event"], _NAME),
    **dict.fromkeys(["function", "labels", "member", "texts", "vectors"], _NAME),
    **dict.fromkeys(["drop", "events", "missing", "names", "required"], _NAMES),
    **dict.fromkeys(["positive_at_training", "positive_at_test"], (*_NAMES, *_NAME)),
    **dict.fromkeys(["skip_lines", "n_train", "n_features", "dimension"], _WHOLE),
    **dict.fromkeys(["by_file", "encode", "codes", "keys", "parameters"], _MAPPING),
}
__all__ = ["KEYS", "LOADERS", "OPTIONS", "TYPES", "VALUES"]
