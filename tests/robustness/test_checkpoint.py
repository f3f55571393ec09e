"""A killed fit goes on to the identical result; a checkpoint of anything else is refused."""

import errno
import os
import pickle
import signal

import children
import numpy as np
import pytest
from problems import two_classes

from handful import FGMClassifier
from handful.files import OutputError
from handful.losses import Logistic, Loss, SquaredHinge
from handful.methods.checkpoint_file import fingerprint

posix = pytest.mark.skipif(os.name != "posix", reason="SIGKILL is POSIX's")
every_fit = pytest.mark.parametrize("name", children.FITS)


@pytest.fixture(scope="module")
def uninterrupted():
    """Each fit without a checkpoint, made once."""
    fitted = {}

    def get(name):
        if name not in fitted:
            estimator, data = children.make(name)
            fitted[name] = estimator.fit(*data)
        return fitted[name]

    return get


def rounds(model):
    return [(r.number, r.phase, r.n_active, r.objective, r.bound) for r in model.history_]


def identical(model, expected):
    """To the last bit, all but the seconds."""
    for attribute in ("support_ids_", "weights_", "intercept_", "objective_", "dual_gap_", "C_"):
        np.testing.assert_array_equal(getattr(model, attribute), getattr(expected, attribute))
    assert rounds(model) == rounds(expected)
    assert model.status_ is expected.status_
    assert model.n_iter_ == expected.n_iter_


def resume(name, path, **more):
    """Fit with the checkpoint; return the model and the rounds that were still to do."""
    seen = []
    estimator, data = children.make(name, checkpoint=path, verbose=seen.append, **more)
    return estimator.fit(*data), [record.number for record in seen]


def rounds_after(model, number):
    """What is to do after a round was saved; a refit is not saved, and is made again."""
    last = len(model.history_)
    first = number + 1 if model.history_[-1].phase != "refit" else min(number + 1, last)
    return list(range(first, last + 1))


@every_fit
def test_a_checkpoint_changes_nothing(name, tmp_path, uninterrupted):
    model, done = resume(name, tmp_path / "c")
    identical(model, uninterrupted(name))
    assert done == list(range(1, len(model.history_) + 1))
    assert os.listdir(tmp_path) == ["c"]


