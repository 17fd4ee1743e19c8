"""Progress, interrupts, steps, checks, sweeps, pictures."""

import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

import yoke


def slow(seconds=0.0005):
    s = yoke.System()

    def rhs(t, x):
        time.sleep(seconds)
        return -x

    s.add("a", yoke.Part(rhs, x0=[1.0], stepper="rk4", step=1e-3))
    return s


def long():
    """Compiled parts that take minutes."""
    s = yoke.System()
    s.add("a", yoke.Linear(A=[[0, 1], [-1e4, 0]], x0=[1, 0], states=["x", "v"],
                           stepper="rk4", step=1e-6))
    return s


def interrupt_after(seconds):
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()


@pytest.mark.parametrize("make", [slow, long])
def test_an_interrupt_ends_a_run_and_keeps_its_result(make):
    s = make()
    interrupt_after(0.5)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt) as caught:
        s.run(stop=100, window=1e-2, every="window")
    assert time.monotonic() - began < 5
    assert isinstance(caught.value, yoke.Interrupted)
    r = caught.value.result
    assert 0 < r.time[-1] < 100 and len(r.values) > 1
    assert s.result.time[-1] == r.time[-1] and not r.converged
    assert s.run(stop=0.01).time[-1] == 0.01  # it can be used again


def test_other_exceptions_of_handlers_come_through():
    class Alarm(Exception):
        pass

    def handler(*_):
        raise Alarm

    old = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(Alarm):
            long().run(stop=100)
    finally:
        signal.signal(signal.SIGALRM, old)


def test_progress_is_told_and_may_end_a_run(oscillator):
    seen = []
    oscillator.run(stop=10, progress=seen.append)
    assert seen[-1].time == 10 and seen[-1].fraction == 1
    assert seen[-1].windows > 0
    r = long().run(stop=100, window=1e-3, progress=lambda p: p.time > 0)
    assert 0 < r.time[-1] < 100 and not r.converged

    def fail(p):
        raise LookupError("progress")

    with pytest.raises(LookupError, match="progress"):
        oscillator.run(stop=10, progress=fail)
    oscillator.run(stop=1)


def test_a_bar_goes_to_standard_error(oscillator, capsys):
    oscillator.run(stop=1, progress=True)
    assert "windows" in capsys.readouterr().err


def test_other_threads_run_meanwhile():
    count = 0
    done = threading.Event()

    def counting():
        nonlocal count
        while not done.is_set():
            count += 1
            time.sleep(0.001)

    thread = threading.Thread(target=counting)
    thread.start()
    long().run(stop=0.3, every="window")
    done.set()
    thread.join()
    assert count > 20


def test_another_thread_may_halt_a_run():
    with long().start(stop=100, window=1e-2) as run:
        threading.Timer(0.3, run.halt).start()
        assert run.advance(100) is False
        assert 0 < run.time < 100
        assert len(run.result().values) > 1


def test_another_thread_does_not_see_half_a_row():
    run = long().start(stop=100, window=1e-2)
    caught = []

    def look():
        for call in (run.result, run.values, run.close):
            try:
                call()
            except RuntimeError as error:
                caught.append(str(error))
        run.halt()

    threading.Timer(0.3, look).start()
    assert run.advance(100) is False
    assert len(caught) == 3 and "under way" in caught[0]
    run.close()


def test_a_progress_function_may_look_at_its_run():
    with long().start(stop=100, window=1e-2, every="window",
                      progress=lambda p: seen.append(run.result()) or
                      len(seen) > 2) as run:
        seen = []
        run.advance(100)
    rows = [len(r.values) for r in seen]
    assert len(rows) == 3 and rows == sorted(rows)


def test_a_run_in_steps(oscillator):
    with oscillator.start(stop=2, rtol=1e-8) as run:
        for t in (0.5, 1.0, 2.0):
            assert run.advance(t)
            assert run.time == t
            assert run.values()["body.x"] == pytest.approx(np.cos(2 * t),
                                                           abs=1e-6)
        with pytest.raises(yoke.YokeError, match="not closed"):
            oscillator.run(stop=1)
        part = run.result()
    r = run.result()
    assert part.time[-1] == r.time[-1] == 2
    assert np.array_equal(part.values, r.values)
    with pytest.raises(ValueError, match="closed"):
        run.advance(3)
    run.close()


def test_a_run_that_is_dropped_is_closed(oscillator):
    oscillator.start(stop=1).advance(0.5)
    oscillator.result = None
    assert oscillator.run(stop=1).converged


@pytest.mark.parametrize("jobs", [1, 4])
def test_python_parts_with_threads(jobs):
    s = yoke.System()
    for k in range(6):
        s.add(f"p{k}", yoke.Part(lambda t, x, u: -x + u[0], inputs=["u"],
                                 states=["x"], x0=[k]))
        s.add(f"c{k}", yoke.Linear(A=-1, B=1, states=["x"], inputs=["u"],
                                   x0=[1]))
    for k in range(6):
        s.connect(f"p{k}.u = 0.1*c{k}.x")
        s.connect(f"c{k}.u = 0.1*p{(k + 1) % 6}.x")
    r = s.run(stop=2, scheme="jacobi", jobs=jobs, cluster="none")
    if jobs == 1:
        test_python_parts_with_threads.first = r
    else:
        first = test_python_parts_with_threads.first
        assert np.array_equal(first.values, r.values)


