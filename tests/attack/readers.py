"""Data files that are cut, mixed up, far too large or of another format than they say."""

import gzip
import io
import zipfile

import numpy as np
import scipy.io
from scipy import sparse

from attack.junk import spoilt_bytes
from attack.verdict import only, shell
from handful.io import InputError, read_table

WORDS = [
    *(
        "nan",
        "inf",
        "-",
        "",
        " ",
        '"',
        "'",
        "1e999",
        "0x1",
        "1,5",
        "\x00",
        "1:2",
        "a:b",
        "-1:1",
        "é",
    ),
    *(
        "99999999999999999999",
        "%",
        "#",
        ";",
        "\t",
        "|",
        "\r",
        "1 2 3",
        "true",
        "None",
        "\ufeff",
        "=1+1",
    ),
]


def prepare():
    """Nothing: no case takes long."""


def attack(seed, folder):
    """Write a file, spoil it, and read it in every way."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((12, 5)), 3)
    y = (X[:, 0] > 0).astype(int)
    kinds = (csv, svmlight, mtx, npz, npz_parts, saved_sparse, npz_header)
    path, content, target = kinds[rng.integers(len(kinds))](folder, X, y, rng)
    if rng.random() < 0.5:
        content = spoilt_bytes(content, rng)
    elif path.suffix != ".npz":
        content = spoilt_words(content, rng)
    if path.suffix != ".npz" and rng.random() < 0.15:
        path = path.with_name(path.name + ".gz")
        content = gzip.compress(content)
        content = spoilt_bytes(content, rng) if rng.random() < 0.4 else content
    path.write_bytes(content)
    with only(InputError):
        read_table(path, target)
    words = [] if target is None else ["--target", target]
    shell("select", path, "-k", 1, *words)
    store = folder / f"{seed}.store"
    shell("convert", path, store, "--memory", "50K", *words)
    if store.with_name(store.name + ".part").exists():
        raise AssertionError("a conversion that failed left its folder")


def csv(folder, X, y, rng):
    mark = ",;\t|"[rng.integers(4)]
    head = [mark.join([*(f"c{j}" for j in range(5)), "y"])] if rng.random() < 0.7 else []
    rows = [mark.join(map(str, [*row, label])) for row, label in zip(X, y, strict=True)]
    target = "y" if head else "-1"
    return folder / "a.csv", "\n".join([*head, *rows]).encode() + b"\n", target


def svmlight(folder, X, y, rng):
    lines = [
        " ".join([str(label), *(f"{j + 1}:{v}" for j, v in enumerate(row))])
        for row, label in zip(X, y, strict=True)
    ]
    return folder / "a.svm", "\n".join(lines).encode() + b"\n", None


def mtx(folder, X, y, rng):
    buffer = io.BytesIO()
    scipy.io.mmwrite(buffer, sparse.coo_array(X) if rng.random() < 0.5 else X)
    (folder / "y.txt").write_text("".join(f"{label}\n" for label in y))
    return folder / "a.mtx", buffer.getvalue(), str(folder / "y.txt")


def npz(folder, X, y, rng):
    return folder / "a.npz", packed({"X": X, "y": y}, rng), "y"


def npz_parts(folder, X, y, rng):
    """The parts of a CSR matrix, one of them wrong."""
    S = sparse.csr_array(np.where(np.abs(X) > 0.8, X, 0.0))
    parts = {"X_data": S.data, "X_indices": S.indices, "X_indptr": S.indptr.astype(np.int64)}
    parts["X_shape"] = np.array(S.shape)
    name = list(parts)[rng.integers(4)]
    array = parts[name].copy()
    odd = [-1, 10**6, 2**31 - 1, 5, 12, 2**40]
    if name in ("X_indptr", "X_shape"):
        odd += [2**62, -(2**62), 2**63 - 1]
    match rng.integers(4):
        case 0 if array.size:
            array = array.astype(np.int64) if name != "X_data" else array
            array[rng.integers(array.size)] = odd[rng.integers(len(odd))]
        case 1:
            array = array.astype(rng.choice(["f8", "u8", "i2", "?", "U5", "c16"]))
        case 2:
            array = np.resize(array, array.size + 1)
        case _ if name == "X_indptr":
            array[1:3] = 2**62, -(2**62)
    return folder / "a.npz", packed(parts | {name: array, "y": y}, rng), "y"


def saved_sparse(folder, X, y, rng):
    """What SciPy saves, in any of its formats."""
    S = sparse.coo_array(np.where(np.abs(X) > 0.8, X, 0.0))
    buffer = io.BytesIO()
    sparse.save_npz(buffer, S.asformat(rng.choice(["csr", "csc", "coo", "bsr", "dia"])))
    with np.load(io.BytesIO(buffer.getvalue())) as file:
        parts = dict(file)
    names = [name for name in parts if parts[name].dtype.kind in "iu" and parts[name].size]
    name = names[rng.integers(len(names))]
    array = parts[name].astype(np.int64)
    array.flat[rng.integers(array.size)] = [-1, 10**6, 2**40, 2**62][rng.integers(4)]
    return folder / "a.npz", packed(parts | {name: array, "y": y}, rng), "y"


def npz_header(folder, X, y, rng):
    """An array whose header announces anything."""
    shapes = ["(1000000000000, 5)", "(-1, 5)", "(12, -5)", "(2, 2, 2)", "()", "(12,)", "[12, 5]"]
    types = [
        "'<f8'",
        "'|O'",
        "'<U1000000000'",
        "[('a', '<f8')]",
        "'<c16'",
        "'S5'",
        "'<M8[D]'",
        "()",
    ]
    head = {"descr": types[rng.integers(len(types))], "shape": shapes[rng.integers(len(shapes))]}
    text = f"{{'descr': {head['descr']}, 'fortran_order': False, 'shape': {head['shape']}, }}"
    if rng.random() < 0.2:
        text = ["((((" * 40, "{", "1" * 9000, "'''", "{'descr': __import__('os')}"][rng.integers(5)]
    line = text.encode().ljust(117)[:9000] + b"\n"
    raw = b"\x93NUMPY\x01\x00" + len(line).to_bytes(2, "little") + line + X.tobytes()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(["X.npy", "y.npy", "feature_names.npy"][rng.integers(3)], raw)
        for name, array in (("X", X), ("y", y)):
            if f"{name}.npy" not in archive.namelist():
                part = io.BytesIO()
                np.save(part, array)
                archive.writestr(f"{name}.npy", part.getvalue())
    return folder / "a.npz", buffer.getvalue(), "y"


def packed(arrays, rng):
    buffer = io.BytesIO()
    (np.savez if rng.random() < 0.5 else np.savez_compressed)(buffer, **arrays)
    return buffer.getvalue()


def spoilt_words(content, rng):
    """Some fields replaced by what does not belong there."""
    text = content.decode()
    for _ in range(rng.integers(1, 4)):
        at = int(rng.integers(len(text)))
        word = WORDS[rng.integers(len(WORDS))] * int(rng.choice([1, 1, 1, 400]))
        text = text[:at] + word + text[at + int(rng.integers(0, 8)) :]
    return text.encode("utf-8", errors="surrogatepass")
