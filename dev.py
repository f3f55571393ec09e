"""One door to the project: demo, tests and every check CI runs.

Needs Python 3.11 or newer and nothing else; sets up its own environment in ``.venv``.

    python3 dev.py demo [...]     run `handful demo` (further arguments are passed on)
    python3 dev.py test [...]     run all tests (further arguments go to pytest; --exhaustive adds those
                                  that repeat others in more settings; --lowest runs them with the lowest
                                  versions of dependencies, --python python3.13 with another Python)
    python3 dev.py matrix         the contracts with every Python from 3.11 to 3.14 that is found, and with
                                  the lowest versions
    python3 dev.py quick          in about a minute: lint, types, imports, and the contracts of losses,
                                  measures and spaces
    python3 dev.py browser        open reports in Chromium, which is installed where that may be done
    python3 dev.py attack [...]   random certificates, files, kills and readers until the time is over
                                  (--minutes N, --seed N, --only PART, --cases N)
    python3 dev.py lists          write lists of names in pages and help anew, from the registries
    python3 dev.py format         rewrite the sources in the project's style
    python3 dev.py lint           ruff format --check, ruff check
    python3 dev.py types          mypy
    python3 dev.py imports        import-linter: reading order is import order
    python3 dev.py docs [--keep]  make the site, run its examples, check its links, open it in Chromium where
                                  there is one (--keep leaves examples that have not changed alone)
    python3 dev.py wheel          build wheel and sdist, check them and CITATION.cff, install each in an empty
                                  environment, run the demo
    python3 dev.py setup          install all that these commands need
    python3 dev.py check          test, browser, lint, types, imports, docs and wheel
    python3 dev.py speed [...]    a dozen fits against stored multiples of one pass over their data; exit 1
                                  where one is 1.5 times slower (--store, --only "CASE;CASE")
"""

import sys

# Before anything that an older Python could trip over.
if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit(
        "handful needs Python 3.11 or newer, this is Python {}.{}: run a newer one, "
        "for example `python3.12 dev.py`.".format(*sys.version_info)
    )

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
STAMP = VENV / "handful-installed.json"
KERNELS = ROOT / "src" / "handful" / "kernels"

#: Tests that run on every member of a family, and quickly.
CONTRACTS = (
    *("tests/contracts/test_loss.py", "tests/contracts/test_space.py", "tests/measures"),
    *("tests/test_package.py", "src/handful/losses", "src/handful/measures", "src/handful/spaces"),
)

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

# Each level installs everything the ones before it do.
LEVELS = {"run": ".", "test": ".[test]", "dev": ".[dev]", "docs": ".[dev,docs]"}
#: What Sphinx and its gallery write beside the pages.
WRITTEN = ("api", "gallery", "project", "source")

#: What has pip put one package in the place of an equal one.
ALONE = ("--no-deps", "--force-reinstall")

PYTHONS = ("python3.11", "python3.12", "python3.13", "python3.14")


