/* chart.js -- one interface to charts, two ways to draw them.
 *
 *     makeChart(parent, spec) -> { setRange, view, resize, destroy }
 *
 * spec: x (numbers, not decreasing), series [{label, y, color, width, dash,
 * step, points}], height, xLabel, yLabel, xUnit, yUnit (with a prefix that fits
 * the values), log, zero (the vertical axis begins there), whole (x has whole numbers), cross (name of the group whose cross-
 * hairs move together), onRange(least, most), onHover(index or null),
 * onClick(index).
 *
 * uPlot draws when it is in the page; otherwise the small canvas chart below.
 * In both: drag selects a range, shift and drag moves it, control and wheel
 * zooms, double click shows everything.
 */

const finite = (v) => v !== null && Number.isFinite(v);

/* A number for people: six digits. */
function show(v, digits = 6) {
    if (!finite(v)) return "\u2013";
    return String(+v.toPrecision(digits)).replace("-", "\u2212");
}

/* Digits that tell numbers apart that are `step` from each other. */
const digitsFor = (size, step) => size > 0 && step > 0
    ? Math.max(5, Math.min(16, 1 + Math.ceil(Math.log10(size / step)))) : 5;

/* Labels of an axis: each differs from the next, zero is 0 and not what rounding
 * left of it, and a power of ten stands where zeros would be many. */
function tickLabels(list) {
    const values = list.filter(finite);
    const step = Math.abs(values[1] - values[0]) || 0;
    const digits = digitsFor(Math.max(...values.map(Math.abs)), step);
    return list.map((v) => {
        if (!finite(v)) return "";
        if (Math.abs(v) < 1e-6 * step) return "0";
        const plain = show(v, digits);
        const power = (+v.toPrecision(digits)).toExponential()
            .replace("-", "\u2212").replace("e+", "e");
        return Math.abs(v) >= 1e6 && power.length < plain.length ? power
            : plain;
    });
}

/* Units that take prefixes: 500 us instead of 0.0005 s.  The same list and the
 * same bounds as in src/io/prefix.c. */
const prefixed = new Set(["s", "V", "A", "W", "VA", "var", "Hz", "Ohm", "\u03a9",
    "F", "H", "C", "S", "J", "N", "Pa", "T", "Wb", "m",
    "m/s", "N.m"]);
const prefixes = { "-15": "f", "-12": "p", "-9": "n", "-6": "\u00b5", "-3": "m",
    3: "k", 6: "M", 9: "G", 12: "T" };
const nearly = 1.005;
function scaleOf(lists, unit) {
    let size = 0, least = Infinity, most = -Infinity;
    for (const list of lists)
        for (const v of list)
            if (finite(v)) {
                size = Math.max(size, Math.abs(v));
                least = Math.min(least, v);
                most = Math.max(most, v);
            }
    const plain = { by: 1, unit: unit || "" };
    if (!prefixed.has(unit) || !size || (size * nearly >= 0.1 && size < 1e4))
        return plain;
    if (unit === "s" && size >= 1) {
        const long = size < 3 * 86400 ? { by: 3600, unit: "h" }
            : { by: 86400, unit: "d" };
        return most - least < long.by ? plain : { ...long, steps: [].concat(
            ...[-4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6].map((e) =>
                [1, 2, 5].map((f) => f * 10 ** e * long.by))) };
    }
    const power = Math.max(-15, Math.min(12,
        3 * Math.floor(Math.log10(size * nearly) / 3)));
    return power ? { by: 10 ** power, unit: prefixes[power] + unit } : plain;
}
const withUnit = (text, unit) => (text || "") + (unit ? ` [${unit}]` : "");

/* A power of ten. */
const decade = (v) => "1e" + String(Math.round(Math.log10(v)))
    .replace("-", "\u2212");

function cssColor(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name)
        .trim();
}

function extent(values, fallback = [0, 1]) {
    let a = Infinity, b = -Infinity;
    for (const v of values)
        if (finite(v)) {
            if (v < a) a = v;
            if (v > b) b = v;
        }
    if (a > b) return fallback;
    return a === b ? [a - (Math.abs(a) || 1) / 2, a + (Math.abs(a) || 1) / 2]
        : [a, b];
}

