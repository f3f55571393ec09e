"""Saved models of groups and of features made from X: small files, and strange ones refused."""

import os

import numpy as np
import pytest
from saved_models import LABELS, SCORE, X, alter, put, same
from scipy import sparse

from handful import FGMClassifier
from handful.io import InputError, load_model, save_model
from handful.io.archive import read_archive
from handful.io.model_file import FORMAT
from handful.spaces import AdditiveKernel, FeatureSpace, HistogramIntersection, Polynomial


class OnlyFirst(FeatureSpace):
    """A space of the user's own: the first column."""

    def on(self, X):
        space = OnlyFirst()
        space.n_samples, space.n_features, space.dtype, space.X = len(X), 1, X.dtype, X
        return space

    def columns(self, ids):
        return self.X[:, ids].astype(np.float64)


def test_a_space_of_ones_own_is_refused(tmp_path):
    model = FGMClassifier(1, space=OnlyFirst(), C="fast").fit(X, SCORE > 0)
    with pytest.raises(InputError) as caught:
        save_model(model, tmp_path / "m")
    assert str(caught.value) == (
        "space is a OnlyFirst, which a model file cannot hold as it opens without running code; "
        "of the spaces only AdditiveKernel, BagSimilarity, HistogramIntersection, Polynomial, Substrings can be saved"
    )
    assert os.listdir(tmp_path) == []


def test_a_class_that_only_has_the_name_is_refused(tmp_path):
    impostor = type("Polynomial", (Polynomial,), {})
    model = FGMClassifier(1, space=impostor(), C="fast").fit(X, SCORE > 0)
    with pytest.raises(InputError, match="space is a Polynomial, which a model file cannot hold"):
        save_model(model, tmp_path / "m")


@pytest.mark.parametrize(
    "groups", [[{0, 3, 8}, {8, 11}], [range(4), range(8, 12)], [frozenset({3}), np.array([8])]]
)
def test_groups_of_any_kind_are_saved_as_ids(tmp_path, groups):
    model = FGMClassifier(2, groups=groups, C="fast").fit(X, SCORE > 0)
    save_model(model, tmp_path / "m")
    again = load_model(tmp_path / "m")
    assert [ids.tolist() for ids in again.groups] == [sorted(ids) for ids in groups]
    assert again.fit(X, SCORE > 0).support_ids_.tolist() == model.support_ids_.tolist()


def test_labels_from_a_data_frame(tmp_path):
    pd = pytest.importorskip("pandas", reason="needs pandas")
    model = FGMClassifier(2, groups=pd.Series(LABELS), C="fast").fit(X, SCORE > 0)
    save_model(model, tmp_path / "m")
    assert load_model(tmp_path / "m").groups.tolist() == LABELS.tolist()


def test_many_groups_are_few_members(tmp_path):
    groups = [np.array([j % 15]) for j in range(3000)]
    save_model(FGMClassifier(2, groups=groups, C="fast").fit(X, SCORE > 0), tmp_path / "m")
    _, members = read_archive(tmp_path / "m", FORMAT, 1)
    assert len(members) < 20
    assert len(load_model(tmp_path / "m").groups) == 3000


@pytest.mark.parametrize("space", [Polynomial(), HistogramIntersection(), AdditiveKernel()])
def test_the_file_does_not_grow_with_the_columns(tmp_path, space):
    wide = sparse.random_array((40, 200_000), density=1e-4, format="csc", rng=0)
    model = FGMClassifier(3, space=space, C="fast").fit(wide, np.arange(40) % 2)
    save_model(model, tmp_path / "m")
    assert (tmp_path / "m").stat().st_size < 30_000
    same(load_model(tmp_path / "m").transform(wide), model.transform(wide))


def test_names_of_the_input_are_kept_and_checked(tmp_path):
    pd = pytest.importorskip("pandas", reason="needs pandas")
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(15)])
    model = FGMClassifier(3, space=Polynomial(), C="fast").fit(frame, SCORE > 0)
    save_model(model, tmp_path / "m")
    again = load_model(tmp_path / "m")
    assert again.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
    assert all(name.startswith("c") for name in again.get_feature_names_out())
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    with pytest.raises(ValueError, match="feature names"):
        again.predict(frame[frame.columns[::-1]])


