"""Results: values with their uncertainty, tables, pages and plots."""

import copy
import pickle

import numpy as np
import pytest

import ricochet


@pytest.fixture(scope="module")
def estimate(example, throw):
    paths = ["bodies.ellipse.inertia / bodies.ellipse.mass", "contact.friction", "contact.restitution"]
    return ricochet.identify(example("plywood_ellipse.yaml"), throw, paths, profiles=["contact.friction"])


def test_parameters_have_value_std_and_interval(estimate):
    friction = estimate["contact.friction"]
    lower, upper = friction.interval
    assert lower < friction.value < upper and friction.std > 0 and friction.unit == "-"
    assert float(friction) == friction.value
    assert estimate["bodies.ellipse.inertia/bodies.ellipse.mass"].value == pytest.approx(7.56e-4, rel=0.05)
    assert estimate.scene["contact.friction"] == friction.value
    assert list(estimate) == estimate.paths and "contact.friction" in estimate and len(estimate) == 3
    with pytest.raises(ricochet.InputError, match="contact.friction"):
        estimate["contact.frction"]


def test_covariance_has_labels(estimate):
    covariance = estimate.covariance
    assert covariance["contact.friction", "contact.friction"] == pytest.approx(estimate["contact.friction"].std ** 2)
    assert covariance["contact.friction"].shape == (3,)
    assert np.allclose(np.diag(estimate.correlation), 1)
    again = pickle.loads(pickle.dumps(covariance))
    assert again.labels == covariance.labels and np.array_equal(again, covariance)


def test_copies_compare_and_pickle(estimate):
    for same in (copy.copy(estimate), copy.deepcopy(estimate), pickle.loads(pickle.dumps(estimate))):
        assert same == estimate and same.to_json() == estimate.to_json()
    assert ricochet.Estimate.from_json(estimate.to_json()).to_json() == estimate.to_json()


def test_every_result_pickles(toss, tosses, throw):
    results = [
        ricochet.simulate(toss),
        ricochet.doctor(tosses, toss),
        ricochet.validate(toss, tosses[:2]),
        ricochet.predict(toss, tosses[:2], samples=10),
        ricochet.sweep(toss, tosses[:2], {"contact.friction": (0.2, 0.4, 3)}),
    ]
    for result in results:
        same = pickle.loads(pickle.dumps(result))
        assert same == result and same.describe() == result.describe()
        assert isinstance(repr(result), str) and result._repr_html_()


def test_tables(estimate, toss, tosses):
    pytest.importorskip("pandas")
    frame = estimate.to_dataframe()
    assert frame.loc["contact.friction", "value"] == estimate["contact.friction"].value
    assert estimate.covariance.to_dataframe().shape == (3, 3)
    assert len(ricochet.validate(toss, tosses[:2]).to_dataframe()) == 2
    assert len(ricochet.predict(toss, tosses[:2], samples=10).to_dataframe()) == 2
    assert len(ricochet.sweep(toss, tosses[:2], {"contact.friction": (0.2, 0.4, 3)}).to_dataframe()) == 3
    assert len(ricochet.simulate(toss).to_dataframe()) > 100


def test_pages(estimate, toss, tosses, tmp_path):
    assert "good" in estimate._repr_html_() or "limited" in estimate._repr_html_()
    assert "srcdoc" in estimate.show()._repr_html_()
    for result in (
        ricochet.simulate(toss),
        ricochet.validate(toss, tosses[:2]),
        ricochet.predict(toss, tosses[:2], samples=10),
        ricochet.sweep(toss, tosses[:2], {"contact.friction": (0.2, 0.4, 3)}),
    ):
        result.report(tmp_path / "page.html")
        assert (tmp_path / "page.html").stat().st_size > 100_000


def test_plots(estimate, toss, tosses):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    for kind in ("residuals", "intervals", "pairs", "profiles"):
        assert len(np.ravel(estimate.plot(kind))) >= 1
    tosses[0].plot()
    ricochet.simulate(toss).plot()
    ricochet.predict(toss, tosses[:2], samples=10).plot()
    ricochet.sweep(toss, tosses[:2], {"contact.friction": (0.2, 0.4, 3)}).plot()
    import matplotlib.pyplot

    matplotlib.pyplot.close("all")


def test_draws_have_the_covariance(estimate):
    draws = estimate.samples(20000, seed=1)
    assert np.allclose(draws.std(axis=0), np.sqrt(np.diag(estimate.covariance)), rtol=0.03)
    assert np.allclose(np.corrcoef(draws.T), estimate.correlation, atol=0.04)  # 5 standard errors
    assert np.array_equal(draws, estimate.samples(20000, seed=1))


@pytest.fixture(scope="module")
def resampled(example, throw):
    paths = "contact.friction, contact.restitution"
    return ricochet.identify(example("plywood_ellipse.yaml"), throw, paths, bootstrap=12)


def test_repetitions_of_the_bootstrap_are_kept(resampled):
    draws = resampled.samples(source="bootstrap")
    assert draws.shape == (len(resampled.bootstrap.values), 2) and len(draws) >= 10
    assert np.allclose(draws.std(axis=0, ddof=1), np.sqrt(np.diag(resampled.covariance)))
    assert np.allclose(np.corrcoef(draws.T), np.corrcoef(np.transpose(resampled.bootstrap.values)))
    again = pickle.loads(pickle.dumps(resampled))
    assert np.array_equal(again.samples(source="bootstrap"), draws)
    from_text = ricochet.Estimate.from_json(resampled.to_json())
    assert np.array_equal(from_text.samples(source="bootstrap"), draws)


def test_draws_from_a_profile_fill_its_interval(estimate):
    draws = estimate.samples(20000, seed=2, source="profile")
    column = draws[:, estimate.paths.index("contact.friction")]
    lower, upper = estimate["contact.friction"].interval
    assert np.mean((column > lower) & (column < upper)) == pytest.approx(0.95, abs=0.01)
    assert np.isnan(draws[:, estimate.paths.index("contact.restitution")]).all()


def test_what_has_no_draws(estimate, resampled):
    for each, source in ((estimate, "bootstrap"), (resampled, "profile"), (estimate, "dream")):
        with pytest.raises(ricochet.InputError, match="bootstrap|profile"):
            each.samples(source=source)


def test_arviz(estimate, resampled):
    pytest.importorskip("arviz")
    assert "contact.friction" in estimate.to_arviz(100).posterior
    chain = resampled.to_arviz().posterior["contact.friction"].values
    assert np.array_equal(chain[0], resampled.samples(source="bootstrap")[:, 0])
    assert list(estimate.to_arviz(100, source="profile").posterior) == ["contact.friction"]


def test_check_raises_for_a_rejected_estimate(example):
    t = np.arange(8) / 240
    few = ricochet.Recording({"t": t, "x": t, "y": 1 - 4.905 * t**2, "theta": 0 * t})
    try:
        estimate = ricochet.identify(example("plywood_ellipse.yaml"), few, "contact.friction")
    except ricochet.InputError:
        return  # refused before it was fitted
    if str(estimate.verdict) == "rejected":
        with pytest.raises(ricochet.NumericsError):
            estimate.check()
    else:
        assert estimate["contact.friction"].value is None or not estimate["contact.friction"].identifiable
