"""``handful demo``: the main job on data that it makes itself."""

from __future__ import annotations

import io
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from handful.cli.console import (
    COMPILING,
    LONG,
    Interrupted,
    output,
    print_json,
    progress,
    write_file,
)
from handful.cli.options import Json, Seed
from handful.files import OutputError, check_place

if TYPE_CHECKING:
    from rich.console import Console

    from handful.datasets import SyntheticData


_TRAIN, _TEST = "genes.npz", "new_genes.npz"
#: With so many rows the certificate is tight.
_ROWS = 3000
_CORNER = (200, 300)


def command(
    seed: Seed = 0,
    keep: Annotated[
        Path | None,
        typer.Option(
            "--keep", metavar="FOLDER", help="Keep the data here, to try the commands on."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make 3000 rows of 5000 features, ten of which decide, find the ten, and prove how good they are.

    Example: handful demo
    """
    if keep is not None:
        check_place(keep / _TRAIN)
    from handful import FGMClassifier
    from handful.cli.feature_names import FeatureNames
    from handful.cli.model_tables import describe, print_report
    from handful.datasets import make_demo

    data = make_demo(_ROWS, dtype="float32", random_state=seed)
    k = len(data.true_ids)
    if keep is not None:
        _keep(data, keep)
    with progress(COMPILING):
        compiling = _warm_up(data)
    with progress("selecting") as show:
        estimator = FGMClassifier(n_features_to_select=k, certify=True, verbose=show or False)
        start = time.perf_counter()
        estimator.fit(data.X_train, data.y_train)
        seconds = time.perf_counter() - start
    if estimator.status_.name == "INTERRUPTED":
        raise Interrupted("interrupted")
    figures = _compare(estimator, data) | {"seconds": seconds, "compile_seconds": compiling}
    names = FeatureNames(data.feature_names, data.X_train.shape[1])
    if as_json:
        print_json({**describe(estimator, names), **figures})
        return
    console = output()
    print_report(console, estimator, names)
    _print_figures(console, figures, k, data.X_train.shape[1])
    _print_commands(console, keep, k)


def _warm_up(data: SyntheticData) -> float:
    """Fit a corner of the data, so that everything is compiled or loaded; return the seconds."""
    from handful import FGMClassifier

    rows, columns = _CORNER
    corner, y = data.X_train[:rows, :columns].copy(), data.y_train[:rows]
    start = time.perf_counter()
    FGMClassifier(n_features_to_select=len(data.true_ids), certify=True).fit(corner, y)
    return time.perf_counter() - start


def _keep(data: SyntheticData, folder: Path) -> None:
    import numpy as np

    names = np.array(data.feature_names)
    contents = {}
    for name, X, y in [(_TRAIN, data.X_train, data.y_train), (_TEST, data.X_test, data.y_test)]:
        buffer = io.BytesIO()
        np.savez(buffer, X=X, y=y, feature_names=names)
        contents[folder / name] = buffer.getvalue()
    for place, content in contents.items():
        if place.exists() and not (place.is_file() and place.read_bytes() == content):
            raise OutputError(
                f"{place} is there already and is not of this demo; keep it elsewhere"
            )
    for place, content in contents.items():
        write_file(place, content)


def _compare(estimator: Any, data: SyntheticData) -> dict[str, Any]:
    """Score the selection against the truth and against a model of all features."""
    import numpy as np
    from sklearn.svm import LinearSVC

    with progress("fitting a linear SVM on all features, to compare"):
        everything = LinearSVC(dual=True, random_state=0).fit(data.X_train, data.y_train)
    return {
        "n_true": len(data.true_ids),
        "n_true_found": len(np.intersect1d(data.true_ids, estimator.support_ids_)),
        "test_accuracy": estimator.score(data.X_test, data.y_test),
        "test_accuracy_all_features": everything.score(data.X_test, data.y_test),
    }


def _print_figures(console: Console, figures: dict[str, Any], k: int, n_features: int) -> None:
    told = (
        f"\n{figures['n_true_found']} of the {figures['n_true']} features that decide were found, "
        f"in {figures['seconds']:.2f} seconds."
    )
    if figures["compile_seconds"] > LONG:
        told += f" Before that {figures['compile_seconds']:.0f} seconds went into compiling, which is done once."
    console.print(told, soft_wrap=True)
    console.print(
        f"accuracy on new rows: {figures['test_accuracy']:.3f} with {k} features, "
        f"{figures['test_accuracy_all_features']:.3f} with all {n_features} (linear SVM).",
        soft_wrap=True,
    )


def _print_commands(console: Console, keep: Path | None, k: int) -> None:
    train, test = _TRAIN, _TEST
    if keep is None:
        console.print("\nThe same with your own data (or with --keep FOLDER with these):")
    else:
        console.print("\nThe same, typed:")
        train, test = str(keep / train), str(keep / test)
    for line in (
        f"handful select {train} --target y -k {k} --certify -o model.handful",
        f"handful path {train} --target y -k 2,5,{k},20,50 --cv 5 --plot curve.png",
        f"handful predict model.handful {test} -o predictions.csv",
        "handful inspect model.handful",
    ):
        console.print(f"    {line}", soft_wrap=True)
