"""The learners of the level field.

Every learner has its documented defaults.  Entries only set a base learner, one thread, or the number of bags if the base is
itself an ensemble.  Features are standardized if a learner measures distances or penalizes weights.
"""

from __future__ import annotations

from typing import Any

from pulab.plan import Method

LOGISTIC: dict[str, Any] = {
    "estimator": "sklearn.linear_model.LogisticRegression",
    "params": {"max_iter": 1000, "n_jobs": None},
}
FOREST: dict[str, Any] = {"estimator": "sklearn.ensemble.RandomForestClassifier", "params": {"n_estimators": 100}}
BOOSTING = {"estimator": "sklearn.ensemble.HistGradientBoostingClassifier"}
NAIVE, BAGGING, ELKAN_NOTO = (f"pulib.reductions.{name}Classifier" for name in ("NaivePU", "PUBagging", "ElkanNoto"))
NEURAL, UNBIASED = "pulib.neural.NeuralPUClassifier", "pulib.linear.UnbiasedPUClassifier"
AT_RANDOM = "studies.levelfield.protocol.ShareAtRandom"
PENALTY = [0.0001, 0.001, 0.01, 0.1]
LOGISTIC_GRID = {"estimator__C": [0.01, 0.1, 1.0, 10.0]}
FOREST_GRID = {"estimator__min_samples_leaf": [1, 5, 20]}
BOOSTING_GRID = {"estimator__learning_rate": [0.03, 0.1], "estimator__min_samples_leaf": [5, 20]}
NETWORK_GRID = {"learning_rate": [0.0001, 0.001], "epochs": [30, 100]}


def learner(name: str, label: str, estimator: str, *style: str, grid: dict[str, Any] | None = None, **more: Any) -> Method:
    """Make a method with a learner of pulib or of another package; ``style`` is a color and a marker."""
    color = (style[0], style[1]) if style else None
    return Method(name=f"lf_{name}", label=label, estimator=estimator, style=color, grid=grid or {}, **more)


def of_risk(name: str, label: str, estimator: str, *style: str, **more: Any) -> Method:
    """Make a learner whose training prior is spelled out on the one task with π < 1/8, where the default matters."""
    return learner(name, label, estimator, *style, **more).on("ijcnn1", params={"training_prior": "auto"})


