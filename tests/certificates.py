"""For each estimator the objective as it is documented, and models to compare a certificate with.

Nothing is asked of how a bound was made. Models are found by closer fits, by fits on every choice of features, and by
intercepts alone.
"""

import itertools
import warnings

import hard_problems
import numpy as np
from sklearn.base import clone

from handful import (
    DirectSparsityClassifier,
    FGMClassifier,
    FGMRegressor,
    GreedyRLSClassifier,
    GreedyRLSRegressor,
    MILESClassifier,
    MultiTaskLassoInf,
    RFSClassifier,
    RFSRegressor,
    SVMPerfClassifier,
)
from handful.losses import known_losses
from handful.measures import resolve_measure
from handful.methods.fgm.solvers.penalty import half_squared_ksupport


def signs(y):
    """One column of -1 and +1 for each class, one for two classes."""
    classes = np.unique(y)
    return np.where(y[:, None] == (classes if len(classes) > 2 else classes[1:]), 1.0, -1.0)


def row_lengths(W):
    return np.sqrt(np.square(W).sum(axis=1))


class Case:
    """How to make an estimator, what its objective is, and what it may be compared with."""

    is_labels = True
    n_classes = (2, 3)
    has_weights = True

    def make(self, rng, X):
        """An estimator with parameters drawn at random."""
        raise NotImplementedError

    def value(self, model, Y, weight, z, W, b):
        """The objective of weights W (n_features, n_outputs) and intercept b with predictions z."""
        raise NotImplementedError

    def fits(self, model, X):
        """Other fits, on some of the columns each, whose models are admissible."""
        yield clone(model).set_params(tol=1e-9), np.arange(X.shape[1])

    def draw(self, seed):
        rng, kind = (
            np.random.default_rng(seed),
            hard_problems.KINDS[seed % len(hard_problems.KINDS)],
        )
        X = hard_problems.columns(rng, kind)
        if self.is_labels:
            y = hard_problems.labels(rng, X, kind, int(rng.choice(self.n_classes)))
            y[-len(np.unique(y)) :] = np.unique(y)  # of every class one that may have weight
        else:
            y = hard_problems.numbers(rng, X, kind, int(rng.integers(1, 3)))
        weight = hard_problems.weights(rng, len(X)) if self.has_weights else np.ones(len(X))
        return rng, X, y, weight

    def fit(self, model, X, y, weight):
        """The fitted model, or None where the columns have nothing to say."""
        options = {"sample_weight": weight} if self.has_weights else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            try:
                return model.fit(X, y, **options)
            except ValueError as error:
                if "No feature carries any signal" in str(error):
                    return None
                raise

    def targets(self, y):
        if self.is_labels:
            return signs(y)
        return y[:, None] if y.ndim == 1 else y

    def best_known(self, model, X, y, weight):
        """The least objective of all models that can be thought of, and that of weights of zero."""
        Y, n_columns, values = self.targets(y), X.shape[1], []
        constant = np.flatnonzero(np.ptp(X, axis=0) == 0)

        def look(W, b):
            values.append(self.value(model, Y, weight, X @ W + b, W, b))
            if len(constant) and getattr(model, "penalize_intercept", False):
                elsewhere = W.copy()  # a constant column can do the work of an intercept
                elsewhere[constant[0]] += b / X[0, constant[0]]
                values.append(self.value(model, Y, weight, X @ W + b, elsewhere, 0.0 * b))

        nothing = np.zeros((n_columns, Y.shape[1]))
        has_intercept = getattr(model, "fit_intercept", True)
        for level in (0.0, -1.0, 1.0, np.average(Y, axis=0, weights=weight), np.median(Y, axis=0)):
            if has_intercept or np.all(level == 0.0):
                look(nothing, np.broadcast_to(level, Y.shape[1]))
        for other, ids in self.fits(model, X):
            found = self.fit(other, X[:, ids], y, weight)
            if found is None:
                continue
            W = nothing.copy()
            W[ids] = np.atleast_2d(found.coef_).T
            look(W, np.broadcast_to(found.intercept_, Y.shape[1]))
        return min(values), values[0]


