"""All estimators speak alike, and docs/parameters.md says where they differ; ``test_written_lists.py`` has its tables."""

import inspect
import re

import parameters_page
import pytest
from every_estimator import ESTIMATORS

import handful

TEXT = parameters_page.PAGE.read_text(encoding="utf-8")


def test_every_estimator_is_there():
    assert parameters_page.estimators().keys() == ESTIMATORS.keys()


def test_defaults_that_differ_are_explained():
    seen = {}
    for cls in parameters_page.estimators().values():
        for name, default in parameters_page.defaults(cls).items():
            seen.setdefault(name, set()).add(repr(default))
    differ = {name for name, words in seen.items() if len(words) > 1}
    table = TEXT.partition("<!-- differ -->")[2].partition("##")[0]
    assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == differ


#: Parameters of one meaning whose type is another one somewhere, and why.
OTHER_TYPES = {
    "loss": "a measure is for classes, and SVMPerf has no other losses",
    "C": "no rule sets it for SVMPerf and DictionaryMIL",
    "alpha": "MultiTaskLassoInf takes no list to choose from",
}


def test_types_are_the_same_everywhere():
    seen = {}
    for cls in parameters_page.estimators().values():
        for name, parameter in inspect.signature(cls).parameters.items():
            seen.setdefault(name, set()).add(parameter.annotation)
    assert {name for name, types in seen.items() if len(types) > 1} == OTHER_TYPES.keys()


def test_what_fgm_has_for_numbers_it_has_for_classes_and_for_bags():
    classifier, regressor, bags = (
        set(parameters_page.defaults(getattr(handful, name)))
        for name in ("FGMClassifier", "FGMRegressor", "MILESClassifier")
    )
    assert regressor - classifier == set()
    assert regressor - bags == {"space", "groups", "group_weights"}


@pytest.mark.parametrize("name", parameters_page.estimators())
def test_how_many_to_select_comes_first(name):
    names = list(parameters_page.defaults(getattr(handful, name)))
    if "n_features_to_select" in names:
        # MultiTaskLassoInf has alpha first, as scikit-learn's MultiTaskLasso: its order is fixed by the design.
        assert names.index("n_features_to_select") == (1 if name == "MultiTaskLassoInf" else 0)


@pytest.mark.parametrize("name", parameters_page.estimators())
def test_every_parameter_and_attribute_is_in_the_docstring(name):
    """Where a docstring sends readers to another class, that one's counts."""
    cls = getattr(handful, name)
    doc = cls.__doc__
    for other in re.findall(r":class:`~?(?:handful\.)?(\w+)`", doc):
        doc += getattr(handful, other).__doc__ if hasattr(handful, other) else ""
    fitted = {
        word for model in parameters_page.fits(name) for word in parameters_page.attributes(model)
    }
    words = set(re.findall(r"\w+", doc))
    assert sorted({*parameters_page.defaults(cls), *fitted} - words) == []
