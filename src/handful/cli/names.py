"""Names that help texts tell. Help loads no numerics, so they are written down from the registries: ``python3 dev.py lists``."""

CLASSIFICATION_LOSSES = ("logistic", "squared_hinge")
REGRESSION_LOSSES = ("squared",)
MEASURES = (
    "accuracy",
    "average_precision",
    "f1",
    "f0.5",
    "prbep",
    "prec@100",
    "prec@10%",
    "prec@2p",
    "rec@100",
    "rec@10%",
    "rec@2p",
    "roc_auc",
)
SOLVERS = ("apg", "ksupport", "mkl")
KERNELS = ("intersection", "gaussian", "chi2", "anova")
