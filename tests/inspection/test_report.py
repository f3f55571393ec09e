"""The report: its figures are those of the model and of held-out rows, and nothing of a name runs."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import dask.array as da
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from report_kinds import KINDS, WICKED, rows, table_of, words
from sklearn.exceptions import NotFittedError
from sklearn.metrics import confusion_matrix, r2_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from stores import stored

from handful import FGMClassifier, FGMRegressor, GreedyRLSClassifier, GreedyRLSRegressor
from handful.inspection import explain_gap, report
from handful.inspection.html_report import page, page_of
from handful.inspection.html_report.data import data_checks
from handful.inspection.html_report.each_feature import runners_up
from handful.inspection.html_report.held_out import predict_folds, predict_rows
from handful.inspection.html_report.how_good import how_good
from handful.inspection.html_report.subject import Subject
from handful.inspection.html_report.which import Limits
from handful.measures import PRBEP, FBeta
from handful.metrics import macro_measure_score
from handful.model_selection import SelectKCV, StabilitySelection
from handful.spaces import Polynomial

#: Elements that load something or run something; ours has one script and one style.
ACTIVE = {"iframe", "object", "embed", "link", "base", "form", "video", "audio", "applet", "frame"}


class Reader(HTMLParser):
    """Collects tags with their attributes, texts, and the cells of the table of features."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.texts, self.blocks = (
            [],
            [],
            [],
            {"script": [], "style": []},
        )
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]

    def handle_data(self, data):
        if self.lasttag in self.blocks and data.strip():
            self.blocks[self.lasttag].append(data)
        self.texts.append(data)


@pytest.fixture(scope="module", params=list(KINDS))
def made(request):
    return request.param, KINDS[request.param]()


def test_every_kind_is_safe_small_and_complete(made):
    name, text = made
    assert len(text.encode()) < page.LARGEST
    read = Reader(text)
    assert not ACTIVE & set(read.tags)
    assert read.tags.count("script") == read.tags.count("style") == 1
    for tag, attribute, value in read.attributes:
        assert not attribute.startswith("on"), (tag, attribute)
        assert attribute != "style", f"the policy forbids style in <{tag}>"
        if attribute in ("href", "src"):
            assert value.startswith(("#", "data:image/png;base64,")), value
    ids = [value for _, attribute, value in read.attributes if attribute == "id"]
    assert len(ids) == len(set(ids))
    for _, _, value in read.attributes:
        for target in re.findall(r"url\(#([^)]+)\)", value or ""):
            assert target in ids
    for section in ("asked", "data", "how-many", "which", "how-sure", "how-good", "again", "cite"):
        assert section in ids
    assert name != "thousands_of_features" or len(table_of(text)) == 5000


def test_every_picture_says_what_is_on_it(made):
    _, text = made
    pictures = re.findall(r"<svg [^>]*>.{0,40}", text)
    assert all('role="img"' in one and "<title>" in one for one in pictures)


