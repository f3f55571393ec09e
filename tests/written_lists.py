"""Lists of names in pages and in help, made from the registries: ``python3 dev.py lists`` writes them."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import parameters_page
from typer.main import get_command

from handful.cli.app import app
from handful.cli.methods.fgm import known_kernels
from handful.losses import known_losses, resolve_loss
from handful.measures import PrecisionAtK, known_measures, measure_texts
from handful.methods.fgm.solvers import known_solvers

ROOT = Path(__file__).resolve().parents[1]
#: Packages whose public names are members of a family; the reference has them as ``__all__`` does.
FAMILIES = ("handful.losses", "handful.measures", "handful.spaces")
#: Commands that fit as ``select`` does; of the rest of their options the page says no more than that.
AS_SELECT = ("path", "stability")
#: The first cell of a row about options, and what is typed of them.
OPTION_ROW = re.compile(r"^\| (`-[^|]*) \| (?!as for select)", re.MULTILINE)
FLAG = re.compile(r"`(--?[A-Za-z][\w-]*)`")
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


def shell(text: str) -> str:
    """Return docs/shell.md with the measures, and the options that commands have as ``select`` has them."""
    text = with_list(text, "measures", measure_texts())
    for command in AS_SELECT:
        head, title, rest = text.partition(f"\n## handful {command}\n")
        section, end, after = rest.partition("\n## ")
        text = head + title + options_as_for_select(command, section) + end + after
    return text


def options_as_for_select(command: str, section: str) -> str:
    """Return the section of a command; its options that have no row of their own are those of ``select``."""
    table = section.partition("| option | |\n")[2]
    own = {flag for row in OPTION_ROW.findall(table) for flag in FLAG.findall(row)}
    others = _in_code(flag for flag in flags_of(command) if flag not in own)
    section, count = re.subn(
        r"(?m)^\| .* \| as for select \|$", f"| {others} | as for select |", section
    )
    assert count == 1, command
    return section


def flags_of(command: str) -> list[str]:
    """Return the options of a command as they are typed, in the order of its help."""
    flags = [
        flag
        for parameter in get_command(app).commands[command].params
        if parameter.param_type_name == "option"
        for flag in (*parameter.opts, *parameter.secondary_opts)
    ]
    return [flag for flag in flags if flag not in ("--help", "-h")]


def losses_table(text: str) -> str:
    """Return docs/how-to-choose.md with a row for each loss."""
    of_classes_first = [
        *known_losses("classification").items(),
        *known_losses("regression").items(),
    ]
    rows = [f'`"{name}"` | {first_line(cls)} | {cls.use}' for name, cls in of_classes_first]
    return with_rows(text, "| loss | one sample costs | use it for |", rows)


def measures_page(text: str) -> str:
    """Return docs/measures.md with a row for each measure, and the lists of those that are alike in something."""
    rows, known = [], known_measures().values()
    for cls in known:
        parameters = ", ".join(inspect.signature(cls).parameters)
        rows.append(
            f"{_in_code(cls.example_texts())} | `{cls.__name__}({parameters})` | {first_line(cls)}"
        )
    text = with_rows(text, "| text | class in `handful.measures` | value |", rows)
    alike = {
        "weighted": lambda cls: cls.accepts_weight,
        "of positives": lambda cls: cls.needs_positives,
        "of negatives": lambda cls: cls.needs_negatives,
    }
    for title, has in alike.items():
        text = with_list(text, title, [cls.example_texts()[0] for cls in known if has(cls)])
    return text


def docstring_of_classifier(text: str) -> str:
    """Return estimators/fgm.py with the losses of classes in the docstring."""
    names = ", ".join(f'"{name}"' for name in known_losses("classification"))
    text, count = re.subn(r"    loss : \{.*?\}", f"    loss : {{{names}}}", text)
    assert count == 1
    return text


def docstring_of_regressor(text: str) -> str:
    """Return estimators/fgm_regressor.py with the losses of quantities in the docstring."""
    names = " or ".join(f'"{name}"' for name in known_losses("regression"))
    old = r'(``loss`` is )"\w+"(?: or "\w+")*(\.)'
    text, count = re.subn(old, rf"\g<1>{names}\g<2>", text)
    assert count == 1
    return text


def with_rows(text: str, header: str, rows: list[str]) -> str:
    """Return a page with these rows below the header of a table, in the place of those that begin with one word in code or several."""
    old = rf"({re.escape(header)}\n[|-]+\n)(?:\| `[^`|]+`(?:, `[^`|]+`)* \|.*\n)*"
    written = "".join(f"| {row} |\n" for row in rows)
    text, count = re.subn(old, lambda found: found[1] + written, text)
    assert count == 1, header
    return text


def with_list(text: str, title: str, words: list[str]) -> str:
    """Return a page with these words between the marks of a list."""
    block = rf"(<!-- list: {title} -->).*?(<!-- end -->)"
    text, count = re.subn(block, rf"\g<1>{_in_code(words)}\g<2>", text, flags=re.DOTALL)
    assert count == 1, title
    return text


def first_line(cls: type) -> str:
    """Return the first line of a class's docstring as the cell of a table has it."""
    line = inspect.getdoc(cls).partition("\n")[0].rstrip(".")
    return line.replace("``", "`").replace("|", "\\|")


def _in_code(words) -> str:
    return ", ".join(f"`{word}`" for word in words)


#: What is written, and how each file follows from what it says now.
WRITTEN: dict[str, Callable[[str], str]] = {
    "src/handful/cli/names.py": help_names,
    "src/handful/estimators/fgm.py": docstring_of_classifier,
    "src/handful/estimators/fgm_regressor.py": docstring_of_regressor,
    "docs/api.md": reference,
    "docs/errors.md": errors,
    "docs/how-to-choose.md": losses_table,
    "docs/measures.md": measures_page,
    "docs/shell.md": shell,
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