class OfRows(Case):
    def value(self, model, Y, weight, z, W, b):
        rows = self.units @ row_lengths(W) + model.penalize_intercept * np.linalg.norm(b)
        return model.alpha * rows + weight @ row_lengths(z - Y)

    def make(self, rng, X):
        alpha = 10.0 ** rng.integers(-1, 3)
        penalized = bool(rng.random() < 0.4)
        return self.estimator(alpha=alpha, penalize_intercept=penalized, refit=False)

    def best_known(self, model, X, y, weight):
        self.units = np.ones(
            X.shape[1]
        )  # the penalty is on weights of the columns as they were fitted
        if model.scaling_ == "std":
            means = np.average(X, axis=0, weights=weight)
            self.units = np.sqrt(np.average(np.square(X - means), axis=0, weights=weight))
        return super().best_known(model, X, y, weight)


class OfRFSClassifier(OfRows):
    estimator = RFSClassifier


class OfRFSRegressor(OfRows):
    estimator = RFSRegressor
    is_labels = False


class OfDirectSparsity(Case):
    def make(self, rng, X):
        margin, C = rng.choice(["hard", "soft"]), 10.0 ** rng.integers(-1, 3)
        penalized = bool(rng.random() < 0.4)
        return DirectSparsityClassifier(
            p=1, margin=str(margin), C=C, penalize_intercept=penalized, refit=False
        )

    def value(self, model, Y, weight, z, W, b):
        rows = row_lengths(W).sum() + model.penalize_intercept * np.linalg.norm(b)
        margins = (Y * z)[weight > 0]
        if model.margin_ == "hard":
            return rows / margins.min() if margins.min() > 0 else np.inf
        return rows + 0.5 * model.C * weight @ np.square(np.maximum(1 - Y * z, 0)).sum(axis=1)


class OfLasso(Case):
    is_labels = False

    def make(self, rng, X):
        return MultiTaskLassoInf(alpha=10.0 ** rng.integers(-3, 1), tol=10.0 ** -rng.integers(1, 7))

    def value(self, model, Y, weight, z, W, b):
        squares = weight @ np.square(z - Y).sum(axis=1) / (2 * weight.sum())
        return squares + model.alpha * np.abs(W).max(axis=1).sum()


class OfSVMPerf(Case):
    has_weights = False
    measures = ("f1", "accuracy", "roc_auc", "prbep")

    def make(self, rng, X):
        loss = str(rng.choice(self.measures))
        C, intercept = 10.0 ** rng.integers(-3, 1), bool(rng.random() < 0.5)
        return SVMPerfClassifier(loss=loss, C=C, fit_intercept=intercept, tol=1e-2, max_iter=300)

    def value(self, model, Y, weight, z, W, b):
        measure, given = resolve_measure(model.loss), (weight,) if self.has_weights else ()
        risks = [measure.risk(y, scores, *given) for y, scores in zip(Y.T, z.T, strict=True)]
        return 0.5 * np.square(W).sum() + model.C * sum(risks)

    def fits(self, model, X):
        yield clone(model).set_params(tol=1e-6), np.arange(X.shape[1])


class OfWeightedSVMPerf(OfSVMPerf):
    has_weights = True
    measures = ("f1", "f0.5", "accuracy", "roc_auc")

    def draw(self, seed):
        rng, X, y, weight = super().draw(seed)
        weight[y == y[-1]] = np.maximum(weight[y == y[-1]], 0.1)  # no class without weight
        return rng, X, y, weight


class OfPlainFGM(Case):
    def make(self, rng, X):
        loss = str(rng.choice(["squared_hinge", "logistic"]))
        return self._make(FGMClassifier, rng, loss)

    def _make(self, estimator, rng, loss):
        options = {"C": 10.0 ** rng.integers(-2, 3), "fit_intercept": bool(rng.random() < 0.6)}
        options |= {"solver": str(rng.choice(["auto", "apg", "mkl"])), "refit": False}
        budget = int(rng.integers(1, 3))
        options["certify"] = bool(rng.random() < 0.5)
        return estimator(budget=budget, loss=loss, max_rounds=4, **options)

    def value(self, model, Y, weight, z, W, b):
        loss = known_losses()[model.loss]().value(Y, z, weight[:, None])
        return half_squared_ksupport(row_lengths(W), model.budget) + model.C * loss

    def fits(self, model, X):
        options = {"solver": "ksupport", "tol": 1e-5, "max_rounds": 10}
        yield clone(model).set_params(**options), np.arange(X.shape[1])