def test_the_policy_allows_our_own_script_and_style_only():
    read = Reader(KINDS["one_feature"]())
    [policy] = [
        v for tag, a, v in read.attributes if tag == "meta" and a == "content" and "src" in v
    ]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for kind in ("script", "style"):
        [block] = read.blocks[kind]
        digest = base64.b64encode(hashlib.sha256(block.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_names_are_shown_as_they_are():
    text = KINDS["names_that_attack"]()
    shown = {cell for line in table_of(text) for cell in line}
    for name in WICKED[:9]:
        assert name in shown
    assert "right \\u202e to left \\x00\\x07 control \\ud800 half" in shown
    assert "x" * 10_000 + "<b>end</b>" in words(text)
    assert "49" not in [cell for line in table_of(text) for cell in line[1:2]]  # {{7*7}}


@pytest.mark.usefixtures("blank_pictures")
def test_the_table_has_the_figures_of_the_model():
    X, score = rows()
    model = FGMClassifier(4, C="fast").fit(X, score > 0)
    text = report(model, X, score > 0, cv=None)
    found = table_of(text)
    order = np.argsort(-np.abs(model.weights_[0]), kind="stable")
    spread = X[:, model.support_ids_].std(axis=0)
    correlations = np.corrcoef(X.T)
    for line, place in zip(found, order, strict=True):
        own, weight = model.support_ids_[place], model.weights_[0, place]
        others = np.setdiff1d(np.arange(12), model.support_ids_)
        nearest = others[np.argmax(np.abs(correlations[own, others]))]
        assert line[1:4] == [f"x{own}", f"{weight:+.4g}", f"for {weight > 0}"]
        assert line[4] == f"{abs(weight) * spread[place]:.4g}"
        name, _, flag = line[5].partition(" ")
        assert name == f"x{nearest}"
        assert bool(flag) == (abs(correlations[own, nearest]) >= 0.8)
        assert line[6] == f"{correlations[own, nearest]:+.2f}"
    assert explain_gap(model) in words(text)


@pytest.mark.usefixtures("blank_pictures")
def test_held_out_rows_are_those_of_folds():
    X, score = rows()
    y = np.array(["b", "a", "c"])[np.digitize(score, [-1, 1])]
    model = GreedyRLSClassifier(3).fit(X, y)
    held_out = predict_folds(Subject(model, X, y), 4, random_state=7)
    folds = StratifiedKFold(4, shuffle=True, random_state=7)
    expected = cross_val_predict(GreedyRLSClassifier(3), X, y, cv=folds)
    assert [held_out.truth.names[c] for c in held_out.predicted] == expected.tolist()
    scores = cross_val_predict(GreedyRLSClassifier(3), X, y, cv=folds, method="decision_function")
    np.testing.assert_allclose(held_out.scores, scores)
    text = words(report(model, X, y, cv=4, random_state=7))
    assert f"{(expected == y).mean():.1%}" in text
    counts = confusion_matrix(y, expected)
    assert f"{np.trace(counts)} of 120 are on the diagonal" in text
    areas = [roc_auc_score(y == c, scores[:, j]) for j, c in enumerate("abc")]
    assert f"{np.mean(areas):.3f}" in text


@pytest.mark.usefixtures("blank_pictures")
def test_held_out_rows_are_those_given():
    X, score = rows()
    model = FGMRegressor(3, C="fast").fit(X[:80], score[:80])
    text = words(report(model, X[:80], score[:80], held_out=(X[80:], score[80:])))
    assert f"{r2_score(score[80:], model.predict(X[80:])):.3f}" in text
    assert "40 rows that were given as held out" in text
    assert f"{r2_score(score[:80], model.predict(X[:80])):.3f}" not in text


@pytest.mark.usefixtures("blank_pictures")
def test_labels_are_judged_by_the_measure_that_was_selected_for():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 10))
    Y = (X[:, :2] > 0.5).astype(int)
    model = FGMClassifier(2, loss="prbep", C="fast").fit(X[:40], Y[:40])
    subject = Subject(model, X, Y)
    judged = how_good(predict_rows(subject, X[40:], Y[40:]), PRBEP())
    (figure,) = [one for one in judged.figures if one.name == "prbep"]
    expected = macro_measure_score(Y[40:], model.decision_function(X[40:]), "prbep")
    assert (figure.value, figure.note) == (
        f"{expected:.3f}",
        "what was selected for, the mean over labels",
    )


@pytest.mark.usefixtures("blank_pictures")
@pytest.mark.parametrize("loss", ["f1", "squared_hinge"])
def test_the_first_figure_is_what_was_selected_for(loss):
    X, score = rows()
    y = score > np.quantile(score, 0.9)  # accuracy would flatter: guessing has 90 %
    model = FGMClassifier(2, C="fast", loss=loss).fit(X, y)
    good = how_good(predict_folds(Subject(model, X, y), 3), FBeta(1) if loss == "f1" else None)
    name = "f1" if loss == "f1" else "accuracy"
    assert good.headline.name == name
    in_short = words(report(model, X, y, cv=3)).split("What was asked")[0]
    assert f"{name}, held-out rows" in in_short
    assert good.headline.value in in_short


