import pathlib

import pytest

import yoke

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def examples():
    return ROOT / "examples"


@pytest.fixture(autouse=True)
def in_scratch(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def oscillator():
    """x'' = -4 x, the spring apart from the mass."""
    s = yoke.System(name="oscillator")
    s.add("body", yoke.Part(lambda t, x, u: [x[1], u[0]], states=["x", "v"],
                            inputs=["f"], x0=[1, 0], timeless=True))
    s.add("spring", yoke.Linear(D=-4, inputs=["x"], outputs=["f"]))
    s.connect("body.f = spring.f")
    s.connect("spring.x = body.x")
    return s
