"""What is wrong is said in one sentence."""

import re

import numpy as np
import pytest
from labelings import MAKERS

from handful.measures import (
    PRBEP,
    FBeta,
    PrecisionAtK,
    RecallAtK,
    RocAuc,
    known_measures,
    resolve_measure,
)

every_measure = pytest.mark.parametrize("name", list(MAKERS))
y = np.array([1.0, -1.0, 1.0, -1.0])
z = np.array([0.4, 0.3, 0.2, 0.1])


def make(name):
    return MAKERS[name](np.random.default_rng(0), 4, 2)


@pytest.mark.parametrize(
    "k",
    [
        *(0, -1, 1.0, 0.0, -0.5, 2.5, np.nan, np.inf, True, None, b"2p"),
        *("", "0", "0p", "-2p", "0.0p", "p2", "0%", "100%", "120%", "%", "1.5", "2q", "1e3", "2 p"),
        "9" * 400 + "p",
    ],
)
@pytest.mark.parametrize("cls", [PrecisionAtK, RecallAtK])
def test_k_that_means_nothing(cls, k):
    with pytest.raises(ValueError, match=r"^k must be a whole number of at least 1, a share .*got"):
        cls(k)


@pytest.mark.parametrize(
    ("k", "count"),
    [
        *((1, 1), (10, 10), (np.int64(7), 7), ("7", 7)),
        *((0.5, 5), ("50%", 5), (0.01, 1), (0.25, 3), (0.24, 2), (np.float32(0.3), 3)),
        *(("p", 3), ("2p", 6), ("0.5p", 2), (".1p", 1), ("3.3p", 10)),
    ],
)
def test_what_k_means(k, count):
    assert PrecisionAtK(k).n_predicted(n_samples=10, n_positive=3) == count


@pytest.mark.parametrize("text", ["prec@0", "prec@0p", "rec@-1", "rec@"])
def test_k_that_means_nothing_in_a_text(text):
    with pytest.raises(ValueError, match=r"^k must be a whole number"):
        resolve_measure(text)


@pytest.mark.parametrize("beta", [0, -1.0, np.nan, np.inf, "1", None, True])
def test_beta_must_be_above_zero(beta):
    with pytest.raises(ValueError, match=r"^beta must .*; got"):
        FBeta(beta)


def test_beta_must_be_above_zero_in_a_text():
    with pytest.raises(ValueError, match=r"^beta must be a number above 0; got 0.0\.$"):
        resolve_measure("f0")


@pytest.mark.parametrize("cls", [PrecisionAtK, RecallAtK])
def test_k_above_the_number_of_samples(cls):
    for call in (cls(5).check, lambda y: cls(5).value(y, z), lambda y: cls(5).most_violated(y, z)):
        with pytest.raises(ValueError, match=r"^k=5 is more than the 4 samples there are; choose"):
            call(y)
    with pytest.raises(ValueError, match=r"^k='3p' means 6 samples here, which is more than the 4"):
        cls("3p").check(y)


@every_measure
def test_labels_other_than_minus_one_and_one(name):
    for labels, found in (
        ([1, 0, 1, 0], "sample 1 has 0"),
        ([1.0, -1.0, 2.0, -1.0], "sample 2 has 2.0"),
        ([1.0, np.nan, 1.0, -1.0], "sample 1 has nan"),
        (["a", "b", "a", "b"], "sample 0 has 'a'"),
    ):
        for call in (make(name).check, lambda labels: make(name).most_violated(labels, z)):
            with pytest.raises(ValueError, match=rf"takes labels -1 and \+1; {found}\.$"):
                call(np.array(labels))


@every_measure
def test_wrong_shapes_and_scores(name):
    measure = make(name)
    with pytest.raises(ValueError, match=r"takes one score for each of the 4 samples; got shape"):
        measure.most_violated(y, z[:3])
    with pytest.raises(ValueError, match=r"takes one label for each sample, at least one; got"):
        measure.most_violated(y[:, None], z)
    with pytest.raises(ValueError, match=r"takes one label for each sample, at least one; got"):
        measure.most_violated(y[:0], z[:0])
    with pytest.raises(ValueError, match=r"takes finite scores; sample 2 has nan\.$"):
        measure.most_violated(y, np.array([0.1, 0.2, np.nan, np.inf]))


@every_measure
def test_one_class_only(name):
    measure = make(name)
    for missing, labels in (("positive", -np.ones(4)), ("negative", np.ones(4))):
        if getattr(measure, f"needs_{missing}s"):
            calls = (measure.check, lambda y: measure.value(y, z), lambda y: measure.risk(y, z))
            for call in calls:
                with pytest.raises(
                    ValueError, match=rf"is undefined without {missing} samples, and"
                ):
                    call(labels)
        else:
            assert 0.0 <= measure.value(labels, z) <= 1.0
            assert measure.risk(labels, z) >= 0.0


def test_measures_that_divide_by_a_class_say_so():
    needs = {name: (make(name).needs_positives, make(name).needs_negatives) for name in MAKERS}
    assert needs["accuracy"] == (False, False)
    assert needs["roc_auc"] == (True, True)
    of_positives = ("average_precision", "fbeta", "prbep", "precision_at_k", "recall_at_k")
    assert {needs[name] for name in of_positives} == {(True, False)}


def test_class_without_weight():
    with pytest.raises(
        ValueError, match=r"^roc_auc is undefined without negative samples, and all"
    ):
        RocAuc().most_violated(y, z, np.array([1.0, 0.0, 1.0, 0.0]))
    with pytest.raises(
        ValueError, match=r"^sample_weight must not be negative; sample 1 has -1\.$"
    ):
        RocAuc().most_violated(y, z, np.array([1.0, -1.0, 1.0, 0.0]))
    with pytest.raises(ValueError, match=r"^sample_weight must be 0 or lie .* sample 0 has 1e-200"):
        RocAuc().most_violated(y, z, np.full(4, 1e-200))


def test_measures_that_take_weights_are_named_where_others_refuse_them():
    with pytest.raises(ValueError, match=r"^prbep is not defined for weighted samples; ") as caught:
        PRBEP().check(y, np.full(4, 2.0))
    named = set(re.findall("'(.+?)'", str(caught.value)))
    classes = known_measures().values()
    assert named == {cls.example_texts()[0] for cls in classes if cls.accepts_weight}


def test_labeling_with_another_count():
    message = r"^prec@1 is defined for labelings with 1 positives here; this one has 3\.$"
    with pytest.raises(ValueError, match=message):
        PrecisionAtK(1).delta(y, np.array([1.0, 1.0, 1.0, -1.0]))
