"""What systems and results show in a notebook: SVG of our own, without any
library."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence

import numpy as np

if TYPE_CHECKING:
    from ._result import Result, Table
    from ._system import System

COLOURS = ("#1668b8", "#c8441b", "#2c8a3d", "#7b3fa0", "#b08000", "#008a8a",
           "#b8336a", "#555555")
MOST_POINTS = 1200
MOST_CURVES = 8


class Picture(str):
    """SVG that shows itself in a notebook."""

    def _repr_html_(self) -> str:
        return str(self)


def ticks(low: float, high: float, wanted: int = 4) -> list[float]:
    """Round numbers between two limits."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return [low] if math.isfinite(low) else []
    raw = (high - low) / wanted
    size = 10.0 ** math.floor(math.log10(raw))
    step = min((f * size for f in (1, 2, 5, 10) if f * size >= raw * 0.999),
               default=raw)
    first = math.ceil(low / step - 1e-9)
    count = int(math.floor(high / step + 1e-9)) - first + 1
    return [(first + k) * step for k in range(max(0, min(count, 20)))]


def thin(t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """At most MOST_POINTS points that keep the least and largest values."""
    if len(t) <= MOST_POINTS:
        return t, y
    kept = [0]
    for piece in np.array_split(np.arange(len(t)), MOST_POINTS // 2):
        values = y[piece]
        if np.isfinite(values).any():
            kept += sorted({int(piece[np.nanargmin(values)]),
                            int(piece[np.nanargmax(values)])})
    kept.append(len(t) - 1)
    return t[kept], y[kept]


def limits(values: Sequence[np.ndarray]) -> tuple[float, float]:
    finite = [v[np.isfinite(v)] for v in values]
    finite = [v for v in finite if len(v)]
    if not finite:
        return 0.0, 1.0
    low = float(min(v.min() for v in finite))
    high = float(max(v.max() for v in finite))
    if low == high:
        pad = abs(low) * 0.1 or 1.0
        return low - pad, high + pad
    return low, high


def legend(labels: Sequence[str], left: int, right: int) -> list[tuple[int, int]]:
    """Place and line of each label, so that none leaves the picture."""
    out, at, line = [], left, 0
    for label in labels:
        width = 7 * len(label) + 14
        if at > left and at + width > right:
            at, line = left, line + 1
        out.append((at, line))
        at += width
    return out


def panel(table: "Table", names: Sequence[str], colours: Sequence[str],
          width: int, height: int) -> str:
    """Some columns on one axis."""
    left, right, top, bottom = 62, 10, 18, 26
    labels = [f"{n} [{table.units.get(n)}]" if table.units.get(n) else n
              for n in names]
    places = legend(labels, left + 4, width)
    top += 13 * places[-1][1] if places else 0
    t = table.values[:, 0]
    t0, t1 = limits([t])
    y0, y1 = limits([table[n] for n in names])
    sx = (width - left - right) / (t1 - t0)
    sy = (height - top - bottom) / (y1 - y0)
    out = [f'<rect x="{left}" y="{top}" width="{width - left - right}" '
           f'height="{height - top - bottom}" fill="none" stroke="#bbb"/>']
    for v in ticks(y0, y1):
        y = height - bottom - (v - y0) * sy
        out.append(f'<line x1="{left}" x2="{width - right}" y1="{y:.1f}" '
                   f'y2="{y:.1f}" stroke="#eee"/><text x="{left - 4}" '
                   f'y="{y + 3.5:.1f}" text-anchor="end">{v:.6g}</text>')
    for v in ticks(t0, t1):
        x = left + (v - t0) * sx
        out.append(f'<text x="{x:.1f}" y="{height - bottom + 14}" '
                   f'text-anchor="middle">{v:.6g}</text>')
    for name, colour, label, (at, row) in zip(names, colours, labels, places):
        tt, yy = thin(t, table[name])
        line, up = [], True
        for a, b in zip(tt, yy):
            if not math.isfinite(b):
                up = True
                continue
            line.append(f"{'M' if up else 'L'}{left + (a - t0) * sx:.1f} "
                        f"{height - bottom - (b - y0) * sy:.1f}")
            up = False
        out.append(f'<path d="{"".join(line)}" fill="none" stroke="{colour}" '
                   'stroke-width="1.4" stroke-linejoin="round"/>')
        out.append(f'<text x="{at}" y="{13 + 13 * row}" fill="{colour}">'
                   f'{html.escape(label)}</text>')
    return "".join(out)


def groups(table: "Table", names: Sequence[str]) -> list[list[str]]:
    """Columns that share an axis: the same unit, or the same name in several
    subsystems, and sizes within a factor of 20."""
    found: list[tuple[str, float, list[str]]] = []
    for name in names:
        low, high = limits([table[name]])
        size = max(abs(low), abs(high), 1e-300)
        key = table.units.get(name) or name.rsplit(".", 1)[-1]
        for k, (other, scale, members) in enumerate(found):
            if other == key and 1 / 20 < size / scale < 20 and len(members) < 4:
                members.append(name)
                found[k] = (key, max(size, scale), members)
                break
        else:
            found.append((key, size, [name]))
    return [members for _, _, members in found]


def rank(table: "Table", name: str, signals: set[str],
         largest: Mapping[str, float]) -> int:
    """What couples, then plain names, then elements of arrays, then nodes
    inside of devices; what never changes is not shown."""
    y = table[name]
    low, high = float(np.nanmin(y)), float(np.nanmax(y))
    size = max(abs(low), abs(high))
    if not high - low > 1e-9 * size or \
            (size < 1e-12 and size < 1e-12 * largest[table.units.get(name, "")]):
        return -1
    if name in signals:
        return 0
    return 3 if "#" in name else 2 if "[" in name else 1


def usual(table: "Table") -> list[str]:
    """The variables that yoke plot shows: at most eight, none twice."""
    names = table.names[1:]
    if not len(table.values):
        return list(names)
    notes: Mapping[str, str] = getattr(table, "notes", {})
    signals = {line.split("\t")[0]
               for line in notes.get("signals", "").split("\n")}
    some = [n for n in names if np.isfinite(table[n]).any()]
    largest: dict[str, float] = {}
    for n in some:
        unit = table.units.get(n, "")
        largest[unit] = max(largest.get(unit, 0.0),
                            float(np.nanmax(np.abs(table[n]))))
    ranks = {n: rank(table, n, signals, largest) for n in some}
    chosen: list[str] = []
    for r in range(4):
        if r > 1 and len(chosen) >= (3 if r == 2 else 1):
            break
        wanted = [n for n in some if ranks[n] == r]
        if r == 2 and len(wanted) > MOST_CURVES:  # some of a long array
            wanted = [wanted[k * (len(wanted) - 1) // (MOST_CURVES - 1)]
                      for k in range(MOST_CURVES)]
        for n in wanted:
            near = 1e-3 * float(np.ptp(table[n][np.isfinite(table[n])]))
            if len(chosen) < MOST_CURVES and not any(
                    bool((np.abs(table[n] - table[c]) <= near).all())
                    for c in chosen):
                chosen.append(n)
    return chosen or list(names[:1])


def plot(table: "Table", names: Optional[Sequence[str]] = None) -> str:
    """Panels of columns over the first one."""
    width, height = 420, 170
    rest = 0
    if names is None:
        names = usual(table)
        rest = len(table.names) - 1 - len(names)
    if not names or not len(table.values):
        return "<p>There are no rows to show.</p>"
    panels = groups(table, names)
    across = 2 if len(panels) > 1 else 1
    rows = (len(panels) + across - 1) // across
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{across * width}" '
           f'height="{rows * height}" viewBox="0 0 {across * width} '
           f'{rows * height}" style="max-width:100%;background:#fff" '
           'font-family="sans-serif" font-size="11">']
    at = 0
    for k, members in enumerate(panels):
        colours = [COLOURS[(at + i) % len(COLOURS)] for i in range(len(members))]
        at += len(members)
        out.append(f'<g transform="translate({k % across * width} '
                   f'{k // across * height})">'
                   f"{panel(table, members, colours, width, height)}</g>")
    out.append("</svg>")
    if rest:
        out.append(f"<p>... and {rest} more variables; "
                   "<code>plot(names)</code> shows others.</p>")
    return "".join(out)


def result(r: "Result") -> str:
    parts = [f"<p>{html.escape(repr(r)[1:-1])}</p>", plot(r)]
    for t in list(r.tables.values()):
        if len(t.values) == 1 and not len(r.values):
            rows = "".join(f"<tr><td>{html.escape(n)}</td><td>{v:.9g}</td></tr>"
                           for n, v in zip(t.names, t.values[0]))
            parts.append(f"<table>{rows}</table>")
    if r.info:
        parts.append("<details><summary>what was done</summary><pre>"
                     f"{html.escape(r.summary)}</pre></details>")
    return "".join(parts)


def layers(names: Sequence[str], edges: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Subsystems in columns: each behind what feeds it, loops cut anywhere."""
    level = {name: 0 for name in names}
    for _ in range(min(len(names), 50)):
        for a, b in edges:
            order = names.index(a) < names.index(b)
            if order and level[b] <= level[a]:
                level[b] = level[a] + 1
    columns: dict[int, list[str]] = {}
    for name in names:
        columns.setdefault(level[name], []).append(name)
    return [columns[k] for k in sorted(columns)]


BOX, TALL, GAP_X, GAP_Y, ACROSS = 132, 38, 74, 26, 5


class Place:
    """A box: its band of columns, its column there, its corner; the lines
    above and below which its band has none."""

    def __init__(self, band: int, column: int, x: float, y: float,
                 top: float, bottom: float) -> None:
        self.band, self.column, self.x, self.y = band, column, x, y
        self.top, self.bottom = top, bottom


def places(columns: Sequence[Sequence[str]]) -> tuple[dict[str, Place], float,
                                                      float]:
    """Columns from left to right, ACROSS of them in a band; width, height."""
    place, top = {}, 0.0
    for band in range((len(columns) + ACROSS - 1) // ACROSS):
        part = columns[band * ACROSS:(band + 1) * ACROSS]
        tall = max(len(c) for c in part) * (TALL + GAP_Y) + 24
        for i, column in enumerate(part):
            first = top + (tall - len(column) * (TALL + GAP_Y) + GAP_Y) / 2
            for k, name in enumerate(column):
                place[name] = Place(band, i, 10 + GAP_X / 2 + i * (BOX + GAP_X),
                                    first + k * (TALL + GAP_Y), top + 8,
                                    top + tall - 8)
        top += tall
    return place, min(len(columns), ACROSS) * (BOX + GAP_X) + 20, top


def arrow(a: Place, b: Place, shift: float) -> str:
    """From box to box: directly where they are neighbours, otherwise through
    the gaps between columns and between bands, so that no box is crossed."""
    right, left = a.x + BOX, a.x
    out, into = a.y + 0.35 * TALL, b.y + 0.35 * TALL
    if a.band == b.band and a.column == b.column:  # a bow beside the column
        side, way = (right, 1) if a.y <= b.y else (left, -1)
        out, into = (a.y + 0.65 * TALL, b.y + (0.35 if a is not b else 0.2) * TALL)
        bow = side + way * 34
        return f"M{side:.0f} {out:.0f}C{bow:.0f} {out:.0f} {bow:.0f} " \
               f"{into:.0f} {side + 2 * way:.0f} {into:.0f}"
    forward = (b.band, b.column) > (a.band, a.column)
    if not forward:
        out, into = a.y + 0.65 * TALL, b.y + 0.65 * TALL
    x1, x2 = (right, b.x - 2) if forward else (left, b.x + BOX + 2)
    if a.band == b.band and abs(a.column - b.column) == 1:
        bend = (x1 + x2) / 2
        return f"M{x1:.0f} {out:.0f}C{bend:.0f} {out:.0f} {bend:.0f} " \
               f"{into:.0f} {x2:.0f} {into:.0f}"
    way = 1 if forward else -1
    first, last = x1 + way * (20 + shift), x2 - way * (18 + shift)
    channel = (a.top if forward and a.band == b.band else
               a.bottom if forward or a.band == b.band else a.top) + shift / 2
    return f"M{x1:.0f} {out:.0f}H{first:.0f}V{channel:.0f}H{last:.0f}" \
           f"V{into:.0f}H{x2:.0f}"


def graph(system: "System") -> str:
    """Subsystems as boxes, signals as arrows."""
    shown = [s for s in system.subsystems() if not s["hidden"]]
    names = [s["name"] for s in shown][:60]
    kinds = {s["name"]: s["kind"] for s in shown}
    edges = sorted({(f, t) for t, _, f, _, _, _ in system.links()
                    if f in names and t in names})
    place, width, height = places(layers(names, [e for e in edges
                                                 if e[0] != e[1]]))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" '
           f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" '
           'style="max-width:100%;background:#fff" font-family="sans-serif" '
           'font-size="12"><defs><marker id="yoke-arrow" viewBox="0 0 8 8" '
           'refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
           '<path d="M0 0L8 4L0 8z" fill="#666"/></marker></defs>']
    for k, (a, b) in enumerate(edges):
        out.append(f'<path d="{arrow(place[a], place[b], k % 5 * 3 - 6)}" '
                   'fill="none" stroke="#666" stroke-linejoin="round" '
                   'marker-end="url(#yoke-arrow)"/>')
    for name, p in place.items():
        title = name if len(name) <= 18 else name[:17] + "…"
        out.append(
            f'<g><title>{html.escape(name)}</title><rect x="{p.x:.0f}" '
            f'y="{p.y:.0f}" width="{BOX}" height="{TALL}" rx="5" '
            f'fill="#f4f7fb" stroke="#1668b8"/><text x="{p.x + BOX / 2:.0f}" '
            f'y="{p.y + 16:.0f}" text-anchor="middle">{html.escape(title)}'
            f'</text><text x="{p.x + BOX / 2:.0f}" y="{p.y + 30:.0f}" '
            f'fill="#777" font-size="10" text-anchor="middle">'
            f"{html.escape(kinds[name])}</text></g>")
    out.append("</svg>")
    return "".join(out)


def stepper(part: Mapping[str, Any]) -> str:
    """An FMU or a program has a method of its own."""
    return "its own" if part["kind"] in ("FMU", "program") else part["stepper"] or ""


def system(s: "System") -> str:
    rows = "".join(
        f"<tr><td>{html.escape(p['name'])}</td><td>{html.escape(p['kind'])}</td>"
        f"<td>{len(p['states'])}</td><td>{html.escape(short(p['inputs']))}</td>"
        f"<td>{html.escape(short(p['outputs']))}</td>"
        f"<td>{html.escape(stepper(p))}</td></tr>"
        for p in s.subsystems()[:60] if not p["hidden"])
    return (f"<p><b>{html.escape(s.name)}</b></p>{graph(s)}<table><tr>"
            "<th>subsystem</th><th>kind</th><th>states</th><th>inputs</th>"
            f"<th>outputs</th><th>stepper</th></tr>{rows}</table>")


def short(names: Sequence[str], most: int = 6) -> str:
    more = f", ... ({len(names)})" if len(names) > most else ""
    return ", ".join(names[:most]) + more
