"""Rivals of trees: gain of LightGBM, importance in a random forest, features above their shadows."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from .method import Array, Data, Method, best_first, ranking

TREES = 300
SHADOW_ROUNDS, SHADOW_TREES, SHADOW_DEPTH = 10, 60, 5


def _gain(data: Data) -> Array:
    """LightGBM's summed gain; leaves of fewer rows than its default where rows are few.

    Each tree sees a third of the columns, as its manual advises against overfitting: otherwise a few
    columns have all the gain.
    """
    from lightgbm import LGBMClassifier, LGBMRegressor

    kind = LGBMRegressor if data.is_numbers else LGBMClassifier
    model = kind(
        n_estimators=100 if data.is_numbers or data.n_classes <= 10 else 50,
        importance_type="gain",
        colsample_bytree=0.3,
        min_child_samples=int(np.clip(len(data.y) // 30, 2, 20)),
        random_state=0,
        n_jobs=1,
        verbose=-1,
    )
    model.fit(data.X, data.y)
    return best_first(np.asarray(model.feature_importances_, dtype=float), data.most)


def _forest_importance(data: Data) -> Array:
    kind = RandomForestRegressor if data.is_numbers else RandomForestClassifier
    features = 1 / 3 if data.is_numbers and data.X.shape[1] < 1000 else "sqrt"
    model = kind(n_estimators=TREES, max_features=features, random_state=0, n_jobs=1)
    return best_first(model.fit(data.X, data.y).feature_importances_, data.most)


def _above_shadows(data: Data) -> Array:
    """Order by how often a column is more important than every shuffled one (as in Boruta).

    Equal counts are ordered by the mean importance. Trees are shallow and their number fixed, as its
    authors advise.
    """
    X, ids = data.dense()
    rng = np.random.default_rng(0)
    kind = RandomForestRegressor if data.is_numbers else RandomForestClassifier
    hits, importance = np.zeros(len(ids)), np.zeros(len(ids))
    for number in range(SHADOW_ROUNDS):
        both = np.hstack([X, rng.permuted(X, axis=0)]).astype(np.float32)
        model = kind(
            n_estimators=SHADOW_TREES,
            max_depth=SHADOW_DEPTH,
            max_features="sqrt",
            random_state=number,
            n_jobs=1,
        ).fit(both, data.y)
        real, shadows = np.split(model.feature_importances_, 2)
        hits += real > shadows.max()
        importance += real
    return ids[best_first(hits + importance / max(importance.max(), 1e-300) / 2, data.most)]


TREE_METHODS: tuple[Method, ...] = (
    ranking("LightGBM, gain", _gain, packages=("lightgbm",)),
    ranking("random forest", _forest_importance),
    ranking("shadow features", _above_shadows, revision=2),
)
