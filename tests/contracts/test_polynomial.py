"""Features that are products of two columns: their columns, their names, and what is refused."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from pair_matrices import (
    FORMS,
    N_COLUMNS,
    N_SAMPLES,
    as_dense,
    draw,
    every_dtype,
    every_form,
    every_setting,
    expanded,
)

from handful.spaces import Polynomial


@pytest.mark.parametrize(("gamma", "coef0"), [(1.0, 1.0), (0.3, 2.0), (2.5, 0.0)])
@pytest.mark.parametrize("form", ["row-major", "CSR"])
def test_the_features_and_a_constant_make_the_kernel(gamma, coef0, form):
    X = draw()
    space = Polynomial(gamma, coef0).on(FORMS[form](X))
    phi = as_dense(space.columns(np.arange(space.n_features)))
    kernel = (gamma * X @ X.T + coef0) ** 2
    np.testing.assert_allclose(phi @ phi.T + coef0**2, kernel, rtol=1e-12, atol=1e-12)


@every_form
@every_dtype
@every_setting
def test_columns_equal_the_expansion(form, dtype, setting):
    X = FORMS[form](draw(dtype))
    space = Polynomial(0.7, 1.3, **setting).on(X)
    expected = expanded(draw(dtype), space)
    assert space.n_features == expected.shape[1]
    assert (space.n_samples, space.dtype) == (N_SAMPLES, dtype)
    ids = np.random.default_rng(1).permutation(space.n_features)
    for some in (ids, ids[:4], ids[:1], ids[[0, 2, 0]], ids[:0]):
        columns = space.columns(some)
        assert columns.dtype == np.float64
        assert columns.shape == (N_SAMPLES, len(some))
        if sp.issparse(X):
            assert columns.format == "csc"
            assert columns.has_canonical_format
        else:
            assert columns.flags.f_contiguous
        np.testing.assert_allclose(as_dense(columns), expected[:, some], rtol=1e-13, atol=1e-300)
    np.testing.assert_array_equal(space.widths(ids), 1)


@pytest.mark.parametrize("convert", [np.array, sp.csr_array, sp.csc_array])
def test_new_rows_get_the_same_features(convert):
    X = draw()
    config = Polynomial(0.5)
    bound = config.on(convert(X[:15]))
    ids = np.array([3, 20, 40, 11])
    there = config.remembering(bound, ids).on(convert(X[15:]))
    np.testing.assert_allclose(as_dense(there.columns(ids)), expanded(X[15:], config)[:, ids])


def test_columns_are_a_copy():
    X = draw()
    space = Polynomial(0.5, 1.0).on(X)  # the factor of linear features is one
    space.columns(np.arange(N_COLUMNS))[:] = 7.0
    np.testing.assert_array_equal(X, draw())


def test_names():
    space = Polynomial().on(np.ones((2, 3)))
    plain = ["x0", "x1", "x2", "x0^2", "x0 x1", "x0 x2", "x1^2", "x1 x2", "x2^2"]
    assert space.names(np.arange(9)) == plain
    assert space.names(np.array([8, 4, 1]), ["age", "size", "cost"]) == [
        "cost^2",
        "age size",
        "size",
    ]
    assert space.names(np.array([], dtype=np.int64)) == []
    interactions = Polynomial(interaction_only=True, include_linear=False).on(np.ones((2, 3)))
    assert interactions.names(np.arange(3)) == ["x0 x1", "x0 x2", "x1 x2"]


def test_the_inputs_of_features():
    space = Polynomial().on(np.ones((2, 3)))
    assert space.inputs(np.array([1, 5])).tolist() == [0, 1, 2]  # x1 and x0 x2
    assert space.inputs(np.array([8, 2])).tolist() == [2]  # x2^2 and x2
    assert space.inputs(np.array([], dtype=np.int64)).tolist() == []


def test_a_configuration_is_plain():
    config = Polynomial(0.5, coef0=0, interaction_only=True)
    text = "Polynomial(gamma=0.5, coef0=0, interaction_only=True, include_linear=True, degree=2)"
    for twin in (config, copy.deepcopy(config), pickle.loads(pickle.dumps(config))):
        assert repr(twin) == text
    bound = config.on(draw())
    assert bound is not config
    assert vars(config) == vars(Polynomial(0.5, coef0=0, interaction_only=True))


def test_fingerprints_tell_features_apart():
    X = draw()
    changed = X.copy()
    changed[-1, -1] += 1e-9
    spaces = [
        Polynomial().on(X),
        Polynomial().on(changed),
        Polynomial().on(X[:, :-1]),
        Polynomial(gamma=2.0).on(X),
        Polynomial(coef0=2.0).on(X),
        Polynomial(interaction_only=True).on(X),
        Polynomial(include_linear=False).on(X),
        Polynomial().on(X.astype(np.float32)),
    ]
    prints = [space.fingerprint() for space in spaces]
    assert len(set(prints)) == len(prints)
    assert Polynomial().on(np.asfortranarray(X)).fingerprint() == prints[0]


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"degree": 3}, "degree must be 2, because .*; got 3."),
        ({"degree": 2.0}, "degree must be 2, because .*; got 2.0."),
        ({"degree": True}, "degree must be 2, because .*; got True."),
        ({"gamma": 0}, "gamma must be a number above 0; got 0."),
        ({"gamma": -1.0}, "gamma must be a number above 0; got -1.0."),
        ({"gamma": float("nan")}, "gamma must be a number above 0; got nan."),
        ({"gamma": float("inf")}, "gamma must lie between .*; got inf."),
        ({"gamma": "1"}, "gamma must be a number above 0; got '1'."),
        ({"coef0": -0.5}, "coef0 must be a number from 0 to 1e.75; got -0.5."),
        ({"coef0": float("nan")}, "coef0 must be a number from 0 to 1e.75; got nan."),
        ({"coef0": float("inf")}, "coef0 must be a number from 0 to 1e.75; got inf."),
        ({"coef0": None}, "coef0 must be a number from 0 to 1e.75; got None."),
        ({"include_linear": 1}, "include_linear must be True or False; got 1."),
        ({"interaction_only": "no"}, "interaction_only must be True or False; got 'no'."),
    ],
)
def test_wrong_parameters_are_named_when_data_comes(parameters, sentence):
    config = Polynomial(**parameters)
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        config.on(draw())


def test_data_without_pairs_or_with_too_many():
    one = np.ones((3, 1))
    with pytest.raises(
        ValueError, match=r"^X has one column, which makes no pair with another; set"
    ):
        Polynomial(interaction_only=True, include_linear=False).on(one)
    assert Polynomial(interaction_only=True).on(one).n_features == 1
    assert Polynomial(interaction_only=True).on(one).top(np.ones(3), 5)[0].tolist() == [0]
    too_many = sp.csr_array((1, 5_000_000_000))
    with pytest.raises(
        ValueError, match=r"^X has 5000000000 columns, whose pairs are more than 64-bit"
    ):
        Polynomial().on(too_many)


@pytest.mark.parametrize(
    "ask",
    [
        lambda space: space.top(np.ones(3), 1),
        lambda space: space.columns(np.array([0])),
        lambda space: space.names(np.array([0])),
        lambda space: space.fingerprint(),
    ],
)
def test_a_space_without_data_says_so(ask):
    with pytest.raises(TypeError, match=r"has no data yet; use what its on\(X\) returns"):
        ask(Polynomial())
