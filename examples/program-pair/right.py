#!/usr/bin/env python3
"""The right mass: x'' = -k x + c (u - x), a script that speaks the protocol.

It takes the steps that it is told, with the input held over each, and can go
back: its state is two numbers.
"""
import math
import sys

k, c = 1.0, 1.0
x, v = 0.0, 0.0
saved = {}


def step(h, u):
    """Exact over a step with constant u."""
    global x, v
    w, rest = math.sqrt(k + c), c * u / (k + c)
    a, b = x - rest, v / w
    x = rest + a * math.cos(w * h) + b * math.sin(w * h)
    v = w * (b * math.cos(w * h) - a * math.sin(w * h))


def answer(words):
    global k, c, x, v
    request = words[0]
    if request == "hello":
        print("protocol 1\nsaves")
    elif request == "set":
        name, value = words[1], float(words[2])
        if name == "k":
            k = value
        elif name == "c":
            c = value
        elif name == "x":
            x = value
        else:
            print("error there is no parameter", name)
            return
    elif request == "start":
        print("values", repr(x))
    elif request == "advance":
        t, steps = float(words[1]), int(words[3])
        for _ in range(steps):
            _, end, u = sys.stdin.readline().split()
            step(float(end) - t, float(u))
            t = float(end)
            print("point", end, repr(x))
            print("slope", repr(v))
    elif request == "save":
        saved[words[1]] = (x, v)
    elif request == "restore":
        x, v = saved[words[1]]
    elif request == "forget":
        saved.pop(words[1], None)
    print("done", flush=True)


for line in sys.stdin:
    words = line.split()
    if not words:
        continue
    if words[0] == "quit":
        break
    answer(words)