pu_et = of_risk(
    "pu_et", "PU extra trees", "pulib.trees.PUExtraTreesClassifier", "blue", "o",
    grid={"min_samples_leaf": [1, 5, 20], "max_features": ["sqrt", 0.3]},
)  # fmt: skip
pu_tree = of_risk(
    "pu_tree", "PU tree", "pulib.trees.PUDecisionTreeClassifier",
    grid={"min_samples_leaf": [1, 5, 20], "max_depth": [None, 4, 8]},
)  # fmt: skip
adapu = of_risk(
    "adapu", "Ada-PU", "pulib.boosting.AdaPUClassifier", "vermilion", "s",
    grid={"learning_rate": [0.03, 0.1, 0.3], "n_estimators": [50, 100, 200]},
)  # fmt: skip
opu = of_risk(
    "opu", "OPU", "pulib.linear.OnlinePUClassifier", "violet", "<",
    grid={"alpha": PENALTY, "n_passes": [1, 10]}, standardize=True,
)  # fmt: skip
upu = of_risk("upu", "uPU, double hinge", UNBIASED, "black", "X", grid={"alpha": [*PENALTY, 1.0]}, standardize=True)
upu_logistic = learner(
    "upu_logistic", "uPU, logistic", UNBIASED, grid={"alpha": [*PENALTY, 1.0]}, params={"loss": "logistic"}, standardize=True
)
upu_gaussian = of_risk(
    "upu_gaussian", "uPU, Gaussian basis", UNBIASED, grid={"alpha": [*PENALTY, 1.0]}, params={"basis": "gaussian"},
    standardize=True,
)  # fmt: skip
cwsvm = learner(
    "cwsvm", "class-weighted SVM", "pulib.svm.ClassWeightedSVC",
    grid={"C_positive": [1.0, 10.0], "C_unlabeled": [0.1, 1.0]}, standardize=True,
)  # fmt: skip
bagging_svm = learner(
    "bagging_svm", "bagging SVM", "pulib.svm.BaggingSVC", "orange", "v", grid={"C": [0.1, 1.0, 10.0]}, standardize=True
)
resvm = learner(
    "resvm", "RESVM", "pulib.svm.RobustEnsembleSVC", "green", "^",
    grid={"C": [0.1, 1.0, 10.0], "w_positive": [1.0, 4.0]}, standardize=True,
)  # fmt: skip
pu_svm = learner(
    "pu_svm", "mapping convergence", "pulib.svm.MappingConvergenceSVC", grid={"C": [0.1, 1.0, 10.0]}, standardize=True
)
auc_boosting = learner(
    "auc_boosting", "AUC boosting", "pulib.expansion.AUCBoostingClassifier",
    grid={"learning_rate": [0.003, 0.01, 0.1], "n_estimators": [50, 100]},
)  # fmt: skip
get_ensemble = learner(
    "get_ensemble", "GetEnsemble", "pulib.expansion.GetEnsembleClassifier", grid={"n_expansions": [3, 10, 30]}
)
NETWORK: dict[str, Any] = {"requires": ("torch",), "standardize": True}
nnpu = learner("nnpu", "nnPU, MLP", NEURAL, grid=NETWORK_GRID, params={"n_threads": 1}, **NETWORK)
upu_mlp = learner("upu_mlp", "uPU, MLP", NEURAL, grid=NETWORK_GRID, params={"risk": "upu", "n_threads": 1}, **NETWORK)
self_pu = learner("self_pu", "Self-PU", "pulib.neural.SelfPUClassifier", params={"n_threads": 1}, **NETWORK)
naive_lr = learner(
    "naive_lr", "naive, logistic regression", NAIVE, "sky", "P", grid=LOGISTIC_GRID, params={"estimator": LOGISTIC},
    standardize=True,
)  # fmt: skip
naive_rf = learner("naive_rf", "naive, random forest", NAIVE, "plum", "p", grid=FOREST_GRID, params={"estimator": FOREST})
naive_hgb = learner(
    "naive_hgb", "naive, gradient boosting", NAIVE, "pink", "h", grid=BOOSTING_GRID, params={"estimator": BOOSTING}
)
bagging_tree = learner("bagging_tree", "PU bagging, trees", BAGGING, "navy", ">", grid={"n_estimators": [100, 300]})
bagging_lr = learner(
    "bagging_lr", "PU bagging, logistic regression", BAGGING, grid=LOGISTIC_GRID,
    params={"estimator": LOGISTIC, "n_estimators": 10}, standardize=True,
)  # fmt: skip
bagging_rf = learner("bagging_rf", "PU bagging, random forest", BAGGING, params={"estimator": FOREST, "n_estimators": 10})
bagging_hgb = learner(
    "bagging_hgb", "PU bagging, gradient boosting", BAGGING, params={"estimator": BOOSTING, "n_estimators": 10}
)
elkan_noto_lr = learner(
    "elkan_noto_lr", "Elkan and Noto, logistic regression", ELKAN_NOTO, "olive", "*", grid=LOGISTIC_GRID,
    params={"estimator": LOGISTIC}, standardize=True,
)  # fmt: skip
elkan_noto_rf = learner(
    "elkan_noto_rf", "Elkan and Noto, random forest", ELKAN_NOTO, "forest", "v", grid=FOREST_GRID,
    params={"estimator": FOREST},
)  # fmt: skip
elkan_noto_hgb = learner(
    "elkan_noto_hgb", "Elkan and Noto, gradient boosting", ELKAN_NOTO, grid=BOOSTING_GRID, params={"estimator": BOOSTING}
)
biased = learner("biased", "SAR-EM", "pulib.biased.BiasedPUClassifier", "brown", "<")
boosting = learner("boosting", "PU gradient boosting", "pulib.boosting.PUGradientBoostingClassifier", requires=("xgboost",))
vpu = learner("vpu", "VPU", "pulib.neural.VariationalPUClassifier", params={"n_threads": 1}, **NETWORK)
cvir = learner("cvir", "CVIR", "pulib.neural.CVIRClassifier", params={"n_threads": 1}, **NETWORK)
dedpul = learner("dedpul", "DEDPUL", "pulib.reductions.DEDPULClassifier")
two_step = learner(
    "two_step", "two steps, logistic regression", "pulib.reductions.TwoStepPUClassifier", params={"estimator": LOGISTIC},
    standardize=True,
)  # fmt: skip
one_class = learner("one_class", "one class", "pulib.reductions.OneClassPUClassifier")
pusb = learner("pusb", "PUSB", "studies.levelfield.protocol.PUSB", standardize=True)
lbe = learner("lbe", "LBE", "pulib.biased.LabelingBiasPUClassifier", standardize=True)