def learnt(manifest, **changes):
    """Change what the space of the model has learnt."""
    manifest["fitted"]["space_"]["space"][2].update(changes)


INTERSECTION = HistogramIntersection(n_levels=2)
GAUSSIAN = AdditiveKernel(n_components=2)


@pytest.mark.parametrize(
    ("space", "change", "words"),
    [
        (Polynomial(), lambda m, _: m["fitted"]["space_"].update(space=["Popen", {}, {}]), "Popen"),
        (Polynomial(), lambda m, _: learnt(m, edges=1), "learns nothing"),
        (Polynomial(), lambda m, _: m["fitted"].pop("space_"), "space_"),
        (Polynomial(), put("support_ids_", [0, 1, 135]), "points outside the features"),
        (Polynomial(), put("support_ids_", [-1, 1, 2]), "points outside the features"),
        (Polynomial(), put("support_ids_", [1, 2]), "different lengths"),
        (
            Polynomial(),
            lambda m, _: m["fitted"].update(n_features_in_=2**62),
            "does not make sense",
        ),
        (Polynomial(), lambda m, _: m["fitted"]["space_"]["space"][1].update(gamma=-1), "gamma"),
        (Polynomial(), lambda m, _: m["fitted"]["space_"]["space"][1].update(run=1), "run"),
        (INTERSECTION, lambda m, _: learnt(m, edges=3), "does not make sense"),
        (INTERSECTION, put("space_.ids", [3, 2, 1]), "not in order"),
        (INTERSECTION, put("space_.ids", [0, 1, 2]), "remembers nothing of feature"),
        (INTERSECTION, put("space_.ids", [0, 1, 99]), "99"),
        (INTERSECTION, put("space_.ids", [3, 8]), "argument"),
        (INTERSECTION, put("space_.n_edges", [3, 3, 4]), "do not add up"),
        (INTERSECTION, put("space_.n_edges", [-3, 3, 9]), "do not add up"),
        (INTERSECTION, put("space_.n_edges", [2, 3, 4]), "do not rise from zero"),
        (INTERSECTION, put("space_.edges", [0.0, 1.0, np.inf] * 3), "do not rise from zero"),
        (INTERSECTION, put("space_.edges", [0, 1, 2] * 3), "do not rise from zero"),
        (INTERSECTION, put("weights_", np.ones((1, 5))), "different lengths"),
        (GAUSSIAN, put("space_.nodes", [0.0, 1.0, 2.0]), "not as many as its components"),
        (GAUSSIAN, put("space_.nodes", [0.0, np.nan]), "finite"),
        (GAUSSIAN, put("space_.widths", [2, 2, 1]), "do not add up"),
        (GAUSSIAN, put("space_.factors", [[1.0] * 12]), "do not add up"),
        (GAUSSIAN, put("space_.scale", [1.0]), "dimension"),
    ],
)
def test_strange_spaces_are_refused(tmp_path, space, change, words):
    path = tmp_path / "m.handful"
    save_model(FGMClassifier(3, space=space, C="fast").fit(X, SCORE > 0), path)
    load_model(path)
    alter(path, change)
    with pytest.raises(InputError) as caught:
        load_model(path)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("group_support_", [0.5]), "group_support_ is not ids"),
        (put("group_support_", [-1, 2]), "points outside the groups"),
        (put("group_support_", [0, 5]), "points outside the groups"),
        (put("group_labels_", np.arange(3)), "number of group labels"),
        (put("groups", np.arange(3)), "one label for each of the 15 features"),
    ],
)
def test_strange_groups_are_refused(tmp_path, change, words):
    path = tmp_path / "m.handful"
    save_model(FGMClassifier(2, groups=LABELS, C="fast").fit(X, SCORE > 0), path)
    alter(path, change)
    with pytest.raises(InputError, match=words):
        load_model(path)