def test_systems_in_several_threads():
    results = [None] * 4

    def work(k):
        s = yoke.System()
        s.add("a", yoke.Part(lambda t, x: -(k + 1) * x, x0=[1.0]))
        results[k] = s.run(stop=1, rtol=1e-8).final["a.x1"]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == pytest.approx([np.exp(-(k + 1)) for k in range(4)],
                                    rel=1e-6)


def test_not_converged_is_an_error():
    s = yoke.System()
    s.add("a", yoke.Linear(D=3, inputs=["u"], outputs=["y"]))
    s.add("b", yoke.Part(lambda t, x, u: u[0] - x[0], inputs=["u"],
                         states=["x"], output=lambda t, x, u: 2 * u[0] + x[0],
                         outputs=["y"], x0=[1]))
    s.connect("a.u = b.y")
    s.connect("b.u = a.y")
    with pytest.raises(yoke.YokeError):
        s.run(stop=1, cluster="none", accelerate="none", max_sweeps=3)


def test_check_tells_what_is_missing(oscillator):
    c = oscillator.check(stop=1)
    assert c and c.ok and c.contracts and c.contraction[-1].radius < 1e-6
    assert "spring" in c.schedule and "contracts" in str(c)
    s = yoke.System()
    s.add("a", yoke.Part(lambda t, x, u: u - x, inputs=["u"], x0=[1]))
    with pytest.raises(yoke.YokeError, match="not connected"):
        s.run()
    s.add("b", yoke.Part(residual=lambda t, x: ([0.0], [t]), x0=[1]))
    s.connect("a.u = b.x1")
    assert not s.check()
    assert "b" in s.check().problem


def test_verify_compares_with_the_whole(oscillator):
    v = oscillator.verify(stop=5)
    assert v and v.worst()[1].tolerances < 10 and "verified" in str(v)
    assert set(v.runs) == {"coupled", "monolithic", "reference"}
    rough = yoke.System()
    rough.add("a", yoke.Part(lambda t, x, u: [x[1], -u[0]], states=["x", "v"],
                             inputs=["f"], x0=[1, 0]))
    rough.add("b", yoke.Part(lambda t, x, u: [50 * (u[0] - x[0])],
                             states=["f"], inputs=["x"], x0=[0]))
    rough.connect("a.f = 4*b.f")
    rough.connect("b.x = a.x")
    v = rough.verify(stop=5, test="count", max_sweeps=1, window=0.3,
                     accelerate="none", cluster="none", extrapolate=0)
    assert not v and "NOT verified" in str(v)


def test_sweeps(tmp_path):
    (tmp_path / "decay.mo").write_text(
        "model Decay\n  parameter Real k = 1;\n"
        "  Real x(start = 1, fixed = true);\nequation\n"
        "  der(x) = -k*x;\nend Decay;\n")
    s = yoke.sweep("decay.mo", {"Decay.k": [1, 2, 3]},
                   measure=["final(Decay.x)", "mean(Decay.x)"], stop=1,
                   rtol=1e-8)
    assert s["final(Decay.x)"] == pytest.approx(np.exp([-1, -2, -3]), rel=1e-5)
    assert s["mean(Decay.x)"] == pytest.approx(
        [(1 - np.exp(-k)) / k for k in (1, 2, 3)], rel=1e-4)
    assert "yoke.Sweep: 3 runs, 0 failed" in repr(s)

    def make(gain):
        if gain == 3:
            raise yoke.YokeError(-1, "three is not possible")
        s = yoke.System()
        s.add("a", yoke.Part(lambda t, x: -gain * x, x0=[1.0]))
        return s

    s = yoke.sweep(make, {"gain": [1, 3]},
                   {"end": lambda r: r["a.x1"][-1]}, stop=1)
    assert np.isnan(s["end"][1]) and "three" in str(s.errors[1])
    with pytest.raises(yoke.YokeError, match="did you mean"):
        yoke.sweep(make, {"gain": [1]}, "max(a.x2)", stop=1)
    assert "three" in s._repr_html_() and s.points == [(1,), (3,)]
    s = yoke.sweep(make, {"gain": [1, 2]}, [lambda r: 1.0, lambda r: 2.0],
                   stop=1)
    assert s.measures == ["measure 1", "measure 2"]
    assert s.values[:, 1:].tolist() == [[1.0, 2.0], [1.0, 2.0]]


