"""Subsystems written in Python, and what they may do wrong."""

import ctypes
import gc
import math
import sys

import numpy as np
import pytest

import yoke


def alone(rhs=None, **keywords):
    s = yoke.System(name="alone")
    s.add("a", yoke.Part(rhs, **keywords))
    return s


def test_a_right_hand_side_beside_a_compiled_part(oscillator):
    r = oscillator.run(stop=10, rtol=1e-8)
    assert np.abs(r["body.x"] - np.cos(2 * r.time)).max() < 1e-6
    assert "spring.f" in r


@pytest.mark.parametrize("result", [
    lambda x: -x, lambda x: list(-x), lambda x: tuple(-x),
    lambda x: (-x).astype(np.float32), lambda x: -x[::-1][::-1],
])
def test_arrays_lists_and_others_are_taken(result):
    r = alone(lambda t, x: result(x), x0=[1.0, 2.0]).run(stop=1)
    assert r.final["a.x2"] == pytest.approx(2 * math.exp(-1), rel=1e-4)


def test_one_number_for_one_state():
    r = alone(lambda t, x: -x[0], x0=1.0).run(stop=1)
    assert r.final["a.x1"] == pytest.approx(math.exp(-1), rel=1e-4)
    r = alone(lambda t, x: -3, x0=1.0).run(stop=1)
    assert r.final["a.x1"] == pytest.approx(-2)


def test_the_charge_form_with_an_algebraic_equation():
    """C v' + i = 0, v = R i."""
    def residual(t, x, u):
        v, i = x
        return [2e-3 * v, 0.0], [i, v - 100 * i]

    for jacobian in (None, lambda t, x, u: ([[2e-3, 0], [0, 0]],
                                            [[0, 1], [1, -100]])):
        s = alone(residual=residual, states=["v", "i"], x0=[5, 0.05],
                  jacobian=jacobian, affine=True)
        s.conform("a")
        r = s.run(stop=0.5, rtol=1e-8)
        assert np.abs(r["a.v"] - 5 * np.exp(-r.time / 0.2)).max() < 1e-6
        assert s.check().subsystems["a"]["index"] == 1


def test_outputs_and_jacobians():
    def rhs(t, x, u):
        return [x[1], (1 - x[0] ** 2) * x[1] - x[0] + u[0]]

    def jacobian(t, x, u):
        return ([[0, 1], [-2 * x[0] * x[1] - 1, 1 - x[0] ** 2]], [[0], [1]])

    calls = []
    for jac in (None, jacobian, lambda t, x, u: jacobian(t, x, u)[0]):
        s = yoke.System()
        s.add("vdp", yoke.Part(rhs, states="x v", inputs="f", x0=[2, 0],
                               jacobian=jac, output=lambda t, x, u: x[0] * x[1],
                               outputs=["p"]))
        s.connect("vdp.f = 0.1")
        s.conform("vdp")
        calls.append(s.run(stop=3, rtol=1e-7)["vdp.p"][-1])
    assert calls[1] == pytest.approx(calls[0], rel=1e-5)
    assert calls[2] == pytest.approx(calls[0], rel=1e-5)


def test_a_wrong_jacobian_is_found():
    s = alone(lambda t, x: -x ** 2, x0=[1.0], jacobian=lambda t, x: [[-3.0]])
    with pytest.raises(yoke.YokeError, match="G"):
        s.conform("a")


def test_large_systems_with_a_given_pattern():
    n = 500

    def heat(t, x):
        y = np.zeros(n + 2)
        y[1:-1] = x
        return (y[:-2] - 2 * x + y[2:]) * (n + 1) ** 2

    band = sum(np.eye(n, k=k) for k in (-1, 0, 1))
    at = np.arange(1, n + 1) / (n + 1)
    s = alone(heat, x0=np.sin(np.pi * at), sparsity={"G": band}, timeless=True)
    r = s.run(stop=0.05, rtol=1e-6, record="a.x250")
    assert r["a.x250"][-1] == pytest.approx(
        math.sin(math.pi * at[249]) * math.exp(-0.05 * math.pi ** 2), rel=1e-3)


