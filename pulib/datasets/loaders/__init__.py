"""Readers of files, one module per format; a registry entry's ``loader`` names one of them, or any function by dotted path.

Each takes a :class:`pulib.datasets._source.Source` and gives back a :class:`pulib.datasets._source.Prepared`.
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
    "pu_table": "pulib.datasets.loaders._table.load_pu_table",
    "expansion_table": "pulib.datasets.loaders._table.load_expansion_table",
    "covtype": "pulib.datasets.loaders._covtype.load_covtype",
    "unsw_nb15": "pulib.datasets.loaders._unsw_nb15.load_unsw_nb15",
    "newsgroups_glove": "pulib.datasets.loaders._newsgroups.load_mean_glove",
    "newsgroups_svd": "pulib.datasets.loaders._newsgroups.load_tfidf_svd",
    "npz": "pulib.datasets.loaders._arrays.load_npz",
}

__all__ = ["LOADERS"]