def main(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    name, *rest = arguments or ["help"]
    if name in ("help", "-h", "--help"):
        print(__doc__.strip())
        return 0
    if name not in COMMANDS:
        print(f"dev.py: unknown command {name!r}; known: {', '.join(COMMANDS)}.", file=sys.stderr)
        return 2
    if rest and name not in ("demo", "test", "attack", "speed", "docs"):
        print(f"dev.py: {name} takes no arguments, got {shlex.join(rest)}.", file=sys.stderr)
        return 2
    try:
        COMMANDS[name](rest)
    except subprocess.CalledProcessError as error:
        print(f"dev.py {name}: failed with exit code {error.returncode}.", file=sys.stderr)
        return error.returncode if error.returncode > 0 else 1
    except KeyboardInterrupt:
        return 130
    return 0


# ---------------------------------------------------------------- commands


def demo(arguments: list[str]) -> None:
    """Run the demo of the package as it stands in this folder."""
    install("run")
    run(program(VENV, "handful"), "demo", *arguments)


def test(arguments: list[str]) -> None:
    """Run the test suite in several processes."""
    interpreter, arguments = taken_out(arguments, "--python")
    if interpreter is not None or "--lowest" in arguments:
        venv = install_other(interpreter, "--lowest" in arguments)
    else:
        venv = VENV
        install("test")
    arguments = [word for word in arguments if word != "--lowest"]
    # One more than there are cores: now and then one waits for a kernel that another compiles.
    workers = str(1 + min(8, max(2, os.cpu_count() or 1)))
    # Each process begins elsewhere, so that they compile different kernels. Reports are opened by `browser`.
    spread = ("-n", workers, "--dist", "worksteal", "--ignore", "tests/browser")
    run(program(venv, "python"), "-m", "pytest", *spread, *arguments, env=one_thread_each(venv))


def matrix(_: list[str]) -> None:
    """Run the contracts with other interpreters and versions; say what was not found and what failed."""
    found = {name: interpreter_of(name) for name in PYTHONS}
    settings = [("the lowest versions", ["--lowest"])]
    settings += [(name, ["--python", path]) for name, path in found.items() if path is not None]
    results = {}
    for title, options in settings:
        try:
            test([*options, "-q", *CONTRACTS])
            results[title] = "passed"
        except subprocess.CalledProcessError as error:
            results[title] = f"failed with exit code {error.returncode}"
    results |= {name: "not found" for name, path in found.items() if path is None}
    print("\n".join(f"{title:20s}  {result}" for title, result in results.items()))
    if any(result.startswith("failed") for result in results.values()):
        raise subprocess.CalledProcessError(1, "matrix")


def quick(_: list[str]) -> None:
    """Run what most mistakes fall to, before the whole is run."""
    for step in (lint, types, imports):
        step([])
    test(["-q", *CONTRACTS])


def browser(_: list[str]) -> None:
    """Open reports in a real browser; screenshots go to ``.venv/screenshots``."""
    install("test")
    install_chromium()
    asked = {"HANDFUL_BROWSER_REQUIRED": "1", "HANDFUL_SCREENSHOTS": str(VENV / "screenshots")}
    python = program(VENV, "python")
    run(python, "-m", "pytest", "-q", "tests/browser", env=one_thread_each() | asked)


def attack(arguments: list[str]) -> None:
    """Attack the package with random cases, and print what fell with a way to see it again."""
    install("test")
    python = program(VENV, "python")
    run(python, "-m", "attack", *arguments, cwd=ROOT / "tests", env=one_thread_each())


def lists(_: list[str]) -> None:
    """Write the lists of names that pages and help texts have."""
    install("test")
    run(program(VENV, "python"), ROOT / "tests" / "written_lists.py")


def format_sources(_: list[str]) -> None:
    """Rewrite the sources in the project's style."""
    install("dev")
    run(program(VENV, "ruff"), "check", "--fix", ".")
    run(program(VENV, "ruff"), "format", ".")


def lint(_: list[str]) -> None:
    """Check style and likely bugs."""
    install("dev")
    run(program(VENV, "ruff"), "format", "--check", ".")
    run(program(VENV, "ruff"), "check", ".")


def types(_: list[str]) -> None:
    """Check type hints."""
    install("dev")
    run(program(VENV, "mypy"))


def imports(_: list[str]) -> None:
    """Check that each module imports only from the lines above it in the layout."""
    install("dev")
    run(program(VENV, "lint-imports"))


def docs(arguments: list[str]) -> None:
    """Make the site with warnings as errors, then look at its links and open it."""
    if arguments not in ([], ["--keep"]):
        sys.exit(f"dev.py: docs takes --keep or nothing, got {shlex.join(arguments)}.")
    install("docs")
    built = ROOT / "build" / "site"
    if not arguments:
        for folder in (built, *(ROOT / "docs" / name for name in WRITTEN)):
            shutil.rmtree(folder, ignore_errors=True)
    strict = ("-b", "html", "--nitpicky", "--fail-on-warning", "--keep-going", "--quiet")
    sphinx = (program(VENV, "python"), "-m", "sphinx", *strict)
    # One thread for each of the examples that run side by side.
    run(*sphinx, "-d", built / "doctrees", "docs", built / "html", env=one_thread_each())
    pictures = ("--pictures", built / "screenshots")
    website = (program(VENV, "python"), "-m", "website", built / "html", *pictures)
    run(*website, cwd=ROOT / "tests")


def wheel(_: list[str]) -> None:
    """Prove that wheel and sdist work without this folder: install them elsewhere, and run the demo."""
    install("dev")
    run(program(VENV, "cffconvert"), "--validate")
    with tempfile.TemporaryDirectory(prefix="handful-wheel-") as folder:
        built, elsewhere = (Path(folder) / part for part in ("dist", "empty"))
        elsewhere.mkdir()
        run(program(VENV, "python"), "-m", "build", "--outdir", built, ".")
        [wheel_file], [source_file] = built.glob("*.whl"), built.glob("*.tar.gz")
        run(program(VENV, "twine"), "check", "--strict", wheel_file, source_file)
        venv = Path(folder) / "venv"
        make_venv(venv)
        # The source is built and put in the wheel's place; what it depends on is the same.
        for options, file, command in (((), wheel_file, "demo"), (ALONE, source_file, "--version")):
            run(program(venv, "python"), "-m", "pip", "install", "--quiet", *options, file)
            # The environment of a user: no cache of ours, no editable install in reach.
            run(program(venv, "handful"), command, cwd=elsewhere, env=dict(os.environ))


def speed(arguments: list[str]) -> None:
    """Look for fits that have become slower than the stored ones."""
    install("test")
    script = ROOT / "benchmarks" / "speed.py"
    run(program(VENV, "python"), script, *arguments, env=one_thread_each())


def setup(_: list[str]) -> None:
    """Install all that any command here needs."""
    install("docs")


def check(_: list[str]) -> None:
    """Run everything CI runs."""
    for step in (test, browser, lint, types, imports, docs, wheel):
        step([])


COMMANDS: dict[str, Callable[[list[str]], None]] = {
    "demo": demo,
    "test": test,
    "matrix": matrix,
    "quick": quick,
    "browser": browser,
    "attack": attack,
    "lists": lists,
    "format": format_sources,
    "lint": lint,
    "types": types,
    "imports": imports,
    "docs": docs,
    "wheel": wheel,
    "check": check,
    "setup": setup,
    "speed": speed,
}


# ------------------------------------------------------------- environment


def install(level: str) -> None:
    """Make ``.venv`` hold the package and what `level` needs; do nothing when it already does."""
    rank = list(LEVELS).index
    wanted = {
        "root": str(ROOT),
        "pyproject": hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest(),
    }
    stamp = read_stamp()
    if stamp.get("root") != str(ROOT) or python_of(VENV) is None:
        # Our own environment is made anew when this folder or its Python has moved.
        # One without our stamp was interrupted or is someone else's: complete it.
        make_venv(VENV, clear=bool(stamp) or python_of(VENV) is None)
    elif stamp["pyproject"] == wanted["pyproject"] and rank(stamp["level"]) >= rank(level):
        return
    wanted["level"] = max(level, stamp.get("level", level), key=rank)
    STAMP.unlink(missing_ok=True)
    print("Installing into .venv; the first time this takes a minute or two.", flush=True)
    pip_install = (program(VENV, "python"), "-m", "pip", "install", "--quiet")
    run(*pip_install, "--editable", LEVELS[wanted["level"]])
    STAMP.write_text(json.dumps(wanted), encoding="utf-8")


def install_other(interpreter: str | None, lowest: bool) -> Path:
    """Return an environment of its own for another Python, or for the lowest versions that are allowed."""
    parts = [Path(interpreter).name] if interpreter is not None else []
    if interpreter in PYTHONS:
        interpreter = interpreter_of(interpreter) or sys.exit(
            f"dev.py: {interpreter} was not found."
        )
    venv = ROOT / "-".join([".venv", *parts, *(["lowest"] if lowest else [])])
    stamp = venv / "handful-installed.json"
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return venv
    print(f"Installing into {venv.name}; this takes a minute or two.", flush=True)
    if lowest and interpreter is None:
        interpreter = interpreter_of(PYTHONS[0])  # the lowest too, where there is one
    make_venv(venv, clear=True, interpreter=interpreter or sys.executable)
    run(program(venv, "python"), "-m", "pip", "install", "--quiet", "uv")
    # pip takes the newest version of everything; uv can take the lowest of what is named in pyproject.toml.
    rule = "lowest-direct" if lowest else "highest"
    options = (
        "--python",
        program(venv, "python"),
        "--resolution",
        rule,
        "--editable",
        LEVELS["test"],
    )
    run(program(venv, "uv"), "pip", "install", "--quiet", *options)
    stamp.write_text(wanted, encoding="utf-8")
    return venv


def interpreter_of(name: str) -> str | None:
    """Return the path of an interpreter that starts and is of this version: on the PATH, or one of pyenv's."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    pattern = f"{name.removeprefix('python')}.*/bin/{name}"
    for path in (shutil.which(name), *sorted(map(str, versions.glob(pattern)), reverse=True)):
        if path is not None and f"python{'.'.join(map(str, version_of(path) or ()))}" == name:
            return path
    return None


def taken_out(arguments: list[str], option: str) -> tuple[str | None, list[str]]:
    """Return the value of an option, None without it, and the other arguments."""
    if option not in arguments:
        return None, arguments
    place = arguments.index(option)
    if place + 1 == len(arguments):
        sys.exit(f"dev.py: {option} needs a value.")
    return arguments[place + 1], arguments[:place] + arguments[place + 2 :]


def install_chromium() -> None:
    """Have a Chromium: on Debian root may install it, anyone else is told what to do."""
    if any(map(shutil.which, CHROMIUM)):
        return
    apt = shutil.which("apt-get")
    if apt is None or os.name == "nt" or os.geteuid() != 0:
        sys.exit(
            "dev.py browser: there is no Chromium here; install one (on Debian and Ubuntu: apt-get install chromium) "
            "and run the command again."
        )
    quietly = dict(os.environ) | {"DEBIAN_FRONTEND": "noninteractive"}
    run(apt, "update", "-q", env=quietly)
    run(apt, "install", "-y", "-q", "--no-install-recommends", "chromium", env=quietly)


def read_stamp() -> dict[str, str]:
    """Return what was last installed into ``.venv``; empty when that is not known."""
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    known = isinstance(stamp, dict) and stamp.get("level") in LEVELS
    return stamp if known and {"root", "pyproject"} <= stamp.keys() else {}


def python_of(venv: Path) -> tuple[int, int] | None:
    """Return the version of an environment's Python, or None when it does not start."""
    return version_of(program(venv, "python"))


def version_of(python: str | Path) -> tuple[int, int] | None:
    """Return the version of an interpreter, or None when it does not start."""
    command = [str(python), "-c", "import sys; print(*sys.version_info[:2])"]
    try:
        answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    major, minor = map(int, answer.split())
    return major, minor


def make_venv(folder: Path, clear: bool = False, interpreter: str = sys.executable) -> None:
    """Make a virtual environment with pip, or complete one that was interrupted."""
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        sys.exit(
            "This Python cannot make virtual environments: install its venv module "
            "(on Debian and Ubuntu: apt install python3-venv) and run the command again."
        )
    run(interpreter, "-m", "venv", *(["--clear"] if clear else []), folder)
    if (python_of(folder) or (0, 0)) < (3, 11):
        sys.exit(f"The Python in {folder} is older than 3.11: delete that folder and run again.")


def program(venv: Path, name: str) -> Path:
    """Return the path of a program inside a virtual environment."""
    return venv / "Scripts" / f"{name}.exe" if os.name == "nt" else venv / "bin" / name


def shared_kernel_cache(venv: Path = VENV) -> dict[str, str]:
    """Return the environment in which all processes share one cache of compiled kernels, and of bytecode.

    Numba does not notice when a kernel called from another file changes, so the name of
    the cache is taken from the text of all kernels together.
    """
    digest = hashlib.sha256()
    for path in sorted(KERNELS.rglob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    cache = venv / "numba-cache" / digest.hexdigest()[:16]
    found = {"NUMBA_CACHE_DIR": str(cache), **os.environ}
    # Several processes read the same modules, and tests start dozens more: what one has compiled the others load.
    found.pop("PYTHONDONTWRITEBYTECODE", None)
    return found


def one_thread_each(venv: Path = VENV) -> dict[str, str]:
    """Return the environment in which the test processes do not crowd each other."""
    names = ("OMP", "OPENBLAS", "MKL", "NUMBA")
    return {f"{name}_NUM_THREADS": "1" for name in names} | shared_kernel_cache(venv)


def run(*command: str | Path, cwd: Path = ROOT, env: dict[str, str] | None = None) -> None:
    """Say what is run, then run it."""
    words = [str(word) for word in command]
    print("+", shlex.join(shown(word) for word in words), flush=True)
    subprocess.run(words, cwd=cwd, env=shared_kernel_cache() if env is None else env, check=True)


def shown(word: str) -> str:
    """Shorten paths inside this folder for printing."""
    return word.removeprefix(f"{ROOT}{os.sep}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
