"""The package as installed: it imports quickly and says truly what it is."""

import importlib.metadata
import importlib.resources
import inspect
import json
import pkgutil
import subprocess
import sys

import pytest

import handful
from handful import losses, spaces
from handful.cli import methods
from handful.cli.methods import METHODS, Method
from handful.inspection.html_report import reproduce
from handful.losses import SmoothLoss
from handful.methods.fgm import solvers
from handful.methods.fgm.solvers import Solver
from handful.spaces import FeatureSpace

HEAVY = [
    "joblib",
    "matplotlib",
    "numba",
    "numpy",
    "pandas",
    "polars",
    "pyarrow",
    "scipy",
    "sklearn",
]


def modules_after(statement):
    code = f"import json, sys; {statement}; print(json.dumps(sorted(sys.modules)))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return set(json.loads(result.stdout))


def test_import_loads_nothing_heavy():
    loaded = modules_after("import handful")
    assert "handful" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_using_a_public_name_loads_its_module():
    assert "handful.status" in modules_after("from handful import Status")


@pytest.mark.parametrize("name", [name for name in handful.__all__ if name != "__version__"])
def test_public_names_resolve(name):
    value = getattr(handful, name)
    assert value.__name__.rpartition(".")[2] == name
    assert name in dir(handful)
    assert getattr(handful, name) is value


def test_what_users_of_models_need_is_at_the_top():
    assert {"load_model", "save_model", "open_store", "Bags", "History", "Status"} <= set(
        handful.__all__
    )


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="FGMClasifier"):
        _ = handful.FGMClasifier


def test_version_is_that_of_the_installed_package():
    assert importlib.metadata.version("handful") == handful.__version__


def test_command_is_installed():
    [command] = importlib.metadata.entry_points(group="console_scripts", name="handful")
    assert command.value == "handful.cli:main"


def test_package_carries_its_types():
    assert (importlib.resources.files("handful") / "py.typed").is_file()


def public_classes(package, family):
    """Yield the members of a family that the files of a package define: those with a name, spaces that are complete."""
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        module = importlib.import_module(found.name)
        for name, cls in inspect.getmembers(module, inspect.isclass):
            is_own = cls.__module__ == module.__name__ and not name.startswith("_")
            if not is_own or not issubclass(cls, family):
                continue
            if "name" in vars(cls) or (family is FeatureSpace and not inspect.isabstract(cls)):
                yield cls


@pytest.mark.parametrize(
    ("package", "family"),
    [(losses, SmoothLoss), (solvers, Solver), (methods, Method), (spaces, FeatureSpace)],
)
def test_what_a_file_defines_is_in_the_list_of_its_package(package, family):
    """A class that nobody imports exists for tests that import its file, and for no user."""
    found = list(public_classes(package, family))
    assert found
    listed = {type(one) for one in METHODS.values()} if family is Method else vars(package).values()
    assert [cls for cls in found if cls not in listed] == []


def test_every_estimator_is_cited():
    estimators = {name for name in handful.__all__ if hasattr(getattr(handful, name), "fit")}
    assert estimators == set(reproduce._OF_ESTIMATOR)
