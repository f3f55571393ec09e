"""original_columns: which columns of a transformer come from one, against the names it gives them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from handful import FGMClassifier
from handful.spaces import original_columns

FRAME = pd.DataFrame(
    {
        "age": [30.0, np.nan, 50.0, 40.0, 41.0],
        "colour_red": ["a", "b", "c", "a", "b"],
        "size": [1.0, 2.0, 3.0, 5.0, 4.0],
        "colour": ["red", "blue", "blue", "red_x", "blue"],
    }
)
TEXT = make_column_selector(dtype_exclude=np.number)
NUMBER = make_column_selector(dtype_include=np.number)
SEPARATOR = "\N{SYMBOL FOR UNIT SEPARATOR}"


def told(transformer, frame=FRAME):
    """The families by the names of the columns, with a separator that no name has."""

    def name(column, category):
        return f"{column}{SEPARATOR}{category}"

    for part in transformer.transformers:
        for step in (part[1], *getattr(part[1], "named_steps", {}).values()):
            if isinstance(step, OneHotEncoder):
                step.set_params(feature_name_combiner=name)
    fitted = transformer.set_params(verbose_feature_names_out=False).fit(frame)
    names = (str(one).split(SEPARATOR)[0] for one in fitted.get_feature_names_out())
    return fitted, [one.removeprefix("missingindicator_") for one in names]


@pytest.mark.parametrize(
    "transformer",
    [
        make_column_transformer((OneHotEncoder(), TEXT), remainder="passthrough"),
        make_column_transformer((StandardScaler(), NUMBER), (OneHotEncoder(), TEXT)),
        make_column_transformer((OneHotEncoder(drop="first"), ["colour", "colour_red"])),
        make_column_transformer((OneHotEncoder(drop="if_binary"), ["colour"]), ("drop", ["age"])),
        make_column_transformer(
            (OneHotEncoder(min_frequency=2, handle_unknown="infrequent_if_exist"), ["colour"]),
            ("passthrough", slice("size", "size")),
        ),
        make_column_transformer(
            (SimpleImputer(add_indicator=True), ["age", "size"]),
            (make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()), [1, 3]),
        ),
        make_column_transformer(
            (OneHotEncoder(), [False, True, False, True]), ("passthrough", [2])
        ),
        ColumnTransformer(
            [("mark", MissingIndicator(features="all"), ["age"]), ("rest", "passthrough", ["size"])]
        ),
    ],
    ids=lambda transformer: ", ".join(name for name, *_ in transformer.transformers),
)
def test_families_are_those_of_the_names(transformer):
    fitted, expected = told(transformer)
    assert original_columns(fitted) == expected


def test_an_array_has_numbers():
    encoder = OneHotEncoder().fit(np.array([[1, 5], [2, 5]]))
    assert original_columns(encoder) == ["x0", "x0", "x1"]
    assert original_columns(make_pipeline(StandardScaler()).fit(np.eye(3))) == ["x0", "x1", "x2"]


def test_an_empty_column_is_left_out():
    X = np.array([[1.0, np.nan], [2.0, np.nan]])
    assert original_columns(SimpleImputer().fit(X)) == ["x0"]
    assert original_columns(SimpleImputer(keep_empty_features=True).fit(X)) == ["x0", "x1"]


def test_what_mixes_columns_is_refused():
    made = make_column_transformer((PCA(1), ["size"])).fit(FRAME)
    with pytest.raises(ValueError, match="does not know which columns PCA makes of which"):
        original_columns(made)


def test_sparse_columns_in_groups():
    made = make_column_transformer(
        (SimpleImputer(), NUMBER), (OneHotEncoder(), TEXT), sparse_threshold=1.0
    ).fit(FRAME)
    model = FGMClassifier(1, C="fast", groups=original_columns(made), include=["colour"])
    model.fit(made.transform(FRAME), [0, 1, 1, 0, 1])
    assert model.group_labels_[model.group_support_].tolist() == ["colour"]
