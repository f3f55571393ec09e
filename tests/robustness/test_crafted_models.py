"""Model files that a stranger made: sizes and checksums are right, and what they say is not."""

import json
import os
import tracemalloc

import numpy as np
import pytest
from attack.models import parts_of, write

from handful import DirectSparsityClassifier, FGMClassifier, GreedyRLSClassifier, MILESClassifier
from handful.cli import main
from handful.io import InputError, archive, load_model, save_model
from handful.io.fitted import NEEDED
from handful.spaces import Polynomial
from handful.validation import schema

RNG = np.random.default_rng(0)
X = RNG.standard_normal((40, 9))
Y = (X[:, 2] - X[:, 5] > 0).astype(int)
MODELS = {
    "plain": FGMClassifier(2, C="fast"),
    "greedy": GreedyRLSClassifier(2, groups=np.arange(9) // 3),
    "pairs": FGMClassifier(2, space=Polynomial(), C="fast"),
    "direct": DirectSparsityClassifier(2),
    "instances": MILESClassifier(2, C="fast"),
}
JUNK = [None, True, -1, 1.5, "x", [], {}, [1], {"array": "absent"}, {"float": "nan"}, 10**30]


@pytest.fixture(scope="module", params=MODELS)
def content(request, tmp_path_factory):
    """The manifest and the members of a model file."""
    path = tmp_path_factory.mktemp("models") / "m.handful"
    save_model(MODELS[request.param].fit(X, Y), path, about={"target": "y", "first_index": 0})
    return parts_of(path)


def refused(path, words=""):
    with pytest.raises(InputError) as caught:
        load_model(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    assert words in message


def test_every_field_of_the_manifest(content, tmp_path):
    manifest, members = content
    for name in (*manifest, "members"):
        write(tmp_path / "m", {key: manifest[key] for key in manifest if key != name}, members)
        if name != "members":
            refused(tmp_path / "m", name)
        for junk in JUNK:
            if (name, junk) in [("handful", "x"), ("parameters", {})]:
                continue  # another version of handful; the defaults
            write(tmp_path / "m", manifest | {name: junk}, members)
            with pytest.raises(InputError):
                load_model(tmp_path / "m")
    for odd in JUNK:
        write(tmp_path / "m", odd, members)
        refused(tmp_path / "m")


def test_every_fitted_attribute(content, tmp_path):
    """One that is missing or of another kind is refused; those that are right by chance work."""
    manifest, members = content
    sentences = []
    for name in manifest["fitted"]:
        left = {key: value for key, value in manifest["fitted"].items() if key != name}
        for fitted in [left, *(left | {name: junk} for junk in JUNK)]:
            write(tmp_path / "m", manifest | {"fitted": fitted}, members)
            try:
                load_model(tmp_path / "m").predict(X)
            except InputError as error:
                sentences.append(str(error))
    assert len(sentences) > 0.8 * len(manifest["fitted"]) * (len(JUNK) + 1)
    assert all("that does not make sense" in sentence for sentence in sentences)


@pytest.mark.parametrize("name", NEEDED["FGMClassifier"])
def test_what_a_model_needs_is_missed(name, tmp_path):
    save_model(FGMClassifier(2, C="fast").fit(X, Y), tmp_path / "m")
    manifest, members = parts_of(tmp_path / "m")
    del manifest["fitted"][name]
    members.pop(f"arrays/{name}.npy", None)
    write(tmp_path / "m", manifest, members)
    refused(tmp_path / "m", f"({name} is missing)")


def test_a_member_is_named_once(tmp_path):
    """Named two thousand times, eight megabytes took twelve gigabytes."""
    save_model(FGMClassifier(2, C="fast").fit(X, Y), tmp_path / "m")
    manifest, members = parts_of(tmp_path / "m")
    again = {f"a{j}_": manifest["fitted"]["support_ids_"] for j in range(2000)}
    write(tmp_path / "m", manifest | {"fitted": manifest["fitted"] | again}, members)
    refused(tmp_path / "m", "is not there, or named twice")
    write(tmp_path / "m", manifest, members | {"arrays/guest.npy": members["arrays/weights_.npy"]})
    refused(tmp_path / "m", "nothing names the member arrays/guest.npy")


@pytest.mark.parametrize("depth", [60, 100_000])
def test_nesting_has_an_end(depth, tmp_path):
    save_model(FGMClassifier(2, C="fast").fit(X, Y), tmp_path / "m")
    manifest, members = parts_of(tmp_path / "m")
    write(
        tmp_path / "m", manifest | {"about": "HERE"}, members, ('"HERE"', "[" * depth + "]" * depth)
    )
    refused(tmp_path / "m", "it is nested too deeply")


@pytest.mark.parametrize(
    "options", [{"groups": [[0, 2], [2, 5]]}, {"space": Polynomial()}, {}], ids=str
)
def test_nothing_of_the_size_of_all_features_is_made(options, tmp_path, capsys):
    """A few kilobytes that speak of 2,000,000,000 columns."""
    save_model(FGMClassifier(2, C="fast", **options).fit(X, Y), tmp_path / "m")
    manifest, members = parts_of(tmp_path / "m")
    manifest["fitted"]["n_features_in_"] = 2_000_000_000
    write(tmp_path / "m", manifest, members)
    load_model(tmp_path / "m")
    rows = tmp_path / "a.svm"
    rows.write_text("1 1:0.5 3:-1 6:2\n0 2:1 3:1 6:-0.5\n")
    tracemalloc.start()
    try:
        model = str(tmp_path / "m")
        for command in (
            ["inspect", model],
            ["inspect", model, "--json"],
            ["predict", model, str(rows)],
        ):
            assert main(command) == 0, capsys.readouterr().err
        # A bit for each column where predictions pick theirs from rows.
        assert tracemalloc.get_traced_memory()[1] < 2**25 + 2_000_000_000 / 8
    finally:
        tracemalloc.stop()


def test_a_manifest_has_a_bound(tmp_path):
    save_model(FGMClassifier(2, C="fast").fit(X, Y), tmp_path / "m")
    manifest, members = parts_of(tmp_path / "m")
    write(tmp_path / "m", manifest | {"more": " " * archive.MOST_BYTES}, members)
    refused(tmp_path / "m", f"the manifest has more than {archive.MOST_BYTES} bytes")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_no_model(tmp_path):
    os.mkfifo(tmp_path / "m")
    refused(tmp_path / "m", "is a pipe or a device")


def test_rounds_cannot_steer_a_terminal(tmp_path):
    save_model(FGMClassifier(2, C="fast").fit(X, Y), tmp_path / "m")
    manifest, members = parts_of(tmp_path / "m")
    manifest["fitted"]["history_"]["history"][0]["phase"] = "\x1b[2Jgone"
    write(tmp_path / "m", manifest, members)
    refused(tmp_path / "m", "its phase is not a word")


def test_a_deep_list_is_walked_without_recursion():
    value = []
    for _ in range(schema.DEEPEST - 1):
        value = [value]
    assert schema.parse_json(json.dumps(value)) == value
    with pytest.raises(ValueError, match="nested too deeply"):
        schema.parse_json(json.dumps([value]))
