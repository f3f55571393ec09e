"""Conversions that are killed, meet each other, run out of room or find their folder taken."""

import json
import os
import shutil
import signal
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor

import children
import pytest
import stores

from handful import open_store
from handful.files import OutputError
from handful.io import InputError, read_table
from handful.sources.store.workplace import workplace
from handful.validation.store import StoreError

posix = pytest.mark.skipif(os.name != "posix", reason="SIGKILL, flock and RLIMIT_FSIZE are POSIX's")


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def write_data(folder, kind):
    X, y = stores.small(kind != "a.csv")
    path = folder / kind
    if kind == "a.npz":
        stores.save_npz(path, X, y)
    else:
        lines = [",".join(map(str, [*row, label])) for row, label in zip(X, y, strict=True)]
        path.write_text(",".join([*(f"c{j}" for j in range(60)), "y"]) + "\n" + "\n".join(lines))
    return path, {"memory": 60_000} | ({"target": "y"} if kind == "a.csv" else {})


@posix
@pytest.mark.parametrize("kind", ["a.npz", "a.csv"])
def test_killed_while_converting(kind, tmp_path):
    """Wherever it is killed there is no store, and the same call goes on to the same bytes."""
    data, options = write_data(tmp_path, kind)
    expected = contents(stores.convert_file(data, tmp_path / "whole.store", **options).path)
    number, killed = 1, -signal.SIGKILL
    while killed == -signal.SIGKILL:
        place = tmp_path / f"{number}.store"
        killed = children.in_child(stores.convert_and_die, data, place, number, options)
        if killed == -signal.SIGKILL and place.exists():  # when all was done but the tidying
            open_store(place, verify=True)
            stores.convert_file(data, place, **options)
        elif killed == -signal.SIGKILL:
            with pytest.raises(StoreError, match="interrupted; run the same handful convert again"):
                open_store(place)
            with pytest.raises(InputError, match="interrupted"):
                read_table(place)
            stores.convert_file(data, place, **options)
        assert contents(place) == expected
        shutil.rmtree(place)
        number += 11
    assert killed == 0
    assert number > 40


@posix
def test_killed_again_and_again(tmp_path):
    """Every process does a few steps more; what is finished is not done again."""
    data, options = write_data(tmp_path, "a.npz")
    expected = contents(stores.convert_file(data, tmp_path / "whole.store", **options).path)
    place, n_runs = tmp_path / "a.store", []
    for _ in range(20):
        killed = children.in_child(stores.convert_and_die, data, place, 25, options)
        if killed != -signal.SIGKILL:
            break
        journal = tmp_path / "a.store.part" / "journal.json"
        if journal.exists():
            n_runs.append(len(json.loads(journal.read_text())["runs"]))
    assert contents(place) == expected
    assert n_runs == sorted(n_runs)
    assert len(n_runs) > 1


def test_another_conversion_does_not_go_on(tmp_path):
    data, options = write_data(tmp_path, "a.npz")
    place = tmp_path / "a.store"

    def interrupt(record):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stores.convert_file(data, place, show=interrupt, **options)
    with pytest.raises(OutputError, match="unfinished conversion of other data or with other opt"):
        stores.convert_file(data, place, dtype="float32", **options)
    stores.convert_file(data, place, memory=10**6)  # that changes nothing but the way
    assert open_store(place, verify=True).shape == (80, 60)


def other_data(folder):
    """A file of the same shape and other numbers."""
    X, y = stores.small(True)
    stores.save_npz(folder / "b.npz", -X, y)
    return folder / "b.npz"


@posix
@pytest.mark.parametrize("same", [True, False])
def test_two_conversions_to_one_store_do_not_mix(tmp_path, same):
    """The second comes at every step of the first, and is sent away."""
    data, options = write_data(tmp_path, "a.npz")
    other = data if same else other_data(tmp_path)
    expected = contents(stores.convert_file(data, tmp_path / "whole.store", **options).path)
    place, n_met = tmp_path / "a.store", 0

    def meet(record):
        nonlocal n_met
        n_met += 1
        with pytest.raises(OutputError, match=r"another conversion is at work in .*a\.store\.part"):
            stores.convert_file(other, place, **options)

    stores.convert_file(data, place, show=meet, **options)
    assert n_met > 5
    assert contents(place) == expected
    with pytest.raises(OutputError, match="is there already"):
        stores.convert_file(other, place, **options)


@posix
def test_conversions_that_start_together(tmp_path):
    data, options = write_data(tmp_path, "a.npz")
    sources = (data, other_data(tmp_path))
    expected = [
        contents(stores.convert_file(source, tmp_path / f"{source.stem}.store", **options).path)
        for source in sources
    ]
    for number in range(4):
        place = tmp_path / f"{number}.store"
        both = [
            children.start(stores.convert_or_say_no, source, place, options)
            for source in sources[:: 1 if number % 2 else -1]
        ]
        for child in both:
            child.join(children.WAIT)
        assert sorted(child.exitcode for child in both) == [0, 3]
        assert contents(place) in expected
        assert not (tmp_path / f"{number}.store.part").exists()