/* Index of the value of `x` nearest to v. */
function nearest(x, v) {
    let a = 0, b = x.length - 1;
    while (b - a > 1) {
        const m = (a + b) >> 1;
        if (x[m] < v) a = m; else b = m;
    }
    return b < 0 ? null : v - x[a] < x[b] - v ? a : b;
}

/* A range inside `full`, of the same length where possible. */
function clampRange(least, most, full) {
    const length = Math.min(most - least, full[1] - full[0]);
    const a = Math.max(full[0], Math.min(least, full[1] - length));
    return [a, a + length];
}

/* What is drawn of all series: a logarithmic axis has no place for zero, and
 * what is 24 decades below the largest value is noise. */
function plottable(spec) {
    if (!spec.log) return spec.series.map((s) => s.y);
    let most = 0;
    for (const s of spec.series)
        for (const v of s.y) if (finite(v) && v > most) most = v;
    const least = Math.max(most * 1e-24, 1e-300);
    return spec.series.map((s) => s.y.map((v) => v >= least ? v : null));
}

/* Range of y with some air: decades on a logarithmic axis. */
function airy([a, b], log) {
    if (log) {
        const low = Math.floor(Math.log10(Math.max(a, 1e-300)) + 1e-9);
        const high = Math.ceil(Math.log10(Math.max(b, 1e-300)) - 1e-9);
        return [10 ** low, 10 ** Math.max(high, low + 1)];
    }
    const air = 0.05 * (b - a);
    return [a - air, b + air];
}

/* Shift and drag, control and wheel: on any element that covers the chart. */
function bindPan(over, view, full, apply) {
    over.addEventListener("wheel", (e) => {
        if (!e.ctrlKey && !e.metaKey) return;
        e.preventDefault();
        const box = over.getBoundingClientRect(), [a, b] = view();
        const at = a + (b - a) * (e.clientX - box.left) / box.width;
        const f = e.deltaY < 0 ? 0.8 : 1.25;
        apply(clampRange(at - (at - a) * f, at + (b - at) * f, full()));
    }, { passive: false });
    return function startPan(e) {
        const width = over.getBoundingClientRect().width;
        const [a, b] = view(), x0 = e.clientX;
        const move = (m) => {
            const d = (b - a) * (x0 - m.clientX) / width;
            apply(clampRange(a + d, b + d, full()));
        };
        const stop = () => {
            window.removeEventListener("mousemove", move);
            window.removeEventListener("mouseup", stop);
        };
        window.addEventListener("mousemove", move);
        window.addEventListener("mouseup", stop);
    };
}

/* ---- uPlot -------------------------------------------------------------- */