def test_a_bouncing_ball_has_events():
    s = alone(lambda t, x: [x[1], -9.81], states=["h", "v"], x0=[1, 0],
              events=lambda t, x: -x[0], timeless=True,
              on_event=lambda t, x, happened: [0.0, -0.8 * x[1]])
    r = s.run(stop=1.0, rtol=1e-8)
    hit = math.sqrt(2 / 9.81)
    after = 1.0 - hit
    v = 0.8 * 9.81 * hit
    assert r["a.h"].min() > -1e-6
    assert r.final["a.h"] == pytest.approx(v * after - 4.905 * after ** 2,
                                           abs=1e-5)


def test_memory_is_saved_and_restored():
    """A switch that goes on at 0.3 and remembers it."""
    on = np.zeros(1)

    def rhs(t, x):
        return 1.0 - 2.0 * on[0]

    def switch(t, x, happened):
        on[0] = 1.0

    s = alone(rhs, x0=0.0, memory=on, events=lambda t, x: x[0] - 0.3,
              on_event=switch)
    for _ in range(2):
        r = s.run(stop=1, rtol=1e-8)
        assert r["a.x1"].max() == pytest.approx(0.3, abs=1e-6)
        assert r.final["a.x1"] == pytest.approx(0.3 - 0.7, abs=1e-6)
        on[0] = 0.0


def test_breakpoints_are_met():
    for breaks in ([0.5], lambda t: 0.5 if t < 0.5 else None):
        s = alone(lambda t, x: 0.0 if t < 0.5 else 1.0, x0=0.0, breaks=breaks)
        assert s.run(stop=1, rtol=1e-9).final["a.x1"] == pytest.approx(
            0.5, abs=1e-7)


def test_delays_and_sums():
    s = yoke.System()
    s.add("ramp", yoke.Part(lambda t, x: [1.0], x0=[0.0]))
    s.add("sum", yoke.Part(states=0, inputs=["a", "b"], outputs=["y"],
                           output=lambda t, x, u: u[0] + u[1]))
    s.connect("sum.a = 2*ramp.x1/4 + 1")
    s.connect("sum.b", "ramp.x1", delay=0.25, past=0.0)
    r = s.run(stop=1)
    assert r.final["sum.y"] == pytest.approx(0.5 + 1 + 0.75, abs=1e-6)


# ---- what goes wrong ------------------------------------------------------


@pytest.mark.parametrize("bad, kind, text", [
    (lambda t, x: [1, 2, 3], ValueError, "must return 2 numbers, not 3"),
    (lambda t, x: np.ones((2, 1)), ValueError, "shape"),
    (lambda t, x: None, TypeError, "is a return missing"),
    (lambda t, x: "ab", ValueError, ""),
    (lambda t, x: [1, "b"], TypeError, ""),
    (lambda t, x: np.array([1j, 0]), TypeError, "complex"),
    (lambda t, x: undefined, NameError, "undefined"),  # noqa: F821
    (lambda t, x: x.__setitem__(0, 1.0), ValueError, "read-only"),
    (lambda t, x: {}, TypeError, ""),
])
def test_what_a_function_does_wrong_is_told(bad, kind, text):
    for late in (False, True):
        def rhs(t, x):
            return bad(t, x) if t > 2 or not late else -x

        with pytest.raises(yoke.YokeError) as caught:
            alone(rhs, x0=[1.0, 2.0]).run(stop=4)
        assert isinstance(caught.value.__cause__, kind)
        assert text in str(caught.value.__cause__)
        assert kind.__name__ in str(caught.value)
        assert '"a"' in str(caught.value)
        if late:
            assert 0 < caught.value.result.time[-1] <= 2


@pytest.mark.parametrize("key", ["output", "jacobian", "events", "on_event",
                                 "breaks"])
