"""A saved model of bags: text ids, sparse instances, and a hand that alters the file."""

import numpy as np
import pytest
import scipy.sparse as sp
from saved_models import alter, put
from some_bags import dense

from handful import Bags, MILESClassifier
from handful.datasets import make_bags
from handful.io import InputError, load_model, save_model

DATA = make_bags(n_bags=30, mean_size=3, n_features=4, random_state=0)


@pytest.mark.parametrize("kind", ["dense", "sparse", "float32"])
def test_round_trip(tmp_path, kind):
    ids = np.repeat([f"b{b:02}" for b in range(30)], DATA.bags.sizes)
    instances = DATA.bags.instances
    if kind != "dense":
        instances = sp.csr_array(instances) if kind == "sparse" else instances.astype(np.float32)
    bags = Bags(instances, ids)
    model = MILESClassifier(3, C="fast").fit(bags, DATA.y)
    save_model(model, tmp_path / "m")
    again = load_model(tmp_path / "m")
    assert again.selected_instances_ == model.selected_instances_
    assert again.gamma_ == model.gamma_
    np.testing.assert_array_equal(dense(again.prototypes_), dense(model.prototypes_))
    np.testing.assert_array_equal(again.transform(bags), model.transform(bags))
    np.testing.assert_array_equal(again.instance_scores(bags)[2], model.instance_scores(bags)[2])


@pytest.mark.parametrize(
    ("member", "array"),
    [
        ("space_.instances", np.zeros((3, 9))),
        ("space_.ids", np.array([0, 1, 10**9])),
        ("space_.gamma", np.array([np.nan])),
        ("support_ids_", np.array([0, 1, 2])),
    ],
)
def test_altered_files_are_refused(tmp_path, member, array):
    model = MILESClassifier(3, C="fast").fit(DATA.bags, DATA.y)
    assert model.support_ids_.tolist() != [0, 1, 2]
    save_model(model, tmp_path / "m")
    alter(tmp_path / "m", put(member, array))
    with pytest.raises(InputError, match="does not make sense"):
        load_model(tmp_path / "m")
