"""A measure may be given as a text; every measure has one that gives it back."""

import numpy as np
import pytest
from labelings import MAKERS

from handful.measures import FBeta, known_measures, resolve_measure


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("accuracy", "Accuracy()"),
        ("average_precision", "AveragePrecision()"),
        ("f1", "FBeta(beta=1.0)"),
        ("f0.5", "FBeta(beta=0.5)"),
        ("fbeta", "FBeta(beta=1.0)"),
        ("prbep", "PRBEP()"),
        ("prec@100", "PrecisionAtK(k='100')"),
        ("prec@10%", "PrecisionAtK(k='10%')"),
        ("prec@2p", "PrecisionAtK(k='2p')"),
        ("rec@p", "RecallAtK(k='p')"),
        ("rec@0.25", "RecallAtK(k='0.25')"),
        ("roc_auc", "RocAuc()"),
    ],
)
def test_text_becomes_a_measure(text, shown):
    assert repr(resolve_measure(text)) == shown


@pytest.mark.parametrize("name", list(MAKERS))
def test_text_of_a_measure_gives_it_back(name):
    rng = np.random.default_rng(0)
    y, z = np.array([1.0, -1.0, 1.0, -1.0, -1.0]), np.array([0.3, 0.2, 0.1, -0.2, -0.4])
    for _ in range(50):
        measure = MAKERS[name](rng, 5, 2)
        again = resolve_measure(str(measure))
        assert type(again) is type(measure)
        assert again.risk(y, z) == measure.risk(y, z)
        assert again.value(y, z) == measure.value(y, z)
        assert again.n_predicted(5, 2) == measure.n_predicted(5, 2)


def test_examples_are_understood():
    for cls in known_measures().values():
        for text in cls.example_texts():
            assert type(resolve_measure(text)) is cls


def test_instance_is_left_as_it_is():
    measure = FBeta(2.0)
    assert resolve_measure(measure) is measure


@pytest.mark.parametrize("given", ["f", "F1", "precision", "precision_at_k", "", None, 3, FBeta])
def test_unknown_measure_is_told_the_known_ones(given):
    with pytest.raises(ValueError, match=r"^measure must be one of 'accuracy', .*'f1', .*; got "):
        resolve_measure(given)
