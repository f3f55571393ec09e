"""Stores for tests: any matrix, through a file and handful's own conversion."""

import atexit
import hashlib
import json
import os
import shutil
import signal
import tempfile
import zlib
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from handful import FGMClassifier, open_store
from handful.files import OutputError
from handful.io.conversion import Conversion, convert, open_source
from handful.io.table import Request
from handful.sizes import changed_sizes

_folder = Path(tempfile.mkdtemp())
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
SMALL_BLOCK = 2000  # bytes, so that small matrices have several blocks


def small(is_sparse):
    """A matrix of 80 x 60, three columns of which decide, and its labels."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((80, 60))
    X[rng.random(X.shape) < 0.6] = 0.0
    y = np.where(X[:, 3] + X[:, 20] - X[:, 50] > 0, "yes", "no")
    return (sp.csc_array(X) if is_sparse else X), y


def stored(X, y=None, names=None, memory=50_000):
    """A matrix as a store of the same type; equal matrices share one."""
    is_sparse = sp.issparse(X)
    parts = [X.indptr, X.indices, X.data] if is_sparse else [np.asarray(X)]
    parts += [np.asarray(part) for part in (y, names) if part is not None]
    digest = hashlib.sha256(str((is_sparse and X.format, X.shape)).encode())
    for part in parts:
        digest.update(str(part.dtype).encode() + np.ascontiguousarray(part).tobytes())
    path = _folder / digest.hexdigest()
    if not path.exists():
        save_npz(path.with_suffix(".npz"), X, y, names)
        convert_file(path.with_suffix(".npz"), path, memory=memory)
    return open_store(path)


def rewrite(folder, **changes):
    """Alter the manifest and make its checksum fit, as a malicious hand could."""
    content = json.loads((folder / "store.json").read_text()) | changes
    content.pop("checksum")
    content["checksum"] = zlib.crc32(json.dumps(content, sort_keys=True).encode())
    (folder / "store.json").write_text(json.dumps(content))


def replace_small(folder, name, content):
    """Put other bytes into a small file of a store, size and checksum and all."""
    (folder / name).write_bytes(content)
    about = json.loads((folder / "store.json").read_text())
    files, sums = about["files"] | {name: len(content)}, about["checksums"]
    rewrite(folder, files=files, checksums=sums | {name: zlib.crc32(content)})


def save_npz(path, X, y=None, names=None):
    """A file that read_table and convert understand."""
    parts = {"X": X}
    if sp.issparse(X):
        X = X.tocsr()
        parts = {"X_data": X.data, "X_indices": X.indices, "X_indptr": X.indptr, "X_shape": X.shape}
    if y is not None:
        parts["y"] = y
    if names is not None:
        parts["feature_names"] = names
    np.savez(path, **parts)


def convert_file(
    data, store, *, block_bytes=SMALL_BLOCK, show=None, through=lambda source: source, **options
):
    """Convert with small blocks, and what ``through`` makes of the source; options of Request and of Conversion."""
    own = {name: options.pop(name) for name in ("dtype", "as_sparse", "memory") if name in options}
    request = Request(target_optional=not options.get("target"), **options)
    with changed_sizes(store_block_bytes=block_bytes):
        source = through(open_source(data, request))
        convert(Conversion(data, store, request, **own), source, show)
    return open_store(store)


def convert_and_die(data, store, number, options):
    """Convert, and be killed when the n-th file or folder is made safe or renamed."""
    count = 0

    def hooked(call):
        def step(*arguments):
            nonlocal count
            count += 1
            if count == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*arguments)

        return step

    for name in ("fsync", "replace", "rename", "unlink"):
        setattr(os, name, hooked(getattr(os, name)))
    convert_file(data, store, **options)


def convert_or_say_no(data, store, options):
    """Convert; end with 3 when another conversion is at work there or was quicker."""
    try:
        convert_file(data, store, **options)
    except OutputError as error:
        os._exit(3 if "at work" in str(error) or "there already" in str(error) else 4)


def convert_into_little_room(data, store, most_bytes):
    """Convert where no file may grow beyond a size; end with 3 when that is said in a sentence."""
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
    try:
        convert_file(data, store)
    except OutputError as error:
        os._exit(3 if "make room and run the same command again" in str(error) else 4)


def fit_store_and_die(path, checkpoint, number):
    """Fit to a store, and be killed as soon as the round with this number is saved."""

    def tell(record):
        if record.number >= number:
            os.kill(os.getpid(), signal.SIGKILL)

    store = open_store(path)
    FGMClassifier(4, checkpoint=checkpoint, verbose=tell, C="fast").fit(store, store.y)