def test_all_functions_may_raise(key):
    def fail(*args):
        raise LookupError("here")

    keywords = {"output": dict(output=fail, outputs=["y"]),
                "jacobian": dict(jacobian=fail),
                "events": dict(events=fail, on_event=fail),
                "on_event": dict(events=lambda t, x: t - 0.5, on_event=fail),
                "breaks": dict(breaks=fail)}[key]
    with pytest.raises(yoke.YokeError) as caught:
        alone(lambda t, x: -x, x0=[1.0], **keywords).run(stop=1)
    assert isinstance(caught.value.__cause__, LookupError)


def test_nan_and_arithmetic_errors_let_the_stepper_try_again():
    """Newton's trial points may be where a square root is not defined."""
    def rhs(t, x):
        if x[0] < 0:
            raise ZeroDivisionError("trial")
        return -2 * math.sqrt(x[0])

    r = alone(rhs, x0=1.0).run(stop=0.9, rtol=1e-6)
    assert r.final["a.x1"] == pytest.approx(0.01, rel=1e-2)
    for wrong in (lambda t, x: math.nan, lambda t, x: [np.inf],
                  lambda t, x: 1 / 0):
        with pytest.raises(yoke.YokeError) as caught:
            alone(lambda t, x: wrong(t, x) if t > 0.5 else -x, x0=1.0).run()
        assert caught.value.result.time[-1] <= 0.5 + 1e-9

    def retry(t, x):
        raise yoke.Retry("not here")

    with pytest.raises(yoke.YokeError):
        alone(retry, x0=1.0).run()


def test_arrays_that_are_kept_stay_as_they_were():
    kept, sliced = [], []

    def rhs(t, x, u):
        if len(kept) < 200:
            kept.append((t, x, x.copy(), u))
            sliced.append((x[1:], x[1:].copy()))
        return -x

    s = alone(rhs, x0=np.arange(1.0, 6.0))
    s.run(stop=1)
    del s
    gc.collect()
    assert len(kept) == 200
    for _, x, copy, u in kept:
        assert np.array_equal(x, copy) and u.shape == (0,)
    for view, copy in sliced:
        assert np.array_equal(view, copy)


def test_a_system_inside_a_function():
    inner = alone(lambda t, x: -x, x0=[1.0])

    def rhs(t, x):
        return -inner.run(stop=0.1, spot=0).final["a.x1"] * x

    r = alone(rhs, x0=[1.0], stepper="rk4", step=0.25).run(stop=1, spot=0)
    assert r.final["a.x1"] == pytest.approx(math.exp(-math.exp(-0.1)), rel=1e-3)


def test_the_same_system_inside_itself_is_refused():
    s = yoke.System()

    def rhs(t, x):
        if t > late:
            s.run(stop=1)
        return -x

    s.add("a", yoke.Part(rhs, x0=[1.0]))
    for late in (-1, 2):  # while it is probed, in a run
        with pytest.raises(yoke.YokeError) as caught:
            s.run(stop=4)
        assert "being computed" in str(caught.value.__cause__)


def test_functions_live_as_long_as_their_system():
    s = yoke.System()

    def add(k):
        big = np.full(1000, float(k))
        s.add(f"p{k}", yoke.Part(lambda t, x: -x * big[0] / big[0], x0=[1.0]))

    for k in range(1, 4):
        add(k)
    gc.collect()
    r = s.run(stop=1)
    assert r.final["p3.x1"] == pytest.approx(math.exp(-1), rel=1e-4)


def test_a_cycle_through_a_function_is_collected():
    alive = []

    class Watch:
        def __del__(self):
            alive.append(1)

    def make():
        s = yoke.System()
        w = Watch()
        s.add("a", yoke.Part(lambda t, x: -x if w and s else x, x0=[1.0]))
        run = s.start(stop=1)
        run.advance(0.5)
        s.held = run

    make()
    gc.collect()
    assert alive == [1]


class Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in
                ("arena", "free", "fast", "maps", "mapped", "most", "fast_bytes",
                 "used", "unused", "top")]


