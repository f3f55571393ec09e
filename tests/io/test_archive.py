"""The container of the model file: complete and unaltered, or refused in one sentence."""

import io
import json
import os
import zipfile

import numpy as np
import pytest

from handful.files import OutputError
from handful.history import History, Round
from handful.io import InputError
from handful.io.archive import read_archive, write_archive
from handful.io.values import Decoder, Encoder
from handful.losses import Logistic, Squared, SquaredHinge
from handful.measures import Accuracy
from handful.status import Status

MEMBERS = {"a.bin": b"\x00\x01" * 500, "b.json": b"[1]"}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "file.handful"
    write_archive(path, {"format": "handful model", "version": 1, "note": "é"}, MEMBERS)
    return path


def refused(path):
    with pytest.raises(InputError) as caught:
        read_archive(path, "handful model", 1)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    return message


def rewrite(path, change, method=zipfile.ZIP_STORED):
    """Write the members again after `change` has altered them."""
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    change(contents)
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)


def test_round_trip(path):
    manifest, members = read_archive(path, "handful model", 1)
    assert manifest["note"] == "é"
    assert members == MEMBERS


def test_equal_contents_make_equal_files(path, tmp_path):
    again = tmp_path / "again.handful"
    write_archive(again, {"format": "handful model", "version": 1, "note": "é"}, MEMBERS)
    assert again.read_bytes() == path.read_bytes()


def test_every_truncation_is_noticed(path):
    whole = path.read_bytes()
    for size in [50, 100, len(whole) // 2, len(whole) - 100, len(whole) - 1]:
        path.write_bytes(whole[:size])
        assert "cut short, damaged or altered" in refused(path)
    path.write_bytes(whole[:20])
    assert "is not a handful model" in refused(path)


def test_every_changed_byte_of_content_is_noticed(path):
    whole = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        offsets = [
            entry.header_offset + 30 + len(entry.filename) + 1 for entry in archive.infolist()
        ]
    for offset in offsets:
        spoilt = bytearray(whole)
        spoilt[offset] ^= 0xFF
        path.write_bytes(bytes(spoilt))
        assert "cut short, damaged or altered" in refused(path)


@pytest.mark.parametrize("foreign", ["zip", "npz", "text", "pickle"])
def test_foreign_files(tmp_path, foreign):
    path = tmp_path / "foreign.handful"
    if foreign == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("word/document.xml", "<x/>")
    elif foreign == "npz":
        with open(path, "wb") as file:
            np.savez(file, X=np.ones(3))
    else:
        path.write_bytes(b"hello world, this is no model" if foreign == "text" else b"\x80\x04N.")
    assert refused(path) == f"{path} is not a handful model"


def test_missing_empty_and_folder(tmp_path):
    assert refused(tmp_path / "none").endswith("does not exist")
    (tmp_path / "empty").touch()
    assert refused(tmp_path / "empty").endswith("is empty")
    assert "is a folder" in refused(tmp_path)


def test_another_format_and_a_newer_version(tmp_path):
    path = tmp_path / "x"
    write_archive(path, {"format": "something else", "version": 1}, {})
    assert refused(path) == f"{path} is not a handful model"
    write_archive(path, {"format": "handful model", "version": 2}, {})
    assert refused(path).endswith(
        "was written by a newer handful (file version 2, this one reads up to 1); upgrade handful"
    )


def test_altered_contents_are_noticed(path):
    def alter_member(contents):
        contents["a.bin"] = contents["a.bin"][::-1]

    rewrite(path, alter_member)
    assert "the checksum of a.bin is wrong" in refused(path)


def test_altered_size_is_noticed(path):
    rewrite(path, lambda contents: contents.update({"a.bin": b""}))
    assert "a.bin has the wrong size" in refused(path)


def test_altered_manifest_is_noticed(path):
    def alter(contents):
        manifest = json.loads(contents["manifest.json"])
        manifest["note"] = "changed"
        contents["manifest.json"] = json.dumps(manifest).encode()

    rewrite(path, alter)
    assert "the checksum of the manifest is wrong" in refused(path)


def test_removed_member_is_noticed(path):
    rewrite(path, lambda contents: contents.pop("b.json"))
    assert "b.json" in refused(path)


def test_a_bomb_is_not_unfolded(path):
    rewrite(
        path,
        lambda contents: contents.update({"a.bin": b"\x00" * 10_000_000}),
        zipfile.ZIP_DEFLATED,
    )
    assert path.stat().st_size < 50_000
    assert "a member is compressed" in refused(path)


def test_overlapping_members_are_refused(path):
    """Two entries of the directory that point at the same bytes."""
    whole = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        directory = archive.start_dir
        entry = archive.getinfo("a.bin")
        entry_size = 46 + len(entry.filename)
    first = whole.index(b"PK\x01\x02", directory)
    at = whole.index(b"a.bin", first) - 46
    copy = whole[at : at + entry_size]
    end = bytearray(whole[whole.rindex(b"PK\x05\x06") :])
    count, size = 4, len(whole) - directory - len(end)
    end[8:12] = (count + 1).to_bytes(2, "little") * 2
    end[12:16] = (size + entry_size).to_bytes(4, "little")
    path.write_bytes(whole[: len(whole) - len(end)] + copy + bytes(end))
    message = refused(path)
    assert "the members are larger than the file" in message


def test_writing_into_a_missing_folder(tmp_path):
    with pytest.raises(OutputError, match="does not exist; create it first"):
        write_archive(tmp_path / "no" / "x", {"format": "handful model", "version": 1}, {})
    assert os.listdir(tmp_path) == []


# ---------------------------------------------------------------- values


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        2**70,
        0.1,
        float("inf"),
        "text\nwith \x00 and é",
        [1, [2.5, None]],
        (1, "b"),
        {1: 2.0, "1": None, (1, 2): []},
        Status.SELECTED,
        History(
            [Round(1, "generate", 10, 4.0, -np.inf, 0.1), Round(2, "eliminate", 5, 5.0, 3, 0.2)]
        ),
    ],
)
def test_values_survive(value):
    encoder = Encoder()
    text = json.dumps(encoder.encode(value, "it"), allow_nan=False)
    again = Decoder(encoder.members).decode(json.loads(text))
    assert again == value
    assert type(again) is type(value)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=np.int64).reshape(2, 3),
        np.asfortranarray(np.random.default_rng(0).standard_normal((3, 4))),
        np.array([True, False]),
        np.array(["é", "long text"]),
        np.array(["a\nb", "", "日本"], dtype=object),
        np.zeros((1, 0)),
        np.float32([[1.1]]),
        np.array(3.5),
        np.array([np.nan, np.inf]),
    ],
)
def test_arrays_survive(array):
    encoder = Encoder()
    code = json.loads(json.dumps(encoder.encode(array, "it")))
    again = Decoder(encoder.members).decode(code)
    assert again.dtype == array.dtype
    np.testing.assert_array_equal(again, array)


