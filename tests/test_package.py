"""The package as installed: it imports quickly and says truly what it is."""

import importlib.metadata
import importlib.resources
import json
import subprocess
import sys

import pytest

import handful

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
