"""Reports of every kind, small and quick to make: for tests that read them and for those that open them in a browser."""

import html
import re
from functools import cache

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from handful import (
    DictionaryMILClassifier,
    FGMClassifier,
    FGMRegressor,
    GreedyRLSClassifier,
    GreedyRLSRegressor,
    MILESClassifier,
)
from handful.datasets import make_bags
from handful.inspection import report
from handful.model_selection import SelectKCV, StabilitySelection
from handful.spaces import AdditiveKernel, Polynomial, Substrings

#: Names that would do something if they were not escaped.
WICKED = (
    "<script>document.title='ran'</script>",
    "</script><script>document.title='ran'</script>",
    "<img src=x onerror=\"document.title='ran'\">",
    "\"><svg onload=document.title='ran'>",
    "'\"&amp;&#x41;{{7*7}}{% raw %}${1}`",
    "</style><style>*{display:none}</style>",
    "javascript:document.title='ran'",
    "\U0001f9ec gene \U0001f468\u200d\U0001f52c and \u05d0\u05d1\u05d2",
    "=cmd|'/c calc'!A0",
    "right \u202e to left \x00\x07 control \ud800 half",
    "$\\frac{1}{0$ not mathematics _^",
    "x" * 10_000 + "<b>end</b>",
)


@cache
def rows(n=120, m=12):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, m))
    X[:, 5] = X[:, 2] + 0.05 * rng.standard_normal(n)
    score = X[:, 2] - 2 * X[:, 7] + X[:, 9] + 0.3 * rng.standard_normal(n)
    return X, score


def two_classes():
    X, score = rows()
    X = pd.DataFrame(X, columns=[f"gene_{j}" for j in range(12)])
    y = pd.Series(np.where(score > 0, "well", "ill"), name="outcome")
    model = FGMClassifier(4, C="fast", certify=True).fit(X[:90], y[:90])
    return report(model, X[:90], y[:90], held_out=(X[90:], y[90:]), cv=3)


def names_that_attack():
    X, score = rows()
    y = np.array([WICKED[0], WICKED[2]])[(score > 0).astype(int)]
    model = FGMClassifier(11, C="fast").fit(X, y)
    told = {"title": WICKED[1], "target_name": WICKED[3], "feature_names": WICKED}
    return report(model, X, y, cv=2, **told)


def regression():
    X, score = rows()
    return report(FGMRegressor(3, C="fast").fit(X, score), X, score, cv=3)


def chosen_number():
    X, score = rows()
    search = SelectKCV(
        GreedyRLSRegressor(),
        [1, 2, 3, 5, 9],
        cv=3,
        nested=2,
        scoring="r2",
        return_train_score=True,
    )
    return report(search.fit(X, score), X, score, cv=2)


def stability():
    X, score = rows()
    model = StabilitySelection(GreedyRLSClassifier(4), 8, threshold=0.6, random_state=0)
    y = score > 0
    return report(model.fit(X, y), X, y, cv=2)


def hundred_classes():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(100), 4)
    X = rng.standard_normal((100, 30))[y] + 0.4 * rng.standard_normal((400, 30))
    labels = np.array([f"species number {c}" for c in range(100)])[y]
    return report(GreedyRLSClassifier(8).fit(X, labels), X, labels, cv=2)


def labels():
    X, score = rows()
    Y = np.column_stack([score > 0, X[:, 1] > 0.5, X[:, 3] < 0]).astype(int)
    return report(GreedyRLSClassifier(5).fit(X, Y), X, Y, cv=2)


def several_quantities():
    X, score = rows()
    Y = np.column_stack([score, X[:, 1], X[:, 3] - X[:, 1]])
    return report(GreedyRLSRegressor(5).fit(X, Y), X, Y, cv=2)


def pairs():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 30))
    y = X[:, 3] * X[:, 8] > 0
    model = FGMClassifier(3, C="fast", space=Polynomial()).fit(X, y)
    return report(model, X, y, cv=2)


def kernels():
    X, score = rows()
    model = FGMClassifier(3, C="fast", space=AdditiveKernel("gaussian")).fit(X, score > 0)
    return report(model, X, score > 0, cv=2)


def groups():
    X, score = rows()
    model = FGMClassifier(2, C="fast", groups=np.repeat(["left", "mid", "right"], 4))
    return report(model.fit(X, score > 0), X, score > 0, cv=2)


def bags():
    made = make_bags(40, random_state=0)
    return report(MILESClassifier(3, C="fast").fit(made.bags, made.y), made.bags, made.y, cv=2)


def atoms():
    made = make_bags(30, random_state=0)
    model = DictionaryMILClassifier(2, max_iter=3).fit(made.bags, made.y)
    return report(model, made.bags, made.y, cv=None)


def substrings():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    letters = ["".join(rng.choice(list("acgt"), 30)) for _ in y]
    texts = [
        f"{text[:15]}{'tataat' if one else ''}{text[15:]}"
        for text, one in zip(letters, y, strict=True)
    ]
    model = FGMClassifier(4, C="fast", space=Substrings(max_length=8)).fit(texts, y)
    return report(model, texts, y, cv=2)


def one_feature():
    X, score = rows()
    X = X[:, [2]]
    return report(FGMClassifier(1, C="fast").fit(X, score > 0), X, score > 0, cv=2)


def thousands_of_features():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 6000)).astype(np.float32)
    y = X[:, :2000].sum(axis=1) > 0
    names = [f"probe_{j}_at_a_place_with_a_name" for j in range(6000)]
    model = FGMClassifier(5000, C="fast").fit(X, y)
    return report(model, X, y, cv=None, feature_names=names)


def mixed_table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": rng.normal(50, 9, 120),
            "dose": rng.exponential(1000, 120),
            "town": rng.choice(["Ulm", "Köln", "<Berlin>"], 120),
        }
    )
    y = (X["town"] == "Ulm") | (X["age"] > 60)
    X.loc[::10, "dose"] = np.nan
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    columns = make_column_transformer(
        (numbers, ["age", "dose"]), (OneHotEncoder(sparse_output=False), ["town"])
    )
    model = make_pipeline(columns, FGMClassifier(3, C="fast")).fit(X, y)
    return report(model, X, y, cv=2)


#: All kinds; the first twelve are always opened in a browser, the others when all tests are asked for.
KINDS = {
    make.__name__: cache(make)
    for make in (
        two_classes,
        names_that_attack,
        regression,
        chosen_number,
        stability,
        hundred_classes,
        labels,
        pairs,
        groups,
        bags,
        substrings,
        thousands_of_features,
        one_feature,
        mixed_table,
        several_quantities,
        kernels,
        atoms,
    )
}


def table_of(text):
    """The cells of the table of features, as texts."""
    inner = re.search(r'<table id="features"[^>]*>.*?<tbody>(.*?)</tbody>', text, re.DOTALL)[1]
    lines = re.split(r"<tr[^>]*>", inner)[1:]

    def cells(line):
        parts = re.split(r"<t[dh][^>]*>", line)[1:]
        return [html.unescape(re.sub(r"<[^>]*>", "", part)).strip() for part in parts]

    return [cells(line) for line in lines]


def words(text):
    """The text of a report without its tags."""
    return html.unescape(re.sub(r"<[^>]*>", "", text))