def test_numpy_scalars_become_plain():
    assert Encoder().encode(np.float64(0.5), "it") == 0.5
    assert Encoder().encode(np.int32(4), "it") == 4
    assert Encoder().encode(np.bool_(True), "it") is True


@pytest.mark.parametrize("value", [{3, 1}, frozenset({1, np.int64(3)}), range(1, 4, 2)])
def test_ids_in_sets_and_ranges_become_arrays(value):
    encoder = Encoder()
    code = encoder.encode(value, "it")
    again = Decoder(encoder.members).decode(code)
    assert (again.dtype, again.tolist()) == (np.int64, [1, 3])


def test_a_list_of_ids_is_two_members_however_long():
    encoder = Encoder()
    ids = [np.arange(j) for j in (3, 0, 2)]
    code = json.loads(json.dumps(encoder.encode(ids, "it")))
    assert list(encoder.members) == ["arrays/it.npy", "arrays/it.sizes.npy"]
    again = Decoder(encoder.members).decode(code)
    assert [part.tolist() for part in again] == [[0, 1, 2], [], [0, 1]]


@pytest.mark.parametrize("value", [Logistic(), Squared(), SquaredHinge(), Accuracy()])
def test_our_losses_and_measures_survive(value):
    encoder = Encoder()
    code = json.loads(json.dumps(encoder.encode(value, "loss")))
    again = Decoder(encoder.members).decode(code)
    assert type(again) is type(value)
    assert vars(again) == vars(value)


def test_two_arrays_of_one_name_do_not_collide():
    encoder = Encoder()
    code = encoder.encode([np.zeros(1), np.ones(1), np.full(1, 2.0)], "it")
    assert [float(array[0]) for array in Decoder(encoder.members).decode(code)] == [0, 1, 2]


class NamedLikeOurs:
    name = "logistic"


@pytest.mark.parametrize(
    "value",
    [
        *(object(), {1, "a"}, {"a"}, lambda: 1, np.array([object()]), 1j, b"x"),
        *(NamedLikeOurs(), Logistic, [[object()]]),
    ],
)
def test_what_cannot_be_held_is_named(value):
    with pytest.raises(InputError, match=r"^loss .* a model file cannot hold.*; .*joblib"):
        Encoder().encode(value, "loss")


@pytest.mark.parametrize(
    "code",
    [
        *({"unknown": 1}, {"a": 1, "b": 2}, {}, {"status": "NOPE"}, {"array": "absent"}),
        *({"tuple": 3}, {"loss": ["hinge", {}]}, {"loss": ["logistic", {"x": 1}]}, {"loss": 1}),
        *({"measure": ["logistic", {}]}, {"space": ["Popen", {}, {}]}, {"space": []}),
        *({"arrays": [1, 2]}, {"arrays": []}),
    ],
)
def test_strange_codes_are_refused(code):
    with pytest.raises((ValueError, KeyError, TypeError, AttributeError)):
        Decoder({}).decode(code)


def npy(header: str, data: bytes = b"") -> bytes:
    text = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


@pytest.mark.parametrize(
    "content",
    [
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000,), }", b"x" * 8),
        npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", b"x" * 8),
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", b"x" * 9),
        npy("__import__('os')"),
        b"",
        b"\x80\x04N.",
    ],
)
def test_strange_arrays_are_refused(content):
    with pytest.raises(ValueError):  # noqa: PT011
        Decoder({"x": content}).decode({"array": "x"})


def test_object_arrays_on_disk_are_refused():
    buffer = io.BytesIO()
    np.save(buffer, np.array([{}]), allow_pickle=True)
    with pytest.raises(ValueError, match="an array of object"):
        Decoder({"x": buffer.getvalue()}).decode({"array": "x"})