@pytest.mark.usefixtures("blank_pictures")
def test_what_folds_choose_is_counted():
    X, score = rows()
    model = GreedyRLSRegressor(2).fit(X, score)
    held_out = predict_folds(Subject(model, X, score), 3)
    agreement = held_out.agreement
    assert agreement.shares.sum() == pytest.approx(2.0)
    found = table_of(report(model, X, score, cv=3))
    known = dict(zip(agreement.ids, agreement.shares, strict=True))
    for line in found:
        assert line[5] == f"{known[int(line[1][1:])]:.0%}"


def test_one_chosen_feature_is_one():
    X, score = rows()
    search = SelectKCV(GreedyRLSRegressor(), [1], cv=3).fit(X, score)
    page = report(search, X, score, cv=None)
    assert "1 feature, chosen among 1 by 3 folds" in words(page)
    assert "chosen: 1 feature<" in page


@pytest.mark.usefixtures("blank_pictures")
def test_a_search_brings_its_path_and_a_stability_selection_its_shares():
    X, score = rows()
    search = SelectKCV(GreedyRLSRegressor(), [1, 2, 4], cv=3, nested=2).fit(X, score)
    text = words(report(search, X, score, cv=None))
    assert f"{search.n_features_} features, chosen among 1, 2, 4 by 3 folds" in text
    for line in str(search.honesty_).replace("+-", "±").split("\n"):
        assert line in text
    stable = StabilitySelection(GreedyRLSRegressor(3), 5, threshold=0.6, random_state=0)
    stable.fit(X, score)
    page_ = report(stable, X, score, cv=None, feature_names=[f"gene {j}" for j in range(12)])
    shares = stable.selection_probabilities_
    for line in table_of(page_):
        assert line[5] == f"{shares[0, int(line[1].split()[1])]:.0%}"
    both = report(search.best_estimator_, X, score, cv=None, search=search, stability=stable)
    assert f"{stable.stability_.value:.2f} over 10 fits" in words(both)
    assert "chosen among 1, 2, 4" in words(both)


def test_checks_of_the_data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 8))
    X[:, 1], X[:, 2], X[:, 3] = 5.0, X[:, 0], 1e4 * X[:, 3]
    X[10] = X[11] = X[12]
    y = np.repeat([0, 1], [57, 3])
    for matrix in (X, sp.csr_array(X), sp.csc_array(X)):
        subject = Subject(FGMClassifier(2, C="fast").fit(matrix, y), matrix, y)
        checks = data_checks(subject)
        found = {one.name: one.value for one in checks.findings}
        assert found["constant columns"] == "1"
        assert found["repeated columns"] == "1"
        assert found["repeated rows"] == "2"
        assert found["rare classes"] == "1"
        assert [one.name for one in checks.findings if one.is_odd] == [
            "constant columns",
            "repeated columns",
            "spread (standard deviation) of columns",
            "repeated rows",
            "rare classes",
        ]
        assert checks.classes == [("0", 57, 0.95), ("1", 3, 0.05)]
    other = X.copy()
    other[0, 0] += 1e-9
    prints = {
        data_checks(Subject(FGMClassifier(2, C="fast").fit(Z, y), Z, y)).fingerprint
        for Z in (X, X.copy(), other)
    }
    assert len(prints) == 2


def test_missing_values_are_those_given():
    text = words(KINDS["mixed_table"]())
    assert re.search(r"missing values\s*12", text)