def test_nothing_leaks():
    def once(k):
        s = yoke.System()
        s.add("a", yoke.Part(lambda t, x: -x, x0=np.ones(50)))
        s.add("b", yoke.Linear(A=-1, x0=[1]))
        s.run(stop=0.01, spot=0)

        def fails(t, x):
            raise LookupError(k)

        with pytest.raises(yoke.YokeError):
            alone(fails, x0=np.ones(50)).run()

    def memory():
        """Bytes that the C library has given away, and blocks of Python's: the
        resident size also depends on how the heap is cut."""
        gc.collect()
        info = libc.mallinfo2()
        return info.used + info.mapped, sys.getallocatedblocks()

    libc = ctypes.CDLL(None)
    if not hasattr(libc, "mallinfo2"):
        pytest.skip("the C library has no mallinfo2")
    libc.mallinfo2.restype = Mallinfo
    growth = []
    for _ in range(5):  # a table may grow once; what leaks grows in every round
        before = memory()
        for k in range(50):
            once(k)
        growth.append(np.subtract(memory(), before))
    least = np.min(growth, axis=0)
    assert least[0] < 50 * 500 and least[1] < 50


def test_what_a_part_is_given_is_checked():
    with pytest.raises(TypeError, match="one of rhs and residual"):
        yoke.Part(states=1)
    with pytest.raises(TypeError, match="no keyword 'stat'"):
        yoke.Part(lambda t, x: x, stat=3, x0=[1])
    with pytest.raises(ValueError, match="must have 2 values"):
        yoke.Part(lambda t, x: x, states=["a", "b"], x0=[1])
    with pytest.raises(ValueError, match="not finite"):
        yoke.Part(lambda t, x: x, x0=[math.nan])
    with pytest.raises(TypeError, match="takes 1 argument;"):
        yoke.Part(lambda x: x, x0=[1])
    with pytest.raises(ValueError, match="twice"):
        yoke.Part(lambda t, x: x, states=["a", "a"])
    with pytest.raises(TypeError, match="in one piece"):
        yoke.Part(lambda t, x: x, x0=[1], memory=np.zeros(4)[::2])
    with pytest.raises(TypeError, match="no subsystem"):
        yoke.System().add("a", lambda t, x: x)
    with pytest.raises(yoke.YokeError, match="no stepper \"rk5\""):
        alone(lambda t, x: x, x0=[1], stepper="rk5").run()
    with pytest.raises(ValueError, match="by"):
        yoke.Part(lambda t, x: x, x0=[1], sparsity={"G": np.eye(2)})


@pytest.mark.parametrize("text", ["a.u", "u = b.y", "a.u = ", "a.u = b.y c.y",
                                  "a.u = b.y*c.y", "a.u = sin(b.y)",
                                  "a.u = b.y/0", "a.u = 2*", "a.u = 1/b.y"])
def test_signals_that_are_no_sums_are_refused(text):
    with pytest.raises(ValueError):
        yoke.System().connect(text)


def test_memory_belongs_to_one_subsystem():
    part = yoke.Part(lambda t, x: -x, x0=[1.0], memory=np.zeros(1))
    s = yoke.System().add("a", part)
    with pytest.raises(ValueError, match="belongs to one subsystem"):
        s.add("b", part)
    with pytest.raises(ValueError, match="belongs to one subsystem"):
        yoke.System().add("a", part)
    plain = yoke.Part(lambda t, x: -x, x0=[1.0])
    r = yoke.System().add("a", plain).add("b", plain).run(stop=1)
    assert r.final["a.x1"] == r.final["b.x1"]


def test_names_are_not_only_latin():
    s = yoke.System(name="größer als 'eins'")
    s.add("größe", yoke.Part(lambda t, x, u: u - x, states=["ä"],
                             inputs=["é"], x0=[1.0]))
    s.add("'Motor 1'", yoke.Part(lambda t, x: 0 * x, states=["s"], x0=[3.0]))
    s.connect("größe.é = 'Motor 1'.s/3")
    assert s.run(stop=1).final == pytest.approx({"größe.ä": 1.0,
                                                 "'Motor 1'.s": 3.0})
    assert "größe" in s._repr_html_()