@posix
@every_fit
def test_killed_after_any_round(name, tmp_path, uninterrupted, fewer):
    """Some of them, or all; the next test is of all too, of one fit."""
    expected = uninterrupted(name)
    n_rounds = len(expected.history_)
    for number in range(1, n_rounds + 1, n_rounds // fewer(n_rounds, part=3)):
        path = tmp_path / f"c{number}"
        assert children.in_child(children.fit_and_die_after, name, path, number) == -signal.SIGKILL
        model, done = resume(name, path)
        identical(model, expected)
        assert done == rounds_after(expected, number)


@posix
@every_fit
def test_killed_after_every_round(name, tmp_path, uninterrupted):
    """One round in each process."""
    expected, path = uninterrupted(name), tmp_path / "c"
    for number in range(1, len(expected.history_) + 1):
        assert children.in_child(children.fit_and_die_after, name, path, number) == -signal.SIGKILL
    model, done = resume(name, path)
    identical(model, expected)
    assert done == rounds_after(expected, number)


@posix
@pytest.mark.parametrize("step", ["writing", "flushing", "renaming"])
@pytest.mark.parametrize("number", [1, 2, 4])
@pytest.mark.parametrize("name", ["plain", "exactly k"])
def test_killed_while_saving(name, number, step, tmp_path, uninterrupted):
    """The file holds the round before, whole; of the first round there is no file."""
    path = tmp_path / "c"
    code = children.in_child(children.fit_and_die_while_saving, name, path, number, step)
    assert code == -signal.SIGKILL
    assert path.exists() == (number > 1)
    model, done = resume(name, path)
    identical(model, uninterrupted(name))
    assert done[0] == number


@posix
def test_killed_from_outside(tmp_path, uninterrupted):
    path = tmp_path / "c"
    pipe, other = children.context.Pipe()
    process = children.start(children.fit_slowly, "exactly k", path, other)
    while pipe.recv() < 3:
        pipe.send(None)
    process.kill()
    process.join(children.WAIT)
    model, done = resume("exactly k", path)
    identical(model, uninterrupted("exactly k"))
    assert done[0] == 4


@every_fit
def test_a_complete_fit_again_is_done_at_once(name, tmp_path, uninterrupted):
    resume(name, tmp_path / "c")
    content = (tmp_path / "c").read_bytes()
    model, done = resume(name, tmp_path / "c")
    identical(model, uninterrupted(name))
    assert done == rounds_after(model, len(model.history_))
    assert (tmp_path / "c").read_bytes() == content


def test_how_to_run_may_change(tmp_path, uninterrupted):
    resume("exactly k", tmp_path / "c")
    model, done = resume("exactly k", tmp_path / "c", n_jobs=1, warm_start=True)
    np.testing.assert_allclose(model.weights_, uninterrupted("exactly k").weights_)
    assert done == rounds_after(model, len(model.history_))


def test_memory_order_may_change(tmp_path):
    X, y = two_classes()
    FGMClassifier(5, checkpoint=tmp_path / "c", C="fast").fit(X, y)
    seen = []
    FGMClassifier(5, checkpoint=tmp_path / "c", verbose=seen.append, C="fast").fit(
        np.asfortranarray(X), y
    )
    assert [record.phase for record in seen] == ["refit"]


def another_entry(X, y):
    changed = X.copy()
    changed[7, 55] += 1e-9
    return changed, y


OTHERS = {
    "k": ({"n_features_to_select": 6}, None),
    "C": ({"C": 2.0}, None),
    "loss": ({"loss": "logistic"}, None),
    "tol": ({"tol": 0.02}, None),
    "budget": ({"budget": 11}, None),
    "solver": ({"solver": "ksupport"}, None),
    "scale": ({"scale": "norm"}, None),
    "fit_intercept": ({"fit_intercept": False}, None),
    "include": ({"include": [50]}, None),
    "class_weight": ({"class_weight": {0: 2.0}}, None),
    "one entry of X": ({}, another_entry),
    "order of columns": ({}, lambda X, y: (X[:, ::-1], y)),
    "order of rows": ({}, lambda X, y: (X[::-1], y[::-1])),
    "type of X": ({}, lambda X, y: (X.astype(np.float32), y)),
    "one label": ({}, lambda X, y: (X, np.where(np.arange(len(y)) == 5, 1 - y, y))),
    "weights": ({}, lambda X, y: (X, y, np.where(np.arange(len(y)) == 5, 2.0, 1.0))),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_data_or_parameters_are_refused(name, tmp_path):
    path = tmp_path / "c"
    X, y = two_classes()
    FGMClassifier(5, checkpoint=path, C="fast").fit(X, y)
    content = path.read_bytes()
    parameters, change = OTHERS[name]
    model = FGMClassifier(**{"n_features_to_select": 5, "checkpoint": path} | parameters)
    with pytest.raises(
        ValueError, match="belongs to other data or other parameters; remove it or c"
    ):
        model.fit(*(change(X, y) if change else (X, y)))
    assert path.read_bytes() == content
    assert not hasattr(model, "support_ids_")


def test_the_refusal_names_the_file(tmp_path):
    path = tmp_path / "my checkpoint"
    FGMClassifier(5, checkpoint=path, C="fast").fit(*two_classes())
    with pytest.raises(ValueError, match=r"The checkpoint .*my checkpoint belongs to"):
        FGMClassifier(6, checkpoint=path, C="fast").fit(*two_classes())


class Touched:
    """Leaves a trace when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("unpickled",)


def write_foreign(kind, path):
    header = np.frombuffer(b'["handful checkpoint 1"]', dtype=np.uint8)
    with open(path, "wb") as file:
        match kind:
            case "empty":
                pass
            case "text":
                file.write(b"round 1: all well\n")
            case "array":
                np.save(file, np.ones(3))
            case "arrays":
                np.savez(file, ids=np.arange(3))
            case "pickle":
                file.write(pickle.dumps(Touched()))
            case "pickled array":
                np.savez(file, header=np.array([Touched()], dtype=object))
            case "other header":
                np.savez(file, header=header)
            case "another format":
                other = b'{"format": "handful checkpoint 0", "key": ""}'
                np.savez(file, header=np.frombuffer(other, dtype=np.uint8))


FOREIGN = ["empty", "text", "array", "arrays", "pickle", "pickled array", "other header"]


@pytest.mark.parametrize("kind", [*FOREIGN, "another format"])
def test_a_foreign_file_is_refused_and_kept(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_foreign(kind, "c")
    content = (tmp_path / "c").read_bytes()
    with pytest.raises(ValueError, match="The checkpoint c cannot be read: it is damaged or not a"):
        FGMClassifier(5, checkpoint="c", C="fast").fit(*two_classes())
    assert (tmp_path / "c").read_bytes() == content
    assert os.listdir(tmp_path) == ["c"]


def test_a_damaged_file_is_refused(tmp_path, uninterrupted):
    """Cut short anywhere, or any byte changed: refused, or harmless."""
    path = tmp_path / "c"
    resume("exactly k", path)
    content = path.read_bytes()
    for length in range(0, len(content) - 1, 97):
        path.write_bytes(content[:length])
        with pytest.raises(ValueError, match="cannot be read"):
            resume("exactly k", path)
    n_refused = 0
    for where in range(0, len(content), 53):
        changed = bytearray(content)
        changed[where] ^= 0x55
        path.write_bytes(changed)
        try:
            model, _ = resume("exactly k", path)
        except ValueError as error:
            assert "cannot be read" in str(error) or "belongs to other data" in str(error)  # noqa: PT017
            n_refused += 1
        else:
            identical(model, uninterrupted("exactly k"))
    assert n_refused > 80


def fill_disk_at(monkeypatch, number):
    """From this save on there is no space left; return how to make some."""
    fsync, count = os.fsync, {"saves": 0}

    def full(handle):
        count["saves"] += 1
        if count["saves"] >= number:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return fsync(handle)

    monkeypatch.setattr(os, "fsync", full)


@pytest.mark.parametrize("name", ["plain", "exactly k"])
def test_a_full_disk(name, tmp_path, monkeypatch, uninterrupted):
    """One sentence; the round before is intact, and the fit goes on once there is space."""
    path = tmp_path / "c"
    with monkeypatch.context() as patch:
        fill_disk_at(patch, 7)  # a save flushes the file, then the folder
        estimator, data = children.make(name, checkpoint=path)
        with pytest.raises(OutputError) as caught:
            estimator.fit(*data)
    assert str(caught.value) == f"cannot write {path}: no space left on device"
    assert not hasattr(estimator, "support_ids_")
    assert os.listdir(tmp_path) == ["c"]
    model, done = resume(name, path)
    identical(model, uninterrupted(name))
    assert done[0] == 4


def test_a_really_full_disk(small_disk):
    """Half the file system is taken when the fit begins (skipped where mounting is not allowed)."""
    X, y = two_classes(n_samples=9000)
    path = small_disk / "c"
    (small_disk / "taken").write_bytes(b"x" * 100_000)
    with pytest.raises(OutputError, match="no space left on device"):
        FGMClassifier(3, checkpoint=path, C="fast").fit(X, y)
    assert sorted(os.listdir(small_disk)) in (["c", "taken"], ["taken"])


def test_a_folder_is_no_checkpoint(tmp_path):
    with pytest.raises(OutputError, match="it is a folder; give the name of a file"):
        FGMClassifier(3, checkpoint=tmp_path, C="fast").fit(*two_classes())


def test_the_path_may_be_text_or_a_path(tmp_path):
    FGMClassifier(3, checkpoint=str(tmp_path / "c"), C="fast").fit(*two_classes())
    seen = []
    FGMClassifier(3, checkpoint=tmp_path / "c", verbose=seen.append, C="fast").fit(*two_classes())
    assert [record.phase for record in seen] == ["refit"]


class TiltedHinge(SquaredHinge):
    """Someone's own loss, which holds a number and has Python's default repr."""

    __repr__ = object.__repr__

    def __init__(self, tilt):
        self.tilt = tilt


def test_a_loss_of_ones_own_is_known_again(tmp_path):
    X, y = two_classes()
    path = tmp_path / "c"
    FGMClassifier(3, loss=TiltedHinge(0.5), checkpoint=path, C="fast").fit(X, y)
    seen = []
    FGMClassifier(3, loss=TiltedHinge(0.5), checkpoint=path, verbose=seen.append, C="fast").fit(
        X, y
    )
    assert [record.phase for record in seen] == ["refit"]
    with pytest.raises(ValueError, match="belongs to other data or other parameters"):
        FGMClassifier(3, loss=TiltedHinge(0.6), checkpoint=path, C="fast").fit(X, y)


class TestFingerprint:
    def test_long_arrays_differ_in_one_place(self):
        one, other = np.arange(5000), np.arange(5000)
        other[2500] += 1
        assert repr(one) == repr(other)
        assert fingerprint(one) != fingerprint(other)

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (["a", "bc"], ["ab", "c"]),
            ([1, [2, 3]], [[1, 2], 3]),
            (1, True),
            (1, 1.0),
            (1, "1"),
            (None, "None"),
            ({1: 2.0}, {2: 1.0}),
            (np.arange(4), np.arange(4.0)),
            (np.zeros((2, 3)), np.zeros((3, 2))),
            (np.array(["a", None], dtype=object), np.array(["a", "None"], dtype=object)),
            (Logistic(), SquaredHinge()),
        ],
    )
    def test_different_values_differ(self, one, other):
        assert fingerprint(one) != fingerprint(other)

    @pytest.mark.parametrize(
        "make",
        [
            lambda: {"b": np.float64(0.5), "a": [1, None]},
            lambda: np.array(["x", "y"], dtype=object),
            lambda: TiltedHinge(0.25),
            Logistic,
            lambda: {1: "a", "1": "b", None: 3},
        ],
    )
    def test_equal_values_agree(self, make):
        assert fingerprint(make()) == fingerprint(make())

    def test_numpy_numbers_are_numbers(self):
        assert fingerprint(np.int64(3)) == fingerprint(3)
        assert fingerprint(np.array(2.0)[()]) == fingerprint(2.0)

    def test_a_loss_shows_what_it_holds(self):
        assert repr(SquaredHinge()) == "SquaredHinge()"
        assert Loss.__repr__(TiltedHinge(0.5)) == "TiltedHinge(tilt=0.5)"


class _Stopped(Exception):  # noqa: N818
    pass


@pytest.mark.parametrize("k", [None, 4])
@pytest.mark.parametrize("loss", ["f1", "roc_auc", "prec@20", "accuracy"])
def test_under_a_measure_every_round_can_be_taken_up(loss, k, tmp_path):
    """The mixture of cuts is part of a round: the model's predictions do not give it."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 12))
    y = X[:, :3].sum(axis=1) + rng.standard_normal(40) > 0.5
    options = {"n_features_to_select": k, "loss": loss, "max_rounds": 3, "budget": 3}
    expected = FGMClassifier(**options).fit(X, y)
    for number in range(1, len(expected.history_) + 1):
        path = tmp_path / f"c{number}.npz"

        def stop(record, number=number):
            if record.number == number:
                raise _Stopped

        with pytest.raises(_Stopped):
            FGMClassifier(**options, checkpoint=path, verbose=stop).fit(X, y)
        identical(FGMClassifier(**options, checkpoint=path).fit(X, y), expected)
