"""Lists of names in pages and in help, made from the registries: ``python3 dev.py lists`` writes them."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import parameters_page

from handful.cli.methods.fgm import known_kernels
from handful.losses import known_losses, resolve_loss
from handful.measures import PrecisionAtK, known_measures
from handful.methods.fgm.solvers import known_solvers

ROOT = Path(__file__).resolve().parents[1]
#: Packages whose public names are members of a family; the reference has them as ``__all__`` does.
FAMILIES = ("handful.losses", "handful.measures", "handful.spaces")
LABELS, WEIGHT = np.resize([-1.0, 1.0], 20), np.ones(20)


def help_names(text: str) -> str:
    """Return cli/names.py: the constants below its first paragraph."""
    lists = {
        "CLASSIFICATION_LOSSES": known_losses("classification"),
        "REGRESSION_LOSSES": known_losses("regression"),
        "MEASURES": measure_texts(),
        "SOLVERS": known_solvers(),
        "KERNELS": known_kernels(),
    }
    lines = [f"{name} = ({_quoted(words)})" for name, words in lists.items()]
    return text.partition("\n\n")[0] + "\n\n" + "\n".join(lines) + "\n"


def _quoted(words) -> str:
    """Return the inside of a tuple as the formatter leaves it."""
    quoted = [f'"{word}"' for word in words]
    one_line = ", ".join(quoted) + ("," if len(quoted) == 1 else "")
    if len(one_line) < 80:
        return one_line
    return "\n" + "".join(f"    {word},\n" for word in quoted)


def measure_texts() -> list[str]:
    """Return what each measure may be called."""
    return [text for cls in known_measures().values() for text in cls.example_texts()]


def reference(text: str) -> str:
    """Return docs/api.md with the names of the families."""
    for module in FAMILIES:
        names = "".join(f"   {name}\n" for name in importlib.import_module(module).__all__)
        head = rf"(\.\. currentmodule:: {re.escape(module)}\n\n\.\. autosummary::\n   :toctree: api\n\n)"
        text, count = re.subn(rf"{head}(?:   \w+\n)+", rf"\g<1>{names}", text)
        assert count == 1, module
    return text


def errors(text: str) -> str:
    """Return docs/errors.md with the sentences that list losses and measures."""
    provoked = {
        "loss must be one of ": lambda: resolve_loss("f_1", "classification"),
        "prec@10 is not defined for weighted": lambda: PrecisionAtK(10).check(LABELS, WEIGHT),
    }
    for start, call in provoked.items():
        try:
            call()
        except ValueError as error:
            sentence = f"ValueError: {error}"
        text, count = re.subn(rf"^ValueError: {start}.*$", sentence, text, flags=re.MULTILINE)
        assert count == 1, start
    return text


def measures_in_prose(text: str) -> str:
    """Return docs/shell.md with the measures where it lists them."""
    listed = ", ".join(f"`{one}`" for one in measure_texts())
    block = r"(<!-- list: measures -->).*?(<!-- end -->)"
    text, count = re.subn(block, rf"\g<1>{listed}\g<2>", text, flags=re.DOTALL)
    assert count == 1
    return text


#: What is written, and how each file follows from what it says now.
WRITTEN: dict[str, Callable[[str], str]] = {
    "src/handful/cli/names.py": help_names,
    "docs/api.md": reference,
    "docs/errors.md": errors,
    "docs/shell.md": measures_in_prose,
    "docs/parameters.md": parameters_page.rewritten,
}

if __name__ == "__main__":
    for name, rewritten in WRITTEN.items():
        path = ROOT / name
        before = path.read_text(encoding="utf-8")
        after = rewritten(before)
        if after != before:
            path.write_text(after, encoding="utf-8")
            print(f"{name}: written anew")
