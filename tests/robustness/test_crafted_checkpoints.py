"""Checkpoints of a stranger who knows the data: the key fits, and the arrays lead elsewhere."""

import io
import json
import os

import numpy as np
import pytest
from attack.checkpoints import FITS, Y, saved
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
        kind, parameters, X = FITS[name]
        with pytest.raises(ValueError, match="cannot be read: it is damaged or not a checkpoint"):
            kind(**parameters, checkpoint=path).fit(X, Y)

    fall = run_case("checkpoints", go_on, 0)
    assert fall is None, fall


@pytest.mark.parametrize("name", FITS)
def test_what_is_untouched_goes_on(name, tmp_path):
    path = tmp_path / "c.npz"
    path.write_bytes(saved(name, 3))
    kind, parameters, X = FITS[name]
    assert kind(**parameters, checkpoint=path).fit(X, Y).n_iter_ >= 3


@pytest.mark.parametrize("name", [name for name in FITS if name != "dictionary"])
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
    kind, parameters, X = FITS["plain"]
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="cannot be read"):
        kind(**parameters, checkpoint=tmp_path / "pipe").fit(X, Y)


def test_two_members_of_one_name(tmp_path):
    kind, parameters, X = FITS["plain"]
    content = saved("plain", 3)
    assert content.count(b"bound.npy") == 2  # the member, and the list at the end
    (tmp_path / "c.npz").write_bytes(content.replace(b"cost.npy", b"a.npy\0\0\0"))
    with pytest.raises(ValueError, match="cannot be read"):
        kind(**parameters, checkpoint=tmp_path / "c.npz").fit(X, Y)