@pytest.mark.usefixtures("blank_pictures")
@pytest.mark.parametrize("kind", ["store", "dask", "sparse", "float32", "pipeline"])
def test_data_elsewhere_and_otherwise(kind):
    X, score = rows()
    y = score > 0
    model, data = FGMClassifier(3, C="fast"), X
    if kind == "store":
        data = stored(X)
    elif kind == "dask":
        data = da.from_array(X, chunks=(40, 12))
    elif kind == "sparse":
        data = sp.csr_array(X)
    elif kind == "float32":
        data = X.astype(np.float32)
    else:
        model = make_pipeline(StandardScaler(), model)
    text = report(model.fit(data, y), data, y, cv=2)
    expected = FGMClassifier(3, C="fast").fit(X, y)
    assert {line[1] for line in table_of(text)} == {f"x{j}" for j in expected.support_ids_}
    assert "each predicted by a model that was selected and fitted without it, in 2 folds" in words(
        text
    )


def test_runners_up_of_features_that_are_made():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 6))
    X[:, 4] = X[:, 1] + 0.01 * rng.standard_normal(100)
    y = X[:, 0] * X[:, 1]
    model = FGMRegressor(1, C="fast", space=Polynomial()).fit(X, y)
    [name] = model.get_feature_names_out()
    found = runners_up(Subject(model, X, y), [0])[0]
    assert {name, found.name} == {"x0 x1", "x0 x4"}
    assert found.correlation > 0.99


@pytest.mark.usefixtures("blank_pictures")
def test_large_reports_are_cut_and_say_so():
    X, score = rows()
    names = [f"{j}{'n' * 9000}" for j in range(12)]
    table = pd.DataFrame(X, columns=names)
    subject = Subject(FGMRegressor(5, C="fast").fit(table, score), table, score)
    whole = page_of(subject)
    cut = page_of(subject, largest=len(whole.encode()) - 1)
    assert len(cut) < len(whole)
    assert "characters left out" in words(cut)
    assert names[0] not in words(cut)
    few = words(page_of(subject, steps=[Limits(n_rows=3, n_pictures=1, longest_name=50)]))
    assert "2 features with smaller weights are not listed" in few
    assert "Pictures are of the 1 with the largest weights." in few


@pytest.mark.usefixtures("blank_pictures")
def test_file_and_text_are_the_same(tmp_path):
    X, score = rows()
    out = tmp_path / "r.html"
    text = report(FGMRegressor(2, C="fast").fit(X, score), X, score, out, cv=None)
    assert out.read_text(encoding="utf-8") == text
    with pytest.raises(OSError, match="does not exist"):
        report(FGMRegressor(2, C="fast").fit(X, score), X, score, tmp_path / "no" / "r.html")


@pytest.mark.usefixtures("blank_pictures")
def test_rare_classes_have_fewer_folds_or_none():
    X, _ = rows()
    y = np.zeros(120, dtype=int)
    y[:3] = 1
    model = GreedyRLSClassifier(2).fit(X, y)
    assert "in 3 folds" in predict_folds(Subject(model, X, y), 5).how
    y[1:3] = 0
    model = GreedyRLSClassifier(2).fit(X, y)
    assert predict_folds(Subject(model, X, y), 5) is None
    assert "Nothing was held out" in words(report(model, X, y))


def test_refusals():
    X, score = rows()
    with pytest.raises(NotFittedError):
        report(FGMRegressor(), X, score)
    with pytest.raises(TypeError, match="LinearSVC has no features with weights to report on"):
        report(LinearSVC().fit(X, score > 0), X, score > 0)
    model = FGMRegressor(2, C="fast").fit(X, score)
    with pytest.raises(ValueError, match="held_out must be a pair"):
        report(model, X, score, held_out=X)
    stable = StabilitySelection(GreedyRLSRegressor(1), 2, threshold=1.0, random_state=0)
    stable.fit(X, np.random.default_rng(0).standard_normal(120))
    assert stable.n_features_ == 0
    with pytest.raises(ValueError, match="no feature is stable, so there is nothing to report"):
        report(stable, X, score)


def test_labels_as_text_beside_numbers():
    X, score = rows()
    y = (score > 0).astype(int)
    model = FGMClassifier(2, C="fast").fit(X, y)
    subject = Subject(model, X, y)
    as_text = predict_rows(subject, X, pd.Series(y.astype(str)))
    np.testing.assert_array_equal(as_text.truth.values, y)
