"""Files: systems, netlists, models; results and errors."""

import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import yoke

MODEL = """model Decay
  parameter Real k(unit = "1/s") = 2;
  Real x(start = 1, fixed = true, unit = "V");
equation
  der(x) = -k*x;
end Decay;
"""
SYSTEM = """yoke: 1
name: decays
run: {stop: 1, rtol: 1e-8}
subsystems:
  a: {model: decay.mo, parameters: {k: 3}}
couplings: []
"""
NETLIST = """low pass
V1 in 0 pulse(0 1 0 1u 1u 1 2)
R1 in out 1k
C1 out 0 1u
.tran 10u 5m
.op
.measure tran top max v(out)
.end
"""


@pytest.fixture
def decay(tmp_path):
    (tmp_path / "decay.mo").write_text(MODEL)
    path = tmp_path / "system.yaml"
    path.write_text(SYSTEM)
    return path


def test_a_system_file_runs(decay):
    r = yoke.run(decay)
    assert r.converged and r.time[0] == 0 and r.time[-1] == 1
    assert np.abs(r["a.x"] - np.exp(-3 * r.time)).max() < 1e-7
    assert r.units["a.x"] == "V" and r.units["time"] == "s"


def test_parameters_and_options_replace_those_of_the_file(decay):
    r = yoke.run(decay, rtol=1e-9, stop=2, parameters={"a.k": 4})
    assert r.time[-1] == 2
    assert r.final["a.x"] == pytest.approx(np.exp(-8), rel=1e-6)
    s = yoke.System(decay)
    assert s.parameters() == {"a.k": 3.0}
    assert s.run(parameters={"a.k": "5 1/s"}).final["a.x"] == pytest.approx(
        np.exp(-5), rel=1e-6)
    assert s.run().final["a.x"] == pytest.approx(np.exp(-3), rel=1e-6)


def test_times_take_units_as_on_the_command_line(decay):
    r = yoke.run(decay, stop="500 ms", every="100ms")
    assert r.time == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5])
    assert yoke.run(decay, every="step", stop=0.1).time[-1] == 0.1
    with pytest.raises(yoke.YokeError, match="is not a number"):
        yoke.run(decay, stop="3 kg")


def test_a_folder_a_model_and_a_text_path_are_read(decay, tmp_path):
    assert yoke.run(str(tmp_path)).converged
    assert yoke.run("decay.mo", stop=1).final["Decay.x"] == pytest.approx(
        np.exp(-2), rel=1e-5)


def test_a_netlist_runs_with_analyses_and_measures(tmp_path):
    path = tmp_path / "low pass µ.cir"
    path.write_text(NETLIST)
    r = yoke.run(path)
    assert r["v(out)"][-1] == pytest.approx(1 - np.exp(-5), rel=1e-3)
    assert r.measures["top"] == pytest.approx(r["v(out)"].max(), rel=1e-3)
    assert "v(out)" in r.tables["op"]
    assert "svg" in r._repr_html_()


def test_no_file_is_written_unless_it_is_asked_for(decay, tmp_path):
    decay.write_text(SYSTEM + "output: {file: out.csv}\n")
    before = set(tmp_path.rglob("*.csv"))
    yoke.run(decay)
    assert set(tmp_path.rglob("*.csv")) == before
    r = yoke.run(decay, output=tmp_path / "größe.csv")
    again = yoke.read(tmp_path / "größe.csv")
    assert again.names == r.names
    assert np.array_equal(again.values, r.values)
    assert again.notes["generator"] == "yoke"


@pytest.mark.parametrize("name", ["a.csv", "a.h5", "a.raw"])
def test_results_are_saved_and_read(decay, name):
    r = yoke.run(decay)
    try:
        r.save(name)
    except yoke.YokeError as error:
        if error.name == "YOKE_E_MISSING":
            pytest.skip(str(error))
        raise
    again = yoke.read(name)
    assert again.names == r.names and np.array_equal(again.values, r.values)


def test_the_rows_are_those_of_the_program(decay, examples):
    program = pathlib.Path(yoke.__file__).parents[2] / "yoke"
    if not program.exists():
        pytest.skip("the program is not beside the package")
    r = yoke.run(examples / "two-masses")
    subprocess.run([program, "run", examples / "two-masses", "--quiet",
                    "--output-file", "p.csv"], check=True)
    p = yoke.read("p.csv")
    assert p.names == r.names and np.array_equal(p.values, r.values)