function uplotOptions(spec, width, startPan) {
    const text = cssColor("--muted"), grid = cssColor("--grid");
    const axis = { stroke: text, font: "12px system-ui, sans-serif",
        labelFont: "12px system-ui, sans-serif", labelGap: 0,
        grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
    const ticks = (by) => (u, list) => tickLabels(list.map((v) =>
        v === null ? v : v / by));
    /* A wide letter has 8 pixels; a mark and its distance 20. */
    const room = (u, list) => Math.max(54, 20 + 8 *
        Math.max(0, ...(list || []).map((t) => t.length)));
    const whole = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 1e4, 1e5, 1e6];
    const [from, to] = extent(spec.x); /* half of the last label */
    const half = Math.max(34, 5 * digitsFor(Math.max(Math.abs(from),
        Math.abs(to)), (to - from) / 4));
    const decades = { splits: (u, i, a, b) => ticksOf(a, b, 6, true),
        filter: (u, list) => list, values: (u, list) => list.map(decade) };
    return {
        width, height: spec.height || 240, legend: { show: false }, pxAlign: 0,
        padding: [10, half, 0, 0],
        scales: {
            x: spec.x.length > 1 ? { time: false }
                : { time: false, range: () => extent(spec.x) },
            y: spec.log ? { distr: 3, log: 10, range: (u, a, b) =>
                airy(extent([a, b], [1, 10]), true) } : { range: (u, a, b) =>
                airy(extent(spec.zero ? [0, a, b] : [a, b]), false) },
        },
        axes: [
            { ...axis, label: withUnit(spec.xLabel, spec.xScale.unit),
                size: 30, labelSize: 20,
                space: (u, i, a, b) => 39 + 9 * digitsFor( /* of a label */
                    Math.max(Math.abs(a), Math.abs(b)), (b - a) / 4),
                values: ticks(spec.xScale.by),
                incrs: spec.whole ? whole : spec.xScale.steps },
            { ...axis, label: spec.yLabel && withUnit(spec.yLabel,
                spec.yScale.unit), size: room, labelSize: 18,
            values: ticks(spec.yScale.by), incrs: spec.yScale.steps,
            ...(spec.log ? decades : {}) },
        ],
        series: [{}, ...spec.series.map((s) => ({
            label: s.label, stroke: s.color, width: s.width || 1.6,
            dash: s.dash, spanGaps: false,
            paths: s.step ? uPlot.paths.stepped({ align: 1 }) : undefined,
            points: s.points || spec.x.length === 1 ? { show: true, size: 5, fill: s.color }
                : { show: false },
        }))],
        cursor: {
            y: false, drag: { x: true, y: false, dist: 4 },
            sync: spec.cross ? { key: spec.cross, setSeries: false }
                : undefined,
            points: { size: 7 },
            bind: { mousedown: (u, over, handle) => (e) =>
                e.shiftKey ? startPan.now(e) : handle(e) },
        },
        hooks: {
            setCursor: [(u) => spec.onHover?.(u.cursor.idx ?? null)],
            setScale: [(u, key) => {
                if (key === "x" && startPan.ready)
                    spec.onRange?.(u.scales.x.min, u.scales.x.max);
            }],
        },
    };
}

function uplotChart(parent, spec) {
    const pan = { now: () => {}, ready: false };
    const u = new uPlot(uplotOptions(spec, parent.clientWidth, pan),
        [spec.x, ...plottable(spec)], parent);
    const full = () => extent(spec.x);
    const view = () => [u.scales.x.min, u.scales.x.max];
    const setRange = (r) => u.setScale("x", { min: r[0], max: r[1] });
    pan.now = bindPan(u.over, view, full, setRange);
    u.over.addEventListener("click", () => {
        if (finite(u.cursor.idx)) spec.onClick?.(u.cursor.idx);
    });
    /* The first scale is set after this task: nobody needs to hear of it. */
    setTimeout(() => { pan.ready = true; });
    return {
        setRange: (a, b) => {
            pan.ready = false;
            setRange(finite(a) ? [a, b] : full());
            setTimeout(() => { pan.ready = true; });
        },
        resize: (width) => u.setSize({ width, height: spec.height || 240 }),
        destroy: () => u.destroy(),
        view,
    };
}

/* ---- without uPlot ------------------------------------------------------ */

/* Round numbers of `by` inside [a, b], about `count` of them; powers of ten if
 * log. */
function ticksOf(a, b, count, log, by = 1) {
    if (by !== 1)
        return ticksOf(a / by, b / by, count, log).map((v) => v * by);
    const out = [];
    if (log) {
        const e0 = Math.ceil(Math.log10(a) - 1e-9);
        const e1 = Math.floor(Math.log10(b) + 1e-9);
        const by = Math.max(1, Math.ceil((e1 - e0) / count));
        for (let e = e0; e <= e1; e += by) out.push(10 ** e);
        return out;
    }
    const rough = (b - a) / count, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough);
    for (let k = Math.ceil(a / step); k * step <= b; k++) out.push(k * step);
    return out;
}

const EDGE = { left: 84, right: 34, top: 10, bottom: 44 };