class OfPlainFGMRegressor(OfPlainFGM):
    is_labels = False

    def draw(self, seed):
        rng, X, y, weight = super().draw(seed)
        return rng, X, y if y.ndim == 1 else y[:, 0], weight

    def make(self, rng, X):
        return self._make(FGMRegressor, rng, "squared")


class OfChoices(Case):
    """Every choice of k features."""

    def fits(self, model, X):
        k = model.n_features_to_select
        for ids in itertools.combinations(range(X.shape[1]), k):
            yield clone(model), np.array(ids)


class OfFGM(OfPlainFGM, OfChoices):
    def _make(self, estimator, rng, loss):
        options = {"C": 10.0 ** rng.integers(-2, 3), "fit_intercept": bool(rng.random() < 0.6)}
        options |= {"solver": str(rng.choice(["auto", "ksupport"])), "refit": False}
        k = int(rng.integers(1, 3))
        return estimator(k, loss=loss, certify=bool(rng.random() < 0.5), **options)

    def value(self, model, Y, weight, z, W, b):
        loss = known_losses()[model.loss]().value(Y, z, weight[:, None])
        return 0.5 * np.square(W).sum() + model.C * loss

    fits = OfChoices.fits


class OfFGMRegressor(OfFGM, OfPlainFGMRegressor):
    make = OfPlainFGMRegressor.make


class OfGreedy(OfChoices):
    estimator = GreedyRLSClassifier

    def make(self, rng, X):
        alpha, intercept = 10.0 ** rng.integers(-2, 3), bool(rng.random() < 0.6)
        return self.estimator(int(rng.integers(1, 3)), alpha=alpha, fit_intercept=intercept)

    def value(self, model, Y, weight, z, W, b):
        return weight @ np.square(z - Y).sum(axis=1) + model.alpha * np.square(W).sum()


class OfGreedyRegressor(OfGreedy):
    estimator = GreedyRLSRegressor
    is_labels = False


class OfMILES(OfFGM):
    """One instance in each bag: the similarities to all of them are columns like any others."""

    n_classes = (2,)
    gamma = 0.5

    def draw(self, seed):
        rng, X, y, _ = super().draw(seed)
        few = np.r_[: min(len(X), 8)]
        return rng, X[few], y[few], np.ones(len(few))

    def _make(self, estimator, rng, loss):
        plain = super()._make(FGMClassifier, rng, loss)
        names = ("n_features_to_select", "loss", "C", "solver", "refit", "fit_intercept")
        options = {name: getattr(plain, name) for name in names}
        return MILESClassifier(gamma=self.gamma, scale="raw", **options)

    def fit(self, model, X, y, weight):
        if isinstance(model, MILESClassifier):
            X = [row[None] for row in X]
        return super().fit(model, X, y, weight)

    def best_known(self, model, X, y, weight):
        away = np.square(X[:, None] - X).sum(axis=2)
        names = ("n_features_to_select", "loss", "C", "refit", "fit_intercept")
        plain = FGMClassifier(**{name: getattr(model, name) for name in names})
        return super().best_known(plain, np.exp(-self.gamma * away), y, weight)


CASES = {
    "DirectSparsityClassifier": [OfDirectSparsity],
    "FGMClassifier": [OfPlainFGM, OfFGM],
    "FGMRegressor": [OfPlainFGMRegressor, OfFGMRegressor],
    "GreedyRLSClassifier": [OfGreedy],
    "GreedyRLSRegressor": [OfGreedyRegressor],
    "MILESClassifier": [OfMILES],
    "MultiTaskLassoInf": [OfLasso],
    "RFSClassifier": [OfRFSClassifier],
    "RFSRegressor": [OfRFSRegressor],
    "SVMPerfClassifier": [OfSVMPerf, OfWeightedSVMPerf],
}
