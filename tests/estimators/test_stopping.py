"""When the rounds end while k is open."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

from handful import FGMClassifier
from handful.status import Status


def of_seed(seed):
    return make_classification(
        200, 60, n_informative=8, weights=[0.8], flip_y=0.1, random_state=seed
    )


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_an_objective_at_rest_is_no_reason_while_the_gap_still_narrows(loss, C):
    for seed in range(3):
        model = FGMClassifier(loss=loss, C=C, max_rounds=50).fit(*of_seed(seed))
        assert model.status_ is Status.CONVERGED, (seed, str(model.history_))
        assert model.dual_gap_ <= model.tol * model.objective_


@pytest.mark.parametrize("loss", ["roc_auc", "f1"])
def test_who_stalls_has_moved_neither_the_objective_nor_the_gap(loss):
    model = FGMClassifier(loss=loss, C=0.03, max_rounds=50).fit(*of_seed(0))
    before, last = [one for one in model.history_ if one.phase == "generate"][-2:]
    if model.status_ is Status.CONVERGED:
        assert last.relative_gap <= model.tol
    else:
        assert model.status_ is Status.STALLED
        moves = [abs(before.objective - last.objective), before.gap - last.gap]
        assert max(moves) <= model.tol * before.objective
    earlier = [one.relative_gap for one in model.history_ if one.phase == "generate"][:-1]
    assert np.min(earlier) > model.tol