@posix
def test_many_at_one_workplace_meet_in_every_way(tmp_path):
    """One works at a time, at whatever moment the others come: as it makes, marks, renames or leaves the folder."""
    folder, at_work = tmp_path / "a.store.part", threading.Lock()
    said, n_worked = set(), 0

    def work(number):
        nonlocal n_worked
        for turn in range(200):
            try:
                with workplace(folder):
                    assert at_work.acquire(blocking=False)
                    n_worked += 1
                    (folder / "values.npy").touch()
                    at_work.release()
                    if turn % 2:
                        folder.rename(tmp_path / f"{number}-{turn}.store")
                    else:
                        (folder / "values.npy").unlink()
            except OutputError as error:
                said.add(str(error))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert n_worked > 10
    assert len(said) <= 1
    assert all("another conversion is at work in" in sentence for sentence in said)
    assert not folder.exists()


def test_a_workplace_where_nothing_was_written_goes_away(tmp_path):
    folder = tmp_path / "a.store.part"
    with workplace(folder):
        assert folder.exists()
    assert not folder.exists()
    with workplace(folder):
        (folder / "values.npy").touch()
    assert (folder / "values.npy").exists()


def test_a_source_that_changes_meanwhile(tmp_path):
    data, options = write_data(tmp_path, "a.npz")

    def change(record):
        os.utime(data, ns=(1, 1))

    with pytest.raises(InputError, match="was changed while it was converted"):
        stores.convert_file(data, tmp_path / "a.store", show=change, **options)
    assert [path.name for path in tmp_path.iterdir()] == ["a.npz"]


def test_a_source_of_the_same_size_and_time(tmp_path):
    """Only its numbers tell that it is another file."""
    data, options = write_data(tmp_path, "a.npz")
    times = os.stat(data).st_mtime_ns

    def interrupt(record):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stores.convert_file(data, tmp_path / "a.store", show=interrupt, **options)
    os.replace(other_data(tmp_path), data)
    os.utime(data, ns=(times, times))
    with pytest.raises(OutputError, match="unfinished conversion of other data"):
        stores.convert_file(data, tmp_path / "a.store", **options)


@pytest.mark.parametrize("what", ["folder", "file", "link", "dangling link"])
def test_what_is_in_the_way_is_not_touched(tmp_path, what):
    """A folder of the name that the conversion would work in, made by somebody else."""
    data, options = write_data(tmp_path, "a.npz")
    part, other = tmp_path / "a.store.part", tmp_path / "other"
    other.mkdir()
    for folder in (other, part) if what == "folder" else (other,):
        folder.mkdir(exist_ok=True)
        (folder / "thesis.tex").write_text("years of work")
        (folder / "run-00000-data.npy").write_text("mine, whatever it is called")
    if what == "file":
        part.write_text("years of work")
    elif "link" in what:
        part.symlink_to(other if what == "link" else tmp_path / "nowhere")
    before = {path: path.is_dir() or path.read_bytes() for path in sorted(tmp_path.rglob("?*.*"))
              if path.exists()}  # fmt: skip
    for _ in range(2):
        with pytest.raises(OutputError, match="without being an unfinished conversion; move it"):
            stores.convert_file(data, tmp_path / "a.store", **options)
    after = {path: path.is_dir() or path.read_bytes() for path in sorted(tmp_path.rglob("?*.*"))
             if path.exists()}  # fmt: skip
    assert after == before
    assert not (tmp_path / "a.store").exists()


def test_a_guest_in_the_working_folder_survives(tmp_path):
    """Whether the conversion fails or succeeds, it removes its own files only."""
    data, options = write_data(tmp_path, "a.npz")
    guest = tmp_path / "a.store.part" / "notes.txt"

    def leave(record):
        guest.write_text("mine")

    def fail(record):
        leave(record)
        raise InputError("odd data")

    with pytest.raises(InputError, match="odd data"):
        stores.convert_file(data, tmp_path / "a.store", show=fail, **options)
    assert os.listdir(tmp_path / "a.store.part") == ["notes.txt"]
    guest.unlink()
    stores.convert_file(data, tmp_path / "a.store", show=leave, **options)
    assert (tmp_path / "a.store" / "notes.txt").read_text() == "mine"


@posix
def test_no_room_left(tmp_path):
    """RLIMIT_FSIZE stands for a disk that fills: a sentence, and then it goes on."""
    data, _ = write_data(tmp_path, "a.npz")
    place = tmp_path / "a.store"
    assert children.in_child(stores.convert_into_little_room, data, place, 6000) == 3
    assert not place.exists()
    stores.convert_file(data, place)
    assert open_store(place, verify=True).shape == (80, 60)


def test_a_full_file_system(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", str(disk)]
    if (
        not hasattr(os, "geteuid")
        or os.geteuid()
        or subprocess.run(mounted, check=False).returncode
    ):
        pytest.skip("needs the right to mount a small tmpfs")
    try:
        data, _ = write_data(tmp_path, "a.npz")
        with pytest.raises(
            OutputError, match="no space left on device; make room and run the same"
        ):
            stores.convert_file(data, disk / "a.store")
        assert not (disk / "a.store").exists()
        subprocess.run(["mount", "-o", "remount,size=4m", str(disk)], check=True)
        assert stores.convert_file(data, disk / "a.store").shape == (80, 60)
    finally:
        subprocess.run(["umount", str(disk)], check=True)
