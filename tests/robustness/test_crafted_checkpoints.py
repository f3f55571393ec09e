"""Checkpoints of a stranger who knows the data: the key fits, and the arrays lead elsewhere."""

import io
import json
import os

import numpy as np
import pytest
from attack.checkpoints import FITS, fit, saved
from attack.runner import run_case

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a crash must not end the tests")


def arrays_of(name):
    with np.load(io.BytesIO(saved(name, 3))) as file:
        return dict(file)


def refused(name, arrays, path, method=np.savez):
    """Fit on with these arrays in a process of its own; a sentence is right, and a crash is not."""
    header = json.loads(bytes(arrays["header"])) | {"members": sorted({*arrays} - {"header"})}
    packed = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    method(path, **arrays | {"header": packed})

    def go_on(seed, folder):
        with pytest.raises(ValueError, match="cannot be read: it is damaged or not a checkpoint"):
            fit(name, checkpoint=path)

    fall = run_case("checkpoints", go_on, 0)
    assert fall is None, fall


@pytest.mark.parametrize("name", FITS)
def test_what_is_untouched_goes_on(name, tmp_path):
    path = tmp_path / "c.npz"
    path.write_bytes(saved(name, 3))
    assert fit(name, checkpoint=path).n_iter_ >= 3


@pytest.mark.parametrize(
    "name", [name for name in FITS if not name.startswith(("dictionary", "all columns"))]
)
@pytest.mark.parametrize("odd", [10**6, -1, 30])
def test_ids_that_point_elsewhere(name, odd, tmp_path):
    arrays = arrays_of(name)
    key = "units" if name == "greedy" else "ids"
    arrays[key] = np.append(arrays[key][:-1], odd)
    refused(name, arrays, tmp_path / "c.npz")


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("ids", lambda ids: np.append(ids[:-1], ids[0])),
        ("ids", lambda ids: ids.astype(np.int32)),
        ("ids", lambda ids: ids[None]),
        ("weights", lambda weights: weights[:-1]),
        ("weights", lambda weights: weights.astype(np.float32)),
        ("scores", lambda scores: scores[:-1]),
        ("a", lambda a: a[:, :0]),
        ("intercept", lambda intercept: intercept[:0]),
        ("cost", lambda cost: cost[None]),
        ("bound", lambda bound: bound[None]),
        ("blocks", lambda blocks: np.append(blocks[:-1], 10**6)),
        ("block_sizes", lambda sizes: sizes + 1),
        ("block_sizes", lambda sizes: -sizes),
    ],
)
def test_arrays_that_do_not_belong_together(key, change, tmp_path):
    arrays = arrays_of("plain")
    assert len(arrays["blocks"])
    refused("plain", arrays | {key: change(arrays[key])}, tmp_path / "c.npz")


def test_cuts_have_costs(tmp_path):
    arrays = arrays_of("f1")
    sizes = arrays["warm_cut_sizes"]
    changes = (
        {"warm_costs": arrays["warm_costs"][:-1]},
        {"warm_cuts": arrays["warm_costs"]},
        {"warm_cuts": arrays["warm_cuts"].astype(float)},
        {"warm_cut_sizes": sizes[:-1]},
        {"warm_cut_sizes": np.full_like(sizes, np.nan)},
    )
    for change in changes:
        refused("f1", arrays | change, tmp_path / "c.npz")
    del arrays["warm_cut_sizes"]
    refused("f1", arrays, tmp_path / "c.npz")


