"""Files appear complete or not at all."""

import errno
import os
import stat
import subprocess
import sys

import pytest

from handful.files import OutputError, atomic_write


def only_file(folder):
    """The names in a folder, hidden ones included."""
    return sorted(os.listdir(folder))


def test_bytes_and_text_arrive(tmp_path):
    with atomic_write(tmp_path / "a.bin") as file:
        file.write(b"\x00\xff")
    with atomic_write(tmp_path / "a.txt", text=True) as file:
        file.write("é\n")
    assert (tmp_path / "a.bin").read_bytes() == b"\x00\xff"
    assert (tmp_path / "a.txt").read_bytes() == "é\n".encode()
    assert only_file(tmp_path) == ["a.bin", "a.txt"]


def test_nothing_is_visible_before_the_end(tmp_path):
    target = tmp_path / "a"
    target.write_text("old")
    with atomic_write(target, text=True) as file:
        file.write("new")
        file.flush()
        assert target.read_text() == "old"
    assert target.read_text() == "new"


@pytest.mark.parametrize("error", [RuntimeError("boom"), KeyboardInterrupt()])
def test_a_failure_leaves_the_old_file_and_no_rubbish(tmp_path, error):
    target = tmp_path / "a"
    target.write_text("old")

    def write_half():
        with atomic_write(target) as file:
            file.write(b"half")
            raise error

    with pytest.raises(type(error)):
        write_half()
    assert target.read_text() == "old"
    assert only_file(tmp_path) == ["a"]


def test_missing_folder_is_named(tmp_path):
    with (
        pytest.raises(OutputError, match=r"the folder .*nowhere does not exist; create it first"),
        atomic_write(tmp_path / "nowhere" / "a"),
    ):
        pass


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(OutputError, match="it is a folder"), atomic_write(tmp_path):
        pass


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_is_one_sentence(tmp_path, monkeypatch, call):
    def full(*args):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / "a").write_text("old")
    monkeypatch.setattr(os, call, full)
    with (
        pytest.raises(OutputError) as caught,
        atomic_write(tmp_path / "a") as file,
    ):
        file.write(b"new")
    assert str(caught.value) == f"cannot write {tmp_path / 'a'}: no space left on device"
    assert (tmp_path / "a").read_text() == "old"
    assert only_file(tmp_path) == ["a"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full (Linux)")
def test_a_device_is_written_directly_and_its_failure_told():
    with (
        pytest.raises(OutputError, match="no space left on device"),
        atomic_write("/dev/full") as f,
    ):
        f.write(b"x" * 100_000)


def test_a_real_full_disk(small_disk):
    """The same on a real file system of 256 KiB (skipped where mounting is not permitted)."""
    target = small_disk / "a"
    target.write_text("old")
    with pytest.raises(OutputError, match="no space left on device"), atomic_write(target) as file:
        file.write(b"x" * 4_000_000)
    assert target.read_text() == "old"
    assert only_file(small_disk) == ["a"]


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    with atomic_write(tmp_path / "link", text=True) as file:
        file.write("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


@pytest.mark.skipif(os.name == "nt", reason="permissions are POSIX's")
def test_permissions_follow_the_umask(tmp_path):
    code = (
        "import os, sys; from handful.files import atomic_write\n"
        "os.umask(0o027)\n"
        "with atomic_write(sys.argv[1]) as f: f.write(b'x')"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "a")], check=True)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640
