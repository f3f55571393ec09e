"""``handful export``: a saved model for other programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from handful.cli.console import say, write_file
from handful.cli.options import Model, check_word
from handful.cli.outputs import check_output_files

if TYPE_CHECKING:
    from handful.io import ModelFile


FORMS = ("json", "onnx", "sklearn")


def command(
    model: Model,
    form: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="FORM",
            help="json (numbers and text), onnx (needs handful[onnx]) or sklearn (a joblib file).",
        ),
    ],
    destination: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where it goes.")
    ],
) -> None:
    """Write a saved model for programs that know nothing of handful.

    All forms look at the chosen columns only, in the order that they list. The scikit-learn estimator is
    written with joblib: opening such a file runs code from it, so give it to those who trust you. handful itself
    never opens one.

    Example: handful export model.handful --to onnx -o model.onnx
    """
    check_word("to", form, FORMS)
    check_output_files({"--output": destination}, model)
    from handful.io import read_model_file

    saved = read_model_file(model)
    content = _content(saved, form)
    write_file(destination, content)
    if form != "json" and hasattr(saved.estimator, "calibration_"):
        say(f"its calibration is left out of {form}; json has it")


def _content(saved: ModelFile, form: str) -> bytes:
    if form == "sklearn":
        import io

        import joblib

        buffer = io.BytesIO()
        joblib.dump(saved.estimator.to_sklearn(), buffer)
        return buffer.getvalue()
    from handful.io.exports import model_as_json, model_as_onnx

    if form == "onnx":
        return model_as_onnx(saved)
    return (json.dumps(model_as_json(saved), allow_nan=False, indent=1) + "\n").encode()