def with_one(number):
    """Change the first entry into this number."""

    def change(array):
        array = array.copy()
        array.flat[0] = number
        return array

    return change


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("weights", lambda weights: weights[:-1]),
        ("scores", with_one(np.inf)),
        ("intercept", lambda intercept: intercept[:0]),
        ("value", with_one(np.nan)),
        ("objective", lambda objective: objective[None]),
        ("mixture", lambda mixture: mixture[:-1]),
        ("found", lambda found: found[:, :-1]),
        ("found", with_one(np.nan)),
        ("found_costs", lambda costs: costs[:0]),
        ("n_steps", with_one(0)),
        ("n_steps", lambda n_steps: n_steps[None]),
        ("idle", with_one(-1)),
        ("way_tau", with_one(0.5)),
        ("way_tau", with_one(np.nan)),
        ("way_next_try", lambda number: number.astype(float)),
        ("cuts_signs", with_one(2)),
        ("cuts_signs", with_one(-128)),
        ("cuts_signs", lambda signs: signs.astype(np.int16)),
        ("cuts_signs", lambda signs: signs[:-1]),
        ("cuts_sizes", lambda sizes: sizes[:-1]),
        ("cuts_costs", lambda costs: costs[:0]),
        ("cuts_costs", lambda costs: costs[:, None]),
        ("cuts_sums", with_one(np.inf)),
        ("cuts_idle", with_one(-1)),
        ("cuts_idle", lambda idle: idle[:-1]),
        ("cuts_idle", lambda idle: idle.astype(float)),
        ("cuts_gram", lambda gram: gram[:-1]),
        ("cuts_products", lambda products: products[:, :-1]),
        ("cuts_shares", lambda shares: np.resize(shares, 10**4)),
        ("cuts_near_shares", lambda shares: shares[None]),
    ],
)
def test_cuts_that_do_not_belong_together(key, change, tmp_path):
    arrays, key = arrays_of("all columns"), f"in_hand_{key}"
    refused("all columns", arrays | {key: change(arrays[key])}, tmp_path / "c.npz")


def test_cuts_kept_as_numbers_are_finite(tmp_path):
    arrays, key = arrays_of("all columns, sparse"), "in_hand_cuts_a"
    changed = with_one(np.nan)(arrays[key])
    refused("all columns, sparse", arrays | {key: changed}, tmp_path / "c.npz")


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("weights", lambda weights: weights[:, :-1]),
        ("intercept", with_one(np.nan)),
        ("bound", lambda bound: bound[:-1]),
        ("objective", lambda objective: np.append(objective, 1.0)),
        ("n_steps", lambda n_steps: n_steps[:, None]),
        ("n_steps", lambda n_steps: n_steps.astype(str)),
        ("status", lambda status: np.array(["HAPPY", *status[1:]])),
    ],
)
def test_outputs_that_were_not_solved(key, change, tmp_path):
    arrays = arrays_of("all columns, classes")
    assert arrays["objective"].shape == (2,)
    refused("all columns, classes", arrays | {key: change(arrays[key])}, tmp_path / "c.npz")


@pytest.mark.parametrize("key", ["ids", "weights", "bound", "block_sizes", "header"])
def test_what_is_missing(key, tmp_path):
    arrays = arrays_of("plain")
    if key == "header":
        arrays["header"] = np.frombuffer(b"{}", dtype=np.uint8)
    else:
        del arrays[key]
    refused("plain", arrays, tmp_path / "c.npz")


def test_nothing_is_unpacked(tmp_path):
    refused("plain", arrays_of("plain"), tmp_path / "c.npz", np.savez_compressed)


@pytest.mark.parametrize(
    "change",
    [
        *({"history": "[" * 10**5}, {"history": "[{}]"}, {"history": "3"}, {"seconds": "x"}),
        *({"format": 3}, {"surprise": 1}),
    ],
    ids=str,
)
def test_headers(change, tmp_path):
    arrays = arrays_of("plain")
    header = json.loads(bytes(arrays["header"])) | change
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    refused("plain", arrays, tmp_path / "c.npz")


def test_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="cannot be read"):
        fit("plain", checkpoint=tmp_path / "pipe")


def test_two_members_of_one_name(tmp_path):
    content = saved("plain", 3)
    assert content.count(b"bound.npy") == 2  # the member, and the list at the end
    (tmp_path / "c.npz").write_bytes(content.replace(b"cost.npy", b"a.npy\0\0\0"))
    with pytest.raises(ValueError, match="cannot be read"):
        fit("plain", checkpoint=tmp_path / "c.npz")