def test_interrupts_and_exits_in_functions_come_through():
    for kind in (KeyboardInterrupt, SystemExit):
        for late in (-1, 2):
            def rhs(t, x):
                if t > late:
                    raise kind
                return -x

            with pytest.raises(kind):
                alone(rhs, x0=[1.0]).run(stop=4)


def test_units_reach_the_result():
    s = alone(lambda t, x: [x[1], -x[0]], states=["x", "v"], x0=[1, 0],
              output=lambda t, x, u: x[0] * x[1], outputs=["p"],
              units={"x": "m", "v": "m/s", "p": "W"})
    r = s.run(stop=1)
    assert r.units == {"time": "s", "a.x": "m", "a.v": "m/s", "a.p": "W"}
    assert "a.x [m]" in r.plot()
    with pytest.raises(ValueError, match="no state or output 'y'"):
        yoke.Part(lambda t, x: x, states=["x"], units={"y": "m"})


def test_what_is_missing_or_of_another_kind_is_named():
    with pytest.raises(TypeError, match="give the states"):
        yoke.Part(lambda t, x, u: [1.0])
    with pytest.raises(ValueError, match="x0 must be numbers"):
        yoke.Part(lambda t, x, u: [1.0], x0="one")
    s = yoke.System().add("a", yoke.Part(lambda t, x: [1.0], x0=[1]))
    with pytest.raises(TypeError, match="parameters is a dictionary"):
        s.run(parameters="a.k=3")
    with pytest.raises(TypeError, match="a list of values for 'a.k'"):
        yoke.sweep("decay.mo", {"a.k": 3})


def test_a_value_that_is_no_number_names_the_state():
    nan = lambda t, x: [-x[0], float("nan")]
    with pytest.raises(yoke.YokeError, match=r'f of "der\(x2\)" is nan'):
        yoke.System().add("a", yoke.Part(nan, x0=[1, 1])).run()


def test_function_that_is_not_pure():
    calls = [0]

    def counts(t, x):
        calls[0] += 1
        return -x * calls[0]

    for keywords in ({"rhs": counts},
                     {"residual": lambda t, x: (x, counts(t, x))}):
        s = yoke.System().add("p", yoke.Part(states=["x"], x0=[1], **keywords))
        with pytest.raises(yoke.YokeError,
                           match="for the same t, x and u; it must depend"):
            s.run(stop=1)


def test_messages_about_what_is_built_name_the_part():
    s = yoke.System().add("one", yoke.Linear(A=[[1, 2], [3]]))
    s.add("two", yoke.Model("nowhere.mo"))
    with pytest.raises(yoke.YokeError) as caught:
        s.run()
    first, second = str(caught.value).split("\n")
    assert first.startswith('subsystem "one": this row of "A"')
    assert second.startswith('subsystem "two": ') and "nowhere.mo" in second


def test_names_are_judged_at_once():
    s = yoke.System()
    for name in ("my part", "2nd", "run", "", 3):
        with pytest.raises(ValueError, match="not a name for a subsystem"):
            s.add(name, yoke.Linear(A=-1))
    s.add("'my part'", yoke.Linear(A=-1)).add("a.b", yoke.Linear(A=-1))
    with pytest.raises(yoke.YokeError, match=r"yoke.System\(name='drive'\)"):
        yoke.System("drive")


def test_signals_that_are_formulas_say_where_they_go():
    s = yoke.System()
    with pytest.raises(ValueError, match="a formula goes into a function"):
        s.connect("a.u = sin(time)")
    with pytest.raises(ValueError, match="write one ="):
        s.connect("a.u == b.x")


def test_values_at_which_a_function_is_not_finite_are_told():
    s = yoke.System().add("p", yoke.Part(lambda t, x: x * np.nan, x0=[1.5],
                                         states=["level"]))
    with pytest.raises(yoke.YokeError, match="nan; the values are level = 1.5"):
        s.run(stop=1)