def test_errors_say_what_the_program_says(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("yoke: 1\nsubsystems:\n  a: {modle: x.mo}\n")
    with pytest.raises(yoke.YokeError) as caught:
        yoke.run(path)
    e = caught.value
    assert e.file == str(path) and e.line == 3 and e.column > 0
    assert "modle" in str(e) and e.status < 0 and e.name.startswith("YOKE_E_")
    program = pathlib.Path(yoke.__file__).parents[2] / "yoke"
    if program.exists():
        told = subprocess.run([program, "run", path], capture_output=True,
                              text=True)
        assert told.returncode != 0 and str(e) in told.stderr
    copy = pickle.loads(pickle.dumps(e))
    assert str(copy) == str(e) and copy.line == 3
    with pytest.raises(yoke.YokeError, match="No such file"):
        yoke.run("not there.yaml")
    with pytest.raises(yoke.YokeError, match='did you mean "stop"'):
        yoke.System(name="x").add(
            "a", yoke.Part(lambda t, x: -x, x0=[1])).run(stpo=1)
    with pytest.raises(yoke.YokeError, match='"t_end"; it is called "stop"'):
        yoke.System(name="x").add(
            "a", yoke.Part(lambda t, x: -x, x0=[1])).run(t_end=1)
    with pytest.raises(TypeError, match="'steppr'; did you mean 'stepper'"):
        yoke.Part(lambda t, x: -x, x0=[1], steppr="rk4")


def test_columns_suggest_and_match(decay):
    r = yoke.run(decay)
    with pytest.raises(KeyError, match="did you mean 'a.x'"):
        r["a.xx"]
    assert r.match("a.*") == ["a.x"] and "a.x" in r and len(r) == 2
    assert r.at(0.5, "a.x") == pytest.approx(np.exp(-1.5), rel=1e-3)
    assert r.at([0, 1], "a.x").shape == (2,)
    with pytest.raises(ValueError, match="not between"):
        r.at(2.0)


def test_a_frame_has_times_and_names(decay):
    pytest.importorskip("pandas")
    frame = yoke.run(decay).frame()
    assert list(frame.columns) == ["a.x"] and frame.index.name == "time"


def test_results_outlive_their_system(decay):
    column = yoke.run(decay)["a.x"]
    for _ in range(3):
        yoke.run(decay)
    assert column[0] == 1.0 and np.isfinite(column).all()


def test_the_package_is_typed():
    here = pathlib.Path(yoke.__file__).parent
    assert (here / "py.typed").exists() and (here / "_core.pyi").exists()
    missing = [n for n in yoke.__all__ if not getattr(yoke, n).__doc__]
    assert missing == []
    assert sys.version_info >= (3, 9)


def chain(length):
    s = yoke.System(name="chain")
    for i in range(length):
        s.add(f"p{i}", yoke.Part(lambda t, x, u: -x + u, states=["x"],
                                 inputs=["u"], x0=[1.0 + i]))
    for i in range(length):
        s.connect(f"p{i}.u = 0.1*p{(i - 1) % length}.x")
    return s


def test_a_long_system_is_drawn_in_readable_bands():
    svg = chain(14)._repr_html_()
    assert float(re.search(r'svg [^>]*width="(\d+)"', svg)[1]) < 1100
    boxes = [tuple(map(float, b)) for b in re.findall(
        r'<rect x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"', svg)]
    assert len(boxes) == 14
    routes = re.findall(r'd="M(\d+) (\d+)H(\d+)V(\d+)H(\d+)V(\d+)H(\d+)"', svg)
    assert routes
    for route in routes:
        x0, y0, x1, y1, x2, y2, x3 = map(float, route)
        for x, y, w, h in boxes:  # neither the posts nor the channel cross one
            for post, ends in ((x1, (y0, y1)), (x2, (y1, y2))):
                assert not (x < post < x + w and min(ends) < y + h and
                            y < max(ends))
            assert not (y < y1 < y + h and min(x1, x2) < x + w and
                        x < max(x1, x2))


def test_pictures_show_first_what_couples(tmp_path):
    (tmp_path / "a.mo").write_text(
        "model A\n  input Real u;\n  output Real y;\n"
        "  Real x[20](each start = 1, each fixed = true);\n"
        "  Real still(start = 2, fixed = true);\nequation\n"
        "  for i in 1:20 loop\n    der(x[i]) = -i*x[i] + u;\n  end for;\n"
        "  der(still) = 0;\n  y = sum(x);\nend A;\n")
    (tmp_path / "a.yaml").write_text(
        "yoke: 1\nsubsystems:\n  a: {model: a.mo}\n  b: {model: a.mo, "
        "parameters: {}}\ncouplings:\n  - signal: a.u = 0.1*b.y\n"
        "  - signal: b.u = -0.1*a.y\n")
    r = yoke.run(tmp_path / "a.yaml")
    shown = re.findall(r">([^<> ]+)</text>", str(r.plot()))
    assert "a.y" in shown and "b.y" in shown and "a.still" not in shown
    assert sum("[" in name for name in shown) <= 6


@pytest.mark.skipif(not shutil.which("mypy"), reason="there is no mypy")
def test_the_types_are_consistent(tmp_path):
    use = tmp_path / "use.py"
    use.write_text("import yoke\n"
                   "reveal_type(yoke.run('a')['x'])\n"
                   "reveal_type(yoke.System('a').check())\n")
    told = subprocess.run(
        ["mypy", "--cache-dir", tmp_path, yoke.__path__[0], use],
        capture_output=True, text=True)
    assert "error" not in told.stdout, told.stdout
    assert "ndarray" in told.stdout and "_check.Check" in told.stdout


def test_a_system_is_no_result(decay):
    with pytest.raises(ValueError, match=r"no result; yoke.run\(path\) runs it"):
        yoke.read("decay.yaml")


def test_labels_stay_in_the_picture():
    from yoke import _html
    places = _html.legend(["a" * 20, "b" * 20, "c" * 20], 66, 360)
    assert places == [(66, 0), (66, 1), (66, 2)]
    assert _html.legend(["x", "y"], 66, 360) == [(66, 0), (87, 0)]


COMMAS = """import locale, math, sys
locale.setlocale(locale.LC_ALL, "")
assert locale.localeconv()["decimal_point"] == ","
import yoke
open("m.mo", "w").write("model M parameter Real k = 1.5;"
    "Real x(start = 1, fixed = true); equation der(x) = -k*x*0.5; end M;")
open("s.yaml", "w").write("yoke: 1\\nrun: {stop: 0.5}\\nsubsystems:\\n"
    "  a: {model: m.mo, parameters: {k: 2.5}}\\n")
open("c.cir", "w").write("low pass\\nv1 a 0 1.5\\nr1 a b 1.5k\\n"
    "b1 b 0 i=v(b)/1.5e3\\n.op\\n.end\\n")
def near(a, b): assert abs(a - b) < 1e-5 * abs(b), (a, b)
near(yoke.run("m.mo", stop=2).final["M.x"], math.exp(-1.5))
near(yoke.run("m.mo", parameters={"M.k": 0.5}).final["M.x"], math.exp(-0.25))
near(yoke.run("s.yaml").final["a.x"], math.exp(-0.625))
near(yoke.run("s.yaml", stop="250ms", rtol=1e-7).final["a.x"],
     math.exp(-0.3125))
assert yoke.System("s.yaml").verify().ok
near(yoke.run("c.cir").tables["op"]["v(b)"][0], 0.75)
s = yoke.System().add("a", yoke.Linear(E=[[1.0]], A=[[-1.5]], x0=[2.5]))
r = s.run(stop=0.5)
near(r.final["a.x1"], 2.5 * math.exp(-0.75))
r.save("r.csv")
near(yoke.read("r.csv")["a.x1"][-1], r.final["a.x1"])
try: yoke.run("m.mo", stop=-1.5)
except yoke.YokeError as error: assert "-1.5" in str(error), error
"""


def test_a_program_with_decimal_commas_computes_the_same(tmp_path):
    subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8",
                    str(tmp_path / "de_DE.UTF-8")], capture_output=True)
    done = subprocess.run(
        [sys.executable, "-c", COMMAS], capture_output=True, text=True,
        env={**os.environ, "LC_ALL": "de_DE.UTF-8",
             "LOCPATH": str(tmp_path)})
    if "unsupported locale setting" in done.stderr:
        pytest.skip("there is no locale de_DE")
    assert done.returncode == 0, done.stderr