function canvasChart(parent, spec) {
    const canvas = document.createElement("canvas");
    const height = spec.height || 240;
    let width = parent.clientWidth, range = null;
    let hover = null, drag = null;
    parent.append(canvas);
    canvas.className = "plain";
    canvas.style.height = height + "px";

    const full = () => extent(spec.x);
    const view = () => range || full();
    const ys = plottable(spec);
    const px = (v) => { const [a, b] = view(); return EDGE.left +
        (width - EDGE.left - EDGE.right) * (v - a) / (b - a); };
    const value = (p) => { const [a, b] = view(); return a + (b - a) *
        (p - EDGE.left) / (width - EDGE.left - EDGE.right); };

    function yScale() {
        const [a, b] = view(), seen = spec.zero ? [0] : [];
        for (const y of ys)
            y.forEach((v, i) => {
                if (spec.x[i] >= a && spec.x[i] <= b) seen.push(v);
            });
        const [low, high] = airy(extent(seen, [1, 10]), spec.log);
        const f = spec.log ? Math.log10 : (v) => v;
        const inner = height - EDGE.top - EDGE.bottom;
        return { low, high, py: (v) => EDGE.top + inner *
            (f(high) - f(v)) / ((f(high) - f(low)) || 1) };
    }

    function drawAxes(c, s) {
        c.strokeStyle = cssColor("--grid");
        c.fillStyle = cssColor("--muted");
        c.font = "12px system-ui, sans-serif";
        c.lineWidth = 1;
        const line = (x0, y0, x1, y1) => {
            c.beginPath();
            c.moveTo(x0, y0);
            c.lineTo(x1, y1);
            c.stroke();
        };
        c.textAlign = "center";
        const [a, b] = view();
        const times = ticksOf(a, b, Math.max(2, width / 110), false,
            spec.xScale.by)
            .filter((v) => !spec.whole || v % 1 === 0);
        const names = tickLabels(times.map((v) => v / spec.xScale.by));
        times.forEach((v, i) => {
            line(px(v), EDGE.top, px(v), height - EDGE.bottom);
            c.fillText(names[i], px(v), height - EDGE.bottom + 16);
        });
        c.fillText(withUnit(spec.xLabel, spec.xScale.unit),
            (EDGE.left + width) / 2, height - 8);
        c.textAlign = "right";
        const heights = ticksOf(s.low, s.high, 5, spec.log, spec.yScale.by);
        const sizes = spec.log ? heights.map(decade)
            : tickLabels(heights.map((v) => v / spec.yScale.by));
        heights.forEach((v, i) => {
            line(EDGE.left, s.py(v), width - EDGE.right, s.py(v));
            c.fillText(sizes[i], EDGE.left - 6, s.py(v) + 4);
        });
        c.save();
        c.translate(13, (height - EDGE.bottom) / 2);
        c.rotate(-Math.PI / 2);
        c.textAlign = "center";
        if (spec.yLabel)
            c.fillText(withUnit(spec.yLabel, spec.yScale.unit), 0, 0);
        c.restore();
    }

    function drawSeries(c, s, k) {
        const line = spec.series[k];
        let open = false, last = null;
        c.strokeStyle = c.fillStyle = line.color;
        c.lineWidth = line.width || 1.6;
        c.setLineDash(line.dash || []);
        c.beginPath();
        ys[k].forEach((v, i) => {
            if (!finite(v)) { open = false; return; }
            const x = px(spec.x[i]), y = s.py(v);
            if (open && line.step) c.lineTo(x, last);
            if (open) c.lineTo(x, y); else c.moveTo(x, y);
            open = true;
            last = y;
        });
        c.stroke();
        c.setLineDash([]);
        ys[k].forEach((v, i) => {
            if (!finite(v) || (!line.points && i !== hover)) return;
            c.beginPath();
            c.arc(px(spec.x[i]), s.py(v), 3, 0, 7);
            c.fill();
        });
    }

    function draw() {
        const ratio = window.devicePixelRatio || 1, s = yScale();
        canvas.width = width * ratio;
        canvas.height = height * ratio;
        canvas.style.width = width + "px";
        const c = canvas.getContext("2d");
        c.scale(ratio, ratio);
        drawAxes(c, s);
        c.save();
        c.beginPath();
        c.rect(EDGE.left, EDGE.top, width - EDGE.left - EDGE.right,
            height - EDGE.top - EDGE.bottom);
        c.clip();
        spec.series.forEach((line, k) => drawSeries(c, s, k));
        if (drag) {
            c.fillStyle = cssColor("--select");
            c.fillRect(Math.min(...drag), EDGE.top, Math.abs(drag[1] - drag[0]),
                height - EDGE.top - EDGE.bottom);
        }
        c.restore();
    }

    function setRange(r, quiet) {
        range = r;
        draw();
        if (!quiet) spec.onRange?.(...view());
    }

    const startPan = bindPan(canvas, view, full, (r) => setRange(r));
    const at = (e) => e.clientX - canvas.getBoundingClientRect().left;
    canvas.addEventListener("mousemove", (e) => {
        hover = nearest(spec.x, value(at(e)));
        if (drag) drag[1] = at(e);
        draw();
        spec.onHover?.(hover);
    });
    canvas.addEventListener("mouseleave", () => {
        hover = null;
        draw();
        spec.onHover?.(null);
    });
    canvas.addEventListener("mousedown", (e) => {
        if (e.shiftKey) return startPan(e);
        drag = [at(e), at(e)];
        window.addEventListener("mouseup", () => {
            const [a, b] = drag.map(value).sort((p, q) => p - q);
            const far = Math.abs(drag[1] - drag[0]) > 4;
            drag = null;
            if (far) setRange([a, b]);
            else if (hover !== null) spec.onClick?.(hover);
        }, { once: true });
    });
    canvas.addEventListener("dblclick", () => setRange(null));
    draw();
    return {
        setRange: (a, b) => setRange(finite(a) ? [a, b] : null, true),
        resize: (w) => { width = w; draw(); },
        destroy: () => canvas.remove(),
        view,
    };
}