def test_measures_are_taken_of_the_whole_solution():
    """A peak of 1e-3 in a second, between the rows of any grid."""
    s = yoke.System()
    s.add("a", yoke.Part(lambda t, x: 2e6 * (0.5 - t) *
                         np.exp(-1e6 * (t - 0.5)**2), states=["bell"], x0=[0],
                         breaks=[0.499, 0.5, 0.501]))
    s.add("b", yoke.Part(lambda t, x: -2 * x, states=["x"], x0=[1]))
    wanted = {"peak": "max(a.bell)", "area": "integral(a.bell)",
              "first": "first(b.x)", "range": "range(b.x)",
              "half": "when(b.x = 0.5)", "twice": "2*half"}
    r = s.run(stop=1, every=0.3, measure=wanted)
    assert r.measures == pytest.approx(
        {"peak": 1, "area": np.sqrt(np.pi) * 1e-3, "first": 1,
         "range": 1 - np.exp(-2), "half": np.log(2) / 2, "twice": np.log(2)},
        rel=1e-5)
    assert s.run(stop=1).measures == {}
    assert s.run(stop=1, measure="max(b.x)").measures == {"max(b.x)": 1}
    table = yoke.sweep(lambda k: yoke.System().add(
        "b", yoke.Part(lambda t, x: -k * x, states=["x"], x0=[1])),
        {"k": [0, 2]}, {"half": "when(b.x = 0.5)", "end": "final(b.x)",
                        "odd": lambda r: 1 / r.values[0, 1]}, stop=1)
    assert table["half"][1] == pytest.approx(np.log(2) / 2)
    assert np.isnan(table["half"][0]) and table["end"][0] == 1
    assert "half" in str(table.errors[0]) and table.errors[1] is None
    with pytest.raises(yoke.YokeError, match="peek"):
        s.run(stop=1, measure="peek(b.x)")


def test_an_interrupt_ends_a_sweep():
    interrupt_after(0.5)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        yoke.sweep(lambda k: long(), {"k": range(4)}, stop=100)
    assert time.monotonic() - began < 10


def test_pictures_are_well_formed(oscillator):
    import xml.etree.ElementTree as tree

    r = oscillator.run(stop=10)
    for text in (r.plot(), r.plot("body.*"), oscillator.graph()):
        assert tree.fromstring(str(text)).tag.endswith("svg")
    assert "<svg" in r._repr_html_() and "<svg" in oscillator._repr_html_()
    assert "body" in oscillator._repr_html_()
    assert repr(oscillator) == "<yoke.System 'oscillator': 2 subsystems>"
    with pytest.raises(KeyError, match="did you mean"):
        r.plot("body.y")


def test_included_files_and_netlists_beside_python(tmp_path):
    (tmp_path / "rc.cir").write_text("rc\nV1 in 0 0\nR1 in out 1k\n"
                                     "C1 out 0 1m\n.end\n")
    s = yoke.System(name="regulated")
    s.add("rc", yoke.Netlist(tmp_path / "rc.cir", inputs={"v1": "u"}))
    s.add("pi", yoke.Part(lambda t, x, u: 2 * u[0], states=["i"], inputs=["e"],
                          output=lambda t, x, u: x[0] + 3 * u[0],
                          outputs=["u"]))
    s.connect("rc.u = pi.u")
    s.connect("pi.e = 1 - rc.v(out)")
    r = s.run(stop=10)
    assert r["rc.v(out)"][-1] == pytest.approx(1.0, abs=1e-3)
    with pytest.raises(TypeError, match="Include"):
        yoke.System(tmp_path / "rc.cir").add("x", yoke.Linear(A=1))


DECAY = """model Decay
  Real x(start = 1, fixed = true);
equation
  der(x) = -x;
end Decay;
"""


def test_cheap_runs_are_solved_a_second_time_as_by_the_program(tmp_path):
    path = tmp_path / "d.mo"
    path.write_text(DECAY)
    assert 0 <= yoke.run(path).info["second_solution"] < 10
    assert yoke.run(path, second=0).info["second_solution"] is None
    part = yoke.Part(lambda t, x: -x, states=["x"], x0=[1], timeless=True)
    system = yoke.System().add("p", part)
    assert system.run().info["second_solution"] < 10
    assert system.run(second=0).info["second_solution"] is None


def test_pandas_is_named_where_it_is_missing(tmp_path, monkeypatch):
    path = tmp_path / "d.mo"
    path.write_text(DECAY)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="frame.. needs pandas"):
        yoke.run(path).frame()


SAW = """yoke: 1
subsystems:
  saw: {model: saw.mo, class: Saw}
  filter: {model: saw.mo, class: Filter}
couplings:
  - signal: filter.u = saw.x
  - signal: saw.u = filter.y
"""
SAW_MODEL = """model Saw
  input Real u;
  output Real x(start = 0, fixed = true);
equation
  der(x) = 1 + 0*u;
  when x > 0.1 then reinit(x, 0); end when;
end Saw;
model Filter
  input Real u;
  output Real y(start = 0, fixed = true);
equation
  der(y) = 10*(u - y);
end Filter;
"""


def test_verify_takes_no_side_of_a_jump_for_a_difference(tmp_path):
    (tmp_path / "saw.mo").write_text(SAW_MODEL)
    (tmp_path / "saw.yaml").write_text(SAW)
    verdict = yoke.System(tmp_path / "saw.yaml").verify()
    assert verdict.ok
    assert max(d.tolerances for d in verdict.total.values()) < 10