# trained on the true labels of the same rows, as an upper bound; not ranked
CEILING: dict[str, Any] = {"role": "ceiling", "labels": "all"}
supervised_lr = learner(
    "supervised_lr", "supervised, logistic regression", LOGISTIC["estimator"], params=LOGISTIC["params"], standardize=True,
    **CEILING,
)  # fmt: skip
supervised_rf = learner("supervised_rf", "supervised, random forest", FOREST["estimator"], params=FOREST["params"], **CEILING)
supervised_hgb = learner("supervised_hgb", "supervised, gradient boosting", BOOSTING["estimator"], **CEILING)
# predictions without learning; not ranked
all_positive = learner("all_positive", "all positive", AT_RANDOM, params={"share": 1.0}, role="trivial")
all_negative = learner("all_negative", "all unlabeled as negative", AT_RANDOM, params={"share": 0.0}, role="trivial")
random_share = learner("random_share", "share π at random", AT_RANDOM, role="trivial")
# other packages with their defaults, in the versions that the extra `rivals` allows
pulearn_elkan_noto = learner(
    "pulearn_elkan_noto", "pulearn 0.2: Elkan and Noto, random forest", "pulearn.ElkanotoPuClassifier",
    params={"estimator": FOREST}, requires=("pulearn",), role="rival",
)  # fmt: skip
pulearn_bagging = learner(
    "pulearn_bagging", "pulearn 0.2: PU bagging", "pulearn.BaggingPuClassifier", requires=("pulearn",), role="rival"
)
pu_toolbox_nnpu = learner(
    "pu_toolbox_nnpu", "pu-toolbox 1.11: nnPU, linear", "pu_toolbox.NonNegativePUClassifier",
    requires=("pu_toolbox", "torch"), role="rival", standardize=True, prior_name="class_prior",
)  # fmt: skip

METHODS = [
    *(pu_et, pu_tree, adapu, opu, upu, upu_logistic, upu_gaussian, cwsvm, bagging_svm, resvm, pu_svm),
    *(auc_boosting, get_ensemble, nnpu, upu_mlp, self_pu, naive_lr, naive_rf, naive_hgb),
    *(bagging_tree, bagging_lr, bagging_rf, bagging_hgb, elkan_noto_lr, elkan_noto_rf, elkan_noto_hgb, biased),
    *(dedpul, two_step, one_class, lbe, pusb, boosting, vpu, cvir),
    *(supervised_lr, supervised_rf, supervised_hgb, all_positive, all_negative, random_share),
    *(pulearn_elkan_noto, pulearn_bagging, pu_toolbox_nnpu),
]