/* ---- both --------------------------------------------------------------- */

const hasUplot = typeof uPlot !== "undefined";

/* The legend is a line of its own: values under the pointer, else names. */
function legendOf(parent, spec) {
    const box = document.createElement("div");
    box.className = "legend";
    const items = spec.series.filter((s) => s.label);
    const time = document.createElement("span");
    time.className = "at";
    box.append(time);
    const values = items.map((s) => {
        const item = document.createElement("span");
        const mark = document.createElement("i");
        mark.style.borderColor = s.color;
        if (s.dash) mark.style.borderStyle = "dashed";
        const value = document.createElement("b");
        item.append(mark, withUnit(s.label, s.unit === spec.yUnit
            ? spec.yScale.unit : s.unit), value);
        box.append(item);
        return value;
    });
    parent.append(box);
    return (i) => {
        const on = i !== null;
        time.textContent = on ? `${spec.xName || spec.xLabel} ${
            show(spec.x[i] / spec.xScale.by)} ${spec.xScale.unit}` : "";
        values.forEach((v, k) => {
            v.textContent = on ? " " + show(items[k].y[i] / spec.yScale.by)
                : "";
        });
    };
}

function makeChart(parent, spec) {
    const box = document.createElement("div");
    box.className = "chart";
    parent.append(box);
    spec.xScale = scaleOf([spec.x], spec.xUnit);
    spec.yScale = spec.log ? { by: 1, unit: spec.yUnit || "" }
        : scaleOf(spec.series.map((s) => s.y), spec.yUnit);
    const update = spec.legend === false ? () => {} : legendOf(box, spec);
    const area = document.createElement("div");
    box.append(area);
    const hover = spec.onHover;
    spec.onHover = (i) => { update(i); hover?.(i); };
    const chart = (hasUplot ? uplotChart : canvasChart)(area, spec);
    const observer = new ResizeObserver(() => {
        if (area.clientWidth > 0) chart.resize(area.clientWidth);
    });
    observer.observe(area);
    return { ...chart, spec, destroy: () => {
        observer.disconnect();
        chart.destroy();
        box.remove();
    } };
}
