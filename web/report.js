/* report.js -- the sections of the page, from the data inside it.
 *
 * Every section is a function that makes its element, or returns null when the
 * result file does not hold what it shows.
 */

let data = JSON.parse(document.getElementById("data").textContent);
let notes = data.notes;
const profiles = readProfiles(data.profiles);
const dark = matchMedia("(prefers-color-scheme: dark)");

/* Okabe and Ito's palette, told apart by everyone, ordered for the background.
 */
const palette = () => dark.matches
    ? ["#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442", "#d55e00",
        "#dddddd"]
    : ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
        "#000000"];
const dashes = [undefined, [7, 4], [2, 3], [9, 3, 2, 3]];

/* Beginning and end of an order, dark blue to yellow: cividis. */
function shade(part) {
    const stops = dark.matches
        ? [[64, 84, 126], [124, 132, 140], [254, 232, 88]]
        : [[214, 205, 150], [124, 123, 120], [0, 44, 105]];
    const at = Math.min(0.9999, Math.max(0, part)) * (stops.length - 1);
    const k = Math.floor(at), f = at - k;
    return `rgb(${stops[k].map((v, i) =>
        Math.round(v + f * (stops[k + 1][i] - v))).join()})`;
}

/* ---- elements ----------------------------------------------------------- */

function make(tag, properties = {}, ...children) {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(properties))
        if (k in e) e[k] = v; else e.setAttribute(k, v);
    e.append(...children.filter((c) => c !== null && c !== undefined));
    return e;
}

function section(id, title, hint, ...children) {
    return make("section", { id }, make("h2", {}, title),
        hint ? make("p", { className: "hint" }, hint) : null, ...children);
}

/* A labelled slider; `change` hears its value. */
function slider(text, most, value, format, change) {
    const shown = make("output", {}, format(value));
    const input = make("input", { type: "range", min: 0, max: most, step: 1,
        value, ariaLabel: text });
    const set = (v) => {
        input.value = v;
        shown.textContent = format(+input.value);
    };
    input.addEventListener("input", () => {
        set(input.value);
        change(+input.value);
    });
    return { element: make("label", {}, text, input, shown), set, input };
}

function button(text, press, properties = {}) {
    const b = make("button", { type: "button", ...properties }, text);
    b.addEventListener("click", press);
    return b;
}

function column(table, name) {
    const k = table.names.indexOf(name);
    return k < 0 ? null : table.data[k];
}

/* ---- the log ------------------------------------------------------------ */

/* Windows with the rows of their sweeps.  One that is repeated occurs more
 * than once; only the last is accepted. */
function readWindows(table) {
    if (!table) return [];
    const window = column(table, "window"), sweep = column(table, "sweep");
    const list = [];
    window.forEach((w, i) => {
        const last = list[list.length - 1];
        if (last && last.number === w && sweep[i] > sweep[last.rows.at(-1)])
            last.rows.push(i);
        else list.push({ number: w, rows: [i] });
    });
    return list;
}

let log = data.coupling;
let windows = readWindows(log);
const fixed = ["window", "sweep", "t0", "t1", "change", "rate", "estimate",
    "solved", "accepted", "predicted"]; /* columns that are no variables */
const logged = (w, name) => {
    const c = column(log, name);
    return w.rows.map((i) => c ? c[i] : null);
};
const lastOf = (w, name) => logged(w, name).at(-1);
const acceptedOf = (list) => list.filter((w) => lastOf(w, "accepted"));
let accepted = acceptedOf(windows);

/* The rate that was to be expected of a window; null: not told. */
const predictedOf = (w) => {
    const rate = lastOf(w, "predicted");
    return finite(rate) ? rate : null;
};
const anyPredicted = windows.some((w) => predictedOf(w) > 0);

function median(list) {
    const v = list.filter(finite).sort((a, b) => a - b);
    if (!v.length) return null;
    return (v[(v.length - 1) >> 1] + v[v.length >> 1]) / 2;
}
/* Three sweeps measure a rate. */
const measuredOf = (w) => w.rows.length >= 3 && finite(lastOf(w, "rate"))
    ? lastOf(w, "rate") : null;

/* The window that the sections on iterates and convergence show. */
const chosen = { number: 1, listeners: [] };
function choose(number) {
    if (chosen.number === number) return;
    chosen.number = number;
    for (const f of chosen.listeners) f();
}
function hardest() {
    let best = windows[0];
    for (const w of windows) if (w.rows.length > best.rows.length) best = w;
    return best ? best.number : 1;
}
/* Index of the chosen window, the last of repeated ones. */
const place = (list) => {
    let best = 0;
    list.forEach((w, i) => {
        if (Math.abs(w.number - chosen.number) <=
            Math.abs(list[best].number - chosen.number)) best = i;
    });
    return best;
};

function largest(list) {
    return list.reduce((m, v) => finite(v) && v > m ? v : m, -Infinity);
}

/* ---- a run that goes on -------------------------------------------------- */

const running = () => data.live && data.live.state === "runs";
let lost = false; /* nobody answers any more */

/* Seconds for people. */
function duration(s) {
    if (!finite(s)) return "\u2013";
    if (s < 10) return `${show(s, 2)} s`;
    if (s < 120) return `${Math.round(s)} s`;
    if (s < 7200) return `${Math.round(s / 60)} min`;
    return `${show(s / 3600, 3)} h`;
}

function runningText() {
    const l = data.live;
    if (lost) return `Nobody answers any more since t = ${show(l.t)}.`;
    return `t = ${show(l.t)} of ${show(l.stop)}` + (l.ago > 5
        ? `, the present window for ${duration(l.ago)}` : "") + ".";
}

/* How far it is, how long it will take. */
function progressBar() {
    const l = data.live;
    if (!l) return null;
    const percent = (100 * Math.min(1, Math.max(0, l.part))).toFixed(1);
    return make("div", { className: "progress", id: "progress" },
        make("div", { className: "track", role: "progressbar",
            "aria-valuenow": percent, "aria-label": "part of the run" },
        make("i", { style: `width:${percent}%` })),
        make("p", {}, make("b", {}, `${Math.round(percent)} %`),
            running() ? ` \u00b7 ${duration(l.left)} left` : "",
            ` \u00b7 ${duration(l.seconds)} so far`));
}

/* One subsystem exchanges nothing: windows and sweeps would say nothing. */
const alone = () => (notes.subsystems || "").split("\n").filter((l) => l)
    .length === 1;

/* Sum of a column of the work; null: it is not there. */
function worked(name) {
    const c = data.work && column(data.work, name);
    return c && c.length ? c.reduce((s, v) => s + (v || 0), 0) : null;
}

/* ---- head --------------------------------------------------------------- */

/* "Solved to t = 0.0005 (rtol 0.0001, atol 1e-06)." */
function aloneText() {
    const option = (name) => ((notes.options || "").split("\n").map((l) =>
        l.split("\t")).find((l) => l[0] === name) || [])[1];
    const end = windows.length ? lastOf(windows.at(-1), "t1") : null;
    return `Solved to t = ${show(end)} s (rtol ${option("rtol")}, atol ${
        option("atol")}).`;
}

/* Names of subsystems keep their letters at the begin of a sentence. */
function named(word) {
    const names = (notes.subsystems || "").split("\n")
        .map((line) => line.split("\t")[0]);
    return word.split(/[+,]/).some((part) => names.includes(part));
}

function verdict() {
    const say = (kind, strong, rest) => make("p", { className: "verdict " +
        kind, id: "verdict" },
        make("span", {}, make("b", {}, strong), rest ? " " + rest : ""));
    if (running()) return say("", "The run goes on.", runningText());
    const summary = (notes.summary || "").replace(": every window converged.",
        ".").replace(/\. ([a-z])\S*/g, (all) => named(all.slice(2)) ? all :
        ". " + all[2].toUpperCase() + all.slice(3)).replace(/\w$/, "$&.");
    if (notes.error && /stopped at t = \S+ on request/.test(notes.error))
        return say("bad", "The run was stopped.", notes.error);
    if (notes.error) return say("bad", "The run failed.", notes.error);
    if (notes.converged === "yes" && alone())
        return say("good", "The run is complete.", aloneText());
    if (notes.converged === "yes")
        return say("good", "Every window converged.", summary);
    if (notes.converged === "no")
        return say("bad", "Not every window converged.", summary);
    if (!windows.length)
        return say("", "The file has no coupling log,",
            "so nothing can be said about convergence.");
    const open = windows.at(-1);
    if (!lastOf(open, "accepted"))
        return say("bad", "The last window was not accepted:",
            `window ${open.number} from t = ${show(lastOf(open, "t0"))}.`);
    return say("good", "Every window was accepted,",
        `${accepted.length} of them, the last to t = ${
            show(lastOf(open, "t1"))}.`);
}

/* What the checks found and what is not certified, as the summary of the run. */
function certainty() {
    const field = (name) => (notes[name] || "").split("\t");
    const list = (notes.not_certified || "").split("\n").filter((l) => l)
        .map((l) => ["Not certified", l]);
    const [made, largest, where, at] = field("spot_checks");
    if (made > 0)
        list.push(["Spot checks", `${made} piece${made === "1" ? "" : "s"} ` +
            `solved again in another way, ${largest} tolerances apart at most` +
            (where ? ` (${where}, t = ${at})` : "")]);
    const [apart, why] = field("second_solution");
    if (apart)
        list.push(["Second solution", apart === "none" ? why :
            `a tenth of the tolerance changes the result by ${apart} ` +
            "tolerances at most"]);
    if (notes.rows) list.push(["Rows", notes.rows]);
    return list;
}

function certaintySection() {
    const list = certainty();
    if (!list.length) return null;
    return section("certainty", "Certainty", "What was tested besides the " +
        "windows and steps, and what has no test.",
    make("dl", { className: "certainty" }, ...list.map(([kind, text]) =>
        make("div", { className: kind === "Not certified" ? "open" : "" },
            make("dt", {}, kind), make("dd", {}, text)))));
}

/* Beside the verdict, so that nobody takes it for more than it is. */
function openText() {
    const open = certainty().filter(([kind]) => kind === "Not certified");
    if (!open.length) return null;
    return make("p", { className: "open" },
        make("a", { href: "#certainty" }, open.length === 1
            ? "One thing is not certified" : `${open.length} things are not ` +
            "certified"), ".");
}

function head() {
    const facts = [["file", data.file], ["system", notes.system],
        ["date", notes.date && notes.date.replace("T", " ")
            .replace("Z", " UTC")],
        ["version", notes.version && "Yoke " + notes.version],
        ["command", notes.command && make("code", {}, notes.command)]];
    document.getElementById("head").replaceChildren(
        make("h1", {}, data.title), verdict(), openText() || "",
        progressBar() || "",
        make("dl", { className: "facts" }, ...facts.filter((f) => f[1])
            .map(([k, v]) => make("div", k === "command"
                ? { className: "wide" } : {}, make("dt", {}, k),
            make("dd", {}, v)))));
}

function tiles() {
    const tile = (value, text) => make("div", {}, make("b", {}, value),
        make("span", {}, text));
    if (!windows.length) return null;
    const live = data.live;
    if (alone())
        return make("div", { className: "tiles" },
            ...["steps", "rejected", "events"].map((name) =>
                worked(name) === null ? null : tile(worked(name),
                    name === "rejected" ? "steps rejected" : name)),
            notes.seconds ? tile(show(+notes.seconds, 3) + " s", "wall time")
                : null);
    const part = log.every > 1 && !live ? " (of those shown)" : "";
    const sweeps = live ? live.sweeps
        : windows.reduce((s, w) => s + w.rows.length, 0);
    const count = live ? live.windows : accepted.length;
    const measured = accepted.filter((w) => measuredOf(w) !== null);
    const rate = median(measured.map(measuredOf));
    const predicted = median((measured.length ? measured : accepted)
        .map(predictedOf));
    const error = largest(accepted.map((w) => lastOf(w, "estimate")));
    return make("div", { className: "tiles" },
        tile(count, "windows accepted" + part),
        live ? null : tile(windows.length - accepted.length,
            "windows begun again" + part),
        tile(show(sweeps / Math.max(1, count), 3),
            "sweeps per window"),
        tile(rate === null ? "\u2013" : show(rate, 3),
            "measured rate, median"),
        predicted !== null
            ? tile(show(predicted, 3), "predicted rate, median") : null,
        tile(show(error, 2), "coupling error / tolerance"),
        notes.overhead ? tile(show(+notes.overhead, 3),
            `overhead, ${notes.overhead_is}`) : null,
        notes.seconds ? tile(show(+notes.seconds, 3) + " s", "wall time")
            : null);
}

/* ---- system ------------------------------------------------------------- */

/* What was solved together, from when on: {t, cluster of each}. */
function readTogether() {
    return Object.keys(notes).filter((name) => /^together \d+$/.test(name))
        .sort((a, b) => a.slice(9) - b.slice(9)).map((name) => {
            const [t, list] = notes[name].split("\t");
            return { t: +t, cluster: (list || "").split(" ").map(Number) };
        });
}

function systemSection() {
    if (!notes.subsystems) return null;
    const said = make("p", { className: "said" });
    const box = make("div", { className: "graphbox" });
    const rest = alone() ? "" : "Point at an arrow to see its signals.";
    const list = readTogether(), bar = make("div", { className: "bar" });
    said.textContent = rest;
    const draw = (k) => {
        box.replaceChildren();
        if (!drawGraph(box, notes, list[k] && list[k].cluster, (signals) => {
            said.textContent = signals
                ? signals.slice(0, 8).join("  \u00b7  ") + (signals.length > 8
                    ? ` and ${signals.length - 8} more` : "") : rest;
        })) said.textContent = "There are too many subsystems to draw.";
        bar.querySelectorAll("button").forEach((b, i) =>
            b.setAttribute("aria-pressed", i === k));
    };
    if (list.length > 1)
        bar.append("What is solved together changed:", ...list.map((g, k) =>
            button(`from t = ${show(g.t)}`, () => draw(k))));
    const s = section("system", "System", alone() ? "" : "Boxes are " +
        "subsystems, arrows signals; what stands in a frame is solved together.",
    list.length > 1 ? bar : null, box, said);
    s.after_insert = () => draw(list.length - 1);
    return s;
}

/* ---- waveforms ---------------------------------------------------------- */

const wave = { slots: new Map(), stacked: false, range: null, charts: [] };

/* At most two of each subsystem, six together; multipliers of constraints and
 * what is exchanged before the rest, columns of profiles and nodes inside of
 * devices (d1#internal) only where there is nothing else. */
function chooseFirst(names) {
    const along = new Set(data.result.along);
    const constraints = new Set((notes.subsystems || "").split("\n")
        .map((l) => l.split("\t")).filter((f) => f.length > 5 && !f[5])
        .map((f) => f[0]));
    const exchanged = new Set((notes.signals || "").split("\n")
        .map((l) => l.split("\t")[0]));
    const group = (k) => names[k].split(".")[0];
    const rank = (k) => along.has(k) || names[k].includes("#") ? 3 : constraints.has(group(k)) ? 0
        : exchanged.has(names[k]) ? 1 : 2;
    const order = names.map((_, k) => k).slice(1)
        .sort((i, k) => rank(i) - rank(k) || i - k);
    const seen = new Map();
    for (const k of order) {
        if (wave.slots.size >= 6 || (rank(k) === 3 && wave.slots.size)) break;
        seen.set(group(k), (seen.get(group(k)) || 0) + 1);
        if (seen.get(group(k)) <= 2) wave.slots.set(k, wave.slots.size);
    }
}

/* Panels by unit and size, as yoke plot has them: beside one 30 times as large
 * (10 times, where no unit says that they are comparable) a curve would be a
 * straight line. */
function panelsOf(columns) {
    const panels = [];
    for (const k of columns) {
        const unit = data.result.units[k] || "";
        const [a, b] = extent(data.result.data[k], [0, 0]);
        const size = Math.max(Math.abs(a), Math.abs(b));
        const most = unit ? 30 : 10;
        const fits = panels.find((p) => p.unit === unit && (!size || !p.most ||
            Math.max(p.most, size) <= most * Math.min(p.least, size)));
        const panel = fits || { unit, least: Infinity, most: 0, columns: [] };
        if (!fits) panels.push(panel);
        if (size) panel.least = Math.min(panel.least, size);
        panel.most = Math.max(panel.most, size);
        panel.columns.push(k);
    }
    return panels.map((p) => p.columns);
}

function slotFor() {
    const taken = new Set(wave.slots.values());
    let slot = 0;
    while (taken.has(slot)) slot++;
    return slot;
}

function waveSeries(k) {
    const slot = wave.slots.get(k), colors = palette();
    return { label: data.result.names[k], unit: data.result.units[k],
        y: data.result.data[k], color: colors[slot % colors.length],
        dash: dashes[Math.floor(slot / colors.length) % dashes.length] };
}

function rangeOf(range) {
    wave.range = range;
    for (const c of wave.charts) c.setRange(...(range || [null, null]));
}

function drawWaves(box) {
    for (const c of wave.charts) c.destroy();
    wave.charts = [];
    const chosenColumns = [...wave.slots.keys()].sort((a, b) => a - b);
    const panels = wave.stacked ? chosenColumns.map((k) => [k])
        : panelsOf(chosenColumns);
    box.replaceChildren();
    if (!panels.length)
        box.append(make("p", { className: "hint" }, "No variable is chosen."));
    const all = extent(data.result.data[0]);
    for (const panel of panels) {
        const chart = makeChart(box, {
            x: data.result.data[0], series: panel.map(waveSeries),
            height: wave.stacked ? 150 : panels.length === 1 ? 380
                : panels.length === 2 ? 230 : 190, cross: "waves", xName: "time",
            xLabel: "time", xUnit: data.result.units[0],
            yUnit: data.result.units[panel[0]],
            onRange: (a, b) => {
                wave.range = a <= all[0] && b >= all[1] ? null : [a, b];
                for (const c of wave.charts)
                    if (c !== chart) c.setRange(a, b);
            },
        });
        wave.charts.push(chart);
        if (wave.range) chart.setRange(...wave.range);
    }
}

function zoomBy(factor, shift) {
    if (!wave.charts.length) return;
    const [a, b] = wave.charts[0].view(), full = extent(data.result.data[0]);
    const middle = (a + b) / 2 + shift * (b - a), half = factor * (b - a) / 2;
    rangeOf(clampRange(middle - half, middle + half, full));
}

/* One group of check boxes per subsystem; columns of profiles at the end. */
function variableList(list, changed) {
    const names = data.result.names;
    const rows = [];
    let group = null, title = null;
    const along = new Set(data.result.along);
    const last = (k) => along.has(k) ? 1 : 0;
    for (const k of names.map((_, i) => i).slice(1)
        .sort((i, j) => last(i) - last(j) || i - j)) {
        const dot = names[k].indexOf(".");
        const owner = dot > 0 ? names[k].slice(0, dot) : "";
        if (owner !== group) {
            group = owner;
            title = make("strong", { hidden: !owner }, owner);
            list.append(title);
        }
        const box = make("input", { type: "checkbox", checked:
            wave.slots.has(k), name: names[k] });
        box.addEventListener("change", () => {
            if (box.checked) wave.slots.set(k, slotFor());
            else wave.slots.delete(k);
            changed();
        });
        const row = make("label", { title: names[k] }, box, make("span", {},
            dot > 0 ? names[k].slice(dot + 1) : names[k]),
        data.result.units[k] ? make("small", {}, data.result.units[k]) : null);
        list.append(row);
        rows.push({ k, name: names[k].toLowerCase(), row, box, title });
    }
    return rows;
}

function waveHint() {
    const r = data.result;
    const text = ["Drag to zoom, shift and drag to move, control and wheel " +
        "to zoom at the pointer, double click to see everything."];
    if (r.every > 1)
        text.push(`The result has ${r.rows} rows; the least and the largest ` +
            `value of about every ${r.every} rows are shown.`);
    if (r.cols > r.names.length)
        text.push(`${r.cols - r.names.length} of ${r.cols - 1} variables ` +
            "are left out; " + (data.live ? "a result file has all." :
                "yoke report --variables N takes more."));
    return text.join(" ");
}

function wavesSection() {
    const r = data.result;
    if (r.names.length < 2 || !r.data[0].length) return null;
    if (!wave.slots.size) chooseFirst(r.names);
    const list = make("div", { className: "list" });
    const panels = make("div", { id: "panels" });
    const redraw = () => drawWaves(panels);
    const rows = variableList(list, redraw);
    const search = make("input", { type: "search", placeholder: "Search",
        ariaLabel: "Search variables" });
    search.addEventListener("input", () => {
        const words = search.value.toLowerCase().split(/\s+/);
        for (const v of rows) v.title.hidden = true;
        for (const v of rows) {
            v.row.hidden = !words.every((w) => v.name.includes(w));
            if (!v.row.hidden && v.title.textContent) v.title.hidden = false;
        }
    });
    const setAll = (on) => {
        for (const v of rows) {
            if (on && v.row.hidden) continue;
            if (on && !wave.slots.has(v.k)) wave.slots.set(v.k, slotFor());
            if (!on) wave.slots.delete(v.k);
            v.box.checked = on;
        }
        redraw();
    };
    const stack = button("One panel each", () => {
        wave.stacked = !wave.stacked;
        stack.setAttribute("aria-pressed", wave.stacked);
        redraw();
    }, { id: "stack", "aria-pressed": wave.stacked });
    const bar = make("div", { className: "bar" }, stack,
        make("span", { className: "push" }),
        button("\u2190", () => zoomBy(1, -0.25), { title: "earlier" }),
        button("\u2192", () => zoomBy(1, 0.25), { title: "later" }),
        button("+", () => zoomBy(0.5, 0), { title: "zoom in" }),
        button("\u2212", () => zoomBy(2, 0), { title: "zoom out" }),
        button("Everything", () => rangeOf(null), { id: "everything" }));
    const s = section("waves", "Waveforms", waveHint(),
        make("div", { className: "split" },
            make("div", {}, search, list, make("div", { className: "bar" },
                button("All found", () => setAll(true)),
                button("None", () => setAll(false)))),
            make("div", {}, bar, panels)));
    s.after_insert = redraw;
    wave.redraw = redraw;
    return s;
}

/* ---- iterates ----------------------------------------------------------- */

/* Windows with the rows of each sweep: {number, sweeps: [[first, end), ...]}.
 */
function readIterates(table) {
    if (!table) return [];
    const window = column(table, "window"), sweep = column(table, "sweep");
    const list = [];
    window.forEach((w, i) => {
        const last = list[list.length - 1];
        if (i === 0 || w !== window[i - 1] || sweep[i] < sweep[i - 1])
            list.push({ number: w, sweeps: [[i, i + 1]] });
        else if (sweep[i] !== sweep[i - 1]) last.sweeps.push([i, i + 1]);
        else last.sweeps.at(-1)[1] = i + 1;
    });
    return list;
}

const relaxing = readIterates(data.iterates);
const view = { variable: 3, sweep: null, charts: [], timer: null };

function iterateSeries(w, values, upTo) {
    const last = w.sweeps.length - 1;
    return w.sweeps.map(([a, b], k) => ({ k, y: values(k, a, b) }))
        .filter((s) => s.k <= upTo && s.y)
        .map((s) => ({ y: s.y, color: shade(last ? s.k / last : 1),
            label: w.sweeps.length <= 12 || s.k === upTo || s.k === 0
                ? (s.k ? `sweep ${s.k}` : "guess") : "",
            width: s.k === upTo ? 2.6 : 1.3 }));
}

/* Axes that do not move while the sweeps are played: the unseen iterates take
 * part with an invisible line. */
function invisible(w, values) {
    return w.sweeps.map(([a, b], k) => ({ y: values(k, a, b), label: "",
        color: "transparent", width: 0.01 })).filter((s) => s.y);
}

function drawIterates(box, w, upTo) {
    for (const c of view.charts) c.destroy();
    const y = data.iterates.data[view.variable];
    const [a0, b0] = w.sweeps[0], [az] = w.sweeps.at(-1);
    const last = w.sweeps.length - 1;
    const x = column(data.iterates, "time").slice(a0, b0);
    const value = (k, a, b) => y.slice(a, b);
    const error = (k, a, b) => k === last ? null
        : y.slice(a, b).map((v, i) => Math.abs(v - y[az + i]));
    const name = data.iterates.names[view.variable];
    const spec = (values, rest) => ({ x, height: 300, xLabel: "time",
        cross: "iterates", ...rest,
        series: [...invisible(w, values), ...iterateSeries(w, values, upTo)] });
    view.charts = [
        makeChart(box[0], spec(value, { yLabel: name })),
        makeChart(box[1], spec(error, { log: true, legend: false,
            yLabel: "distance from the last sweep" })),
    ];
}

function iteratesSection() {
    if (!relaxing.length || data.iterates.names.length < 4) return null;
    const box = [make("div", {}), make("div", {})];
    const current = () => relaxing[place(relaxing)];
    const most = () => current().sweeps.length - 1;
    const upTo = () => view.sweep === null ? most()
        : Math.min(view.sweep, most());
    const draw = () => drawIterates(box, current(), upTo());
    const stop = () => {
        clearInterval(view.timer);
        view.timer = null;
        play.textContent = "Play";
    };
    const pickWindow = slider("window", relaxing.length - 1, place(relaxing),
        (i) => relaxing[i].number, (i) => choose(relaxing[i].number));
    const pickSweep = slider("sweeps", most(), upTo(), String, (v) => {
        stop();
        view.sweep = v;
        draw();
    });
    const refresh = () => {
        pickWindow.set(place(relaxing));
        pickSweep.input.max = most();
        pickSweep.set(upTo());
        draw();
    };
    const step = () => {
        if (view.sweep >= most()) return stop();
        view.sweep++;
        pickSweep.set(view.sweep);
        draw();
    };
    const play = button("Play", () => {
        if (view.timer) return stop();
        view.sweep = 0;
        pickSweep.set(0);
        draw();
        play.textContent = "Stop";
        view.timer = setInterval(step, 600);
    }, { id: "play" });
    const variable = make("select", { id: "iterate-variable", ariaLabel:
        "variable" }, ...data.iterates.names.slice(3).map((n, i) =>
        make("option", { value: i + 3, selected: i + 3 === view.variable },
            n)));
    variable.addEventListener("change", () => {
        view.variable = +variable.value;
        draw();
    });
    chosen.listeners.push(() => {
        stop();
        view.sweep = null;
        refresh();
    });
    const hint = "Every sweep solves the window again with the waveforms of " +
        "the others; watch them settle." + (data.iterates.every > 1
        ? ` One window of ${data.iterates.every} is in this page.` : "");
    const s = section("iterates", "Iterates of a window", hint,
        make("div", { className: "bar" }, make("label", {}, "variable",
            variable), pickWindow.element, pickSweep.element, play),
        make("div", { className: "pair" }, ...box));
    s.after_insert = draw;
    return s;
}

/* ---- convergence -------------------------------------------------------- */

/* Change after each sweep, the chosen window before the others. */
function sweepChart(box, w) {
    const longest = Math.max(2, ...windows.map((v) => v.rows.length));
    const x = Array.from({ length: longest }, (_, i) => i + 1);
    const pad = (list) => x.map((_, i) => i < list.length ? list[i] : null);
    const stride = Math.ceil(windows.length / 150), colors = palette();
    const others = windows.filter((v, i) => i % stride === 0 && v !== w)
        .map((v) => ({ y: pad(logged(v, "change")), width: 1,
            color: dark.matches ? "#9aa5b155" : "#5b657044" }));
    const change = logged(w, "change");
    const series = [...others,
        { label: "tolerance", y: x.map(() => 1), color: cssColor("--muted"),
            dash: [3, 3], width: 1 },
        { label: `change, window ${w.number}`, y: pad(change),
            color: colors[0], width: 2.4, points: true },
        { label: "estimated error", y: pad(logged(w, "estimate")),
            color: colors[1], dash: [7, 4], width: 1.8, points: true }];
    const predicted = predictedOf(w), measured = measuredOf(w);
    const slope = (label, rate, color, dash) => {
        if (!(rate > 0)) return;
        series.push({ label: `${label} ${show(rate, 3)}`, color, dash,
            width: 2, y: pad(change.map((_, i) => change[0] * rate ** i)) });
    };
    slope("predicted rate", predicted, colors[2], [2, 3]);
    slope("measured rate", measured, colors[3], [9, 3, 2, 3]);
    return makeChart(box, { x, series, height: 300, log: true, whole: true,
        xLabel: "sweep", yLabel: "change / tolerance" });
}

/* Absolute change of each coupling variable in the chosen window. */
function variableChart(box, w) {
    const names = log.names.filter((n) => !fixed.includes(n)).slice(0, 14);
    const colors = palette();
    const x = w.rows.map((_, i) => i + 1); /* as in the chart beside it */
    if (!names.length || x.length < 2) return null;
    return makeChart(box, { x, height: 300, log: true, whole: true,
        xLabel: "sweep", yLabel: "change", series: names.map((n, k) => ({
            label: n, y: logged(w, n), points: true,
            color: colors[k % colors.length],
            dash: dashes[Math.floor(k / colors.length) % dashes.length] })) });
}

/* Sweeps, length and rate of the accepted windows over time. */
function overTime(box) {
    const x = accepted.map((w) => lastOf(w, "t0"));
    const colors = palette();
    if (!accepted.length) return [];
    x.push(lastOf(accepted.at(-1), "t1"));
    const held = (f) => {
        const y = accepted.map(f);
        return [...y, y.at(-1)];
    };
    const pick = (i) =>
        choose(accepted[Math.min(i, accepted.length - 1)].number);
    const chart = (yLabel, rest) => makeChart(box, { x, height: 190,
        xLabel: "time", xUnit: "s", yLabel, cross: "windows", onClick: pick, ...rest });
    const rate = held(measuredOf);
    const list = [
        chart("sweeps", { zero: true, series: [{ label: "sweeps per window",
            step: true, y: held((w) => w.rows.length), color: colors[0] }] }),
        chart("length", { zero: true, yUnit: "s", series: [{ label: "length of the window",
            step: true, color: colors[2],
            y: held((w) => lastOf(w, "t1") - lastOf(w, "t0")) }] }),
    ];
    if (rate.some((v) => v > 0) || anyPredicted) {
        const series = [{ label: "measured rate", y: rate, color: colors[1],
            step: true, points: true }];
        if (anyPredicted)
            series.push({ label: "predicted rate", y: held(predictedOf),
                step: true, color: colors[2], dash: [2, 3] });
        list.push(chart("rate per sweep", { log: true, series }));
    }
    return list;
}

function windowText(w) {
    const rate = measuredOf(w), predicted = predictedOf(w);
    return `[${show(lastOf(w, "t0"))}, ${show(lastOf(w, "t1"))}], ${
        w.rows.length} ${w.rows.length === 1 ? "sweep" : "sweeps"}` +
        (rate !== null ? `, measured rate ${show(rate, 3)}` : "") +
        (predicted !== null ? `, predicted ${show(predicted, 3)}` : "") +
        (lastOf(w, "accepted") ? ", accepted" : ", not accepted");
}

function convergenceSection() {
    if (!windows.length || alone()) return null;
    const left = make("div", {}), right = make("div", {});
    const below = make("div", { className: "pair" });
    const text = make("span", { className: "hint" });
    let charts = [];
    const draw = () => {
        const w = windows[place(windows)];
        for (const c of charts) c.destroy();
        charts = [sweepChart(left, w), variableChart(right, w)]
            .filter((c) => c);
        text.textContent = windowText(w);
        text.style.margin = 0;
    };
    const pick = slider("window", windows.length - 1, place(windows),
        (i) => windows[i].number, (i) => choose(windows[i].number));
    chosen.listeners.push(() => {
        pick.set(place(windows));
        draw();
    });
    const hint = "The change of the coupling waveforms after each sweep, " +
        "relative to the tolerance; grey lines are the other windows. Click " +
        "on a chart over time to choose a window. A rate is measured in windows " +
        "of three sweeps or more." + (anyPredicted
        ? " The predicted rate is that of one implicit step as long as the " +
            "window, linearised at the start." : "") + (log.every > 1
        ? ` One window of ${log.every} is in this page.` : "");
    const s = section("convergence", "Convergence", hint,
        make("div", { className: "bar" }, pick.element, text),
        make("div", { className: "pair" }, left, right),
        make("h3", {}, "Windows over time"), below);
    s.after_insert = () => {
        draw();
        overTime(below);
    };
    return s;
}

/* ---- steps -------------------------------------------------------------- */

/* Mean length of the steps of each subsystem between two times at which they
 * were counted. */
function stepsSection() {
    const table = data.steps;
    if (!table || table.names.length < 2 || table.data[0].length < 2)
        return null;
    const time = table.data[0], start = data.result.data[0][0];
    const x = finite(start) && start < time[0] ? [start, ...time] : time;
    const colors = palette(), shift = x.length - time.length;
    const series = table.names.slice(1, 15).map((label, k) => {
        const count = shift ? [0, ...table.data[k + 1]] : table.data[k + 1];
        const y = x.slice(1).map((t, i) => count[i + 1] > count[i]
            ? (t - x[i]) / (count[i + 1] - count[i]) : null);
        return { label, y: [...y, y.at(-1)], step: true,
            color: colors[k % colors.length],
            dash: dashes[Math.floor(k / colors.length) % dashes.length] };
    });
    const box = make("div", {});
    const left = table.names.length - 1 - series.length;
    const s = section("steps", "Steps", "Mean length of the steps of each " +
        "subsystem, repeated ones included; gaps: it made none." + (left > 0
        ? ` ${left} more are in the result file.` : ""), box);
    s.after_insert = () => makeChart(box, { x, series, height: 260, log: true,
        xLabel: "time", xUnit: "s", yLabel: "length of a step", yUnit: "s" });
    return s;
}

/* ---- work and options --------------------------------------------------- */

function workSection() {
    const work = data.work;
    if (!work || !work.data[0].length) return null;
    const names = (notes.clusters || "").split("\n");
    const columns = work.names.slice(1).map((c) =>
        c === "oracle" ? "overhead" : c);
    const total = columns.map((_, k) =>
        work.data[k + 1].reduce((s, v) => s + (v || 0), 0));
    const seconds = columns.indexOf("seconds");
    const once = columns.indexOf("overhead");
    const done = columns.indexOf("residuals");
    const number = (row, k) => {
        if (k === seconds) return row[k].toFixed(3);
        if (k === once) return row[k] > 0 ? (row[done] / row[k]).toFixed(2)
            : "\u2013";
        return Math.round(row[k]).toLocaleString("en")
            .replaceAll(",", "\u2009");
    };
    const order = work.data[0].map((_, i) => i).sort((a, b) =>
        work.data[seconds + 1][b] - work.data[seconds + 1][a]).slice(0, 100);
    const rows = order.map((i) => {
        const share = work.data[seconds + 1][i] / (total[seconds] || 1);
        return make("tr", {}, make("td", {}, names[i] || `subsystem ${i + 1}`),
            ...columns.map((_, k) => make("td", {},
                number(columns.map((_, c) => work.data[c + 1][i]), k))),
            make("td", { className: "share" }, make("i", { style:
                `width:${(100 * share).toFixed(1)}%`,
            title: `${(100 * share).toFixed(0)} %` })));
    });
    const spent = +notes.seconds - total[seconds];
    const hint = (finite(spent) && notes.seconds && spent > 0
        ? `The subsystems took ${show(total[seconds], 3)} s of ${
            show(+notes.seconds, 3)} s; the rest is coupling, starting and ` +
            "writing. " : "") + (once < 0 ? "" : "Overhead: residuals over " +
        "those of solving the subsystem once, alone, with its inputs known" +
        (notes.overhead_is === "measured" ? "." : ", estimated by the last " +
            "sweep of every window."));
    return section("work", "Work per subsystem", hint,
        make("div", { className: "scroll" }, make("table", {},
            make("thead", {}, make("tr", {}, make("th", {}, "subsystem"),
                ...columns.map((c) => make("th", {}, c)),
                make("th", {}, ""))),
            make("tbody", {}, ...rows, make("tr", { className: "sum" },
                make("td", {}, "all"), ...total.map((_, k) =>
                    make("td", {}, number(total, k))), make("td", {}))))));
}

/* ---- other machines ----------------------------------------------------- */

/* The note `scaling`: kind, count, seconds, of these messages, of these what
 * nobody shares, a line for each machine; the first one is the run itself. */
function readScaling() {
    return (notes.scaling || "").split("\n").filter((l) => l).map((l) => {
        const [kind, ...rest] = l.split(" ");
        const [count, seconds, messages, serial] = rest.map(Number);
        return { kind, count, seconds, messages, serial };
    }).filter((m) => m.count > 0 && m.seconds > 0);
}

function drawScaling(box, list) {
    const counts = [...new Set(list.map((m) => m.count))].sort((a, b) => a - b);
    const colors = palette();
    const times = (kind) => counts.map((n) => {
        const m = list.find((e) => e.kind === kind && e.count === n);
        return m ? list[0].seconds / m.seconds : null;
    });
    return makeChart(box, { x: counts.map((n) => Math.log2(n)), height: 300,
        log: true, whole: true, xLabel: "processors, log2",
        yLabel: "times faster", series: [
            { label: "threads", y: times("threads"), points: true,
                color: colors[0] },
            { label: "ranks", y: times("ranks"), points: true,
                color: colors[1] },
            { label: "all of them all the time", y: counts, dash: [4, 4],
                color: colors[2] }] });
}

function scalingSection() {
    const list = readScaling();
    if (!list.length) return null;
    const [latency, bandwidth] = (notes.network || "").split(" ").map(Number);
    const percent = (a, b) => `${(100 * a / b).toFixed(1)} %`;
    const box = make("div", {});
    const rows = list.map((m) => make("tr", {},
        make("td", {}, `${m.count} ${m.kind}`),
        ...[show(m.seconds, 4), show(list[0].seconds / m.seconds, 3),
            percent(m.serial, m.seconds), percent(m.messages, m.seconds)]
            .map((t) => make("td", {}, t))));
    const hint = "Computed from the recorded tasks of this run: what each took " +
        "on one processor, and the waveforms that are sent" +
        (finite(latency) ? `, with ${show(1e6 * latency, 3)} microseconds per ` +
            `message and ${show(1e-6 * bandwidth, 3)} MB/s.` : ".");
    const s = section("scaling", "More processors", hint, box,
        make("div", { className: "scroll" }, make("table", {},
            make("thead", {}, make("tr", {}, ...["machine", "seconds",
                "times faster", "done by one alone", "messages"]
                .map((t) => make("th", {}, t)))),
            make("tbody", {}, ...rows))));
    s.after_insert = () => drawScaling(box, list);
    return s;
}

/* ---- decisions ---------------------------------------------------------- */

/* The notes `ladder 1`, `ladder 2`, ...: rung, time, what and why. */
function readLadder() {
    return Object.keys(notes).filter((name) => /^ladder \d+$/.test(name))
        .sort((a, b) => a.slice(7) - b.slice(7)).map((name) => {
            const [rung, time, ...text] = notes[name].split("\t");
            return { rung, time, text: text.join(" ") };
        });
}

function ladderSection() {
    const list = readLadder();
    if (!list.length && !notes.repaired) return null;
    const cell = (text) => make("td", { className: "text" }, text);
    return section("ladder", "Decisions", "What was done to make the coupling " +
        "converge, from when on, and the numbers it was decided from.",
    list.length ? make("div", { className: "scroll" }, make("table",
        { className: "steps told" },
        make("thead", {}, make("tr", {}, make("th", {}, "time"),
            ...["step", "decision"].map((t) =>
                make("th", { className: "text" }, t)))),
        make("tbody", {}, ...list.map((d) => make("tr", {},
            make("td", {}, show(parseFloat(d.time))),
            make("td", { className: "text word" }, d.rung), cell(d.text)))))) : null,
    notes.repaired ? make("p", { className: "hint" }, "Subsystems were " +
        "solved as one, because the coupled iteration failed: " +
        notes.repaired) : null);
}

/* What subsystems remarked: subsystem, since when, text. */
function remarksSection() {
    const rows = (notes.remarks || "").split("\n").filter((l) => l)
        .map((l) => l.split("\t"));
    if (!rows.length) return null;
    return section("remarks", "Warnings", "Assertions of level warning that " +
        "did not hold, and since when.",
    make("div", { className: "scroll" }, make("table", { className: "steps told" },
        make("thead", {}, make("tr", {}, make("th", {}, "subsystem"),
            ...["time", "text"].map((t) =>
                make("th", { className: "text" }, t)))),
        make("tbody", {}, ...rows.map(([name, since, text]) =>
            make("tr", {}, make("td", {}, name),
                make("td", { className: "text" }, show(+since)),
                make("td", { className: "text" }, text)))))));
}

function optionsSection() {
    const rows = (notes.options || "").split("\n").filter((l) => l)
        .map((l) => l.split("\t"));
    if (!rows.length) return null;
    return section("options", "Options",
        "Those that differ from their defaults are in bold.",
        make("div", { className: "scroll" }, make("table", { className: "told" },
            make("thead", {}, make("tr", {}, make("th", {}, "option"),
                ...["value", "default", "meaning"].map((t) =>
                    make("th", { className: "text" }, t)))),
            make("tbody", {}, ...rows.map(([name, value, preset, text]) =>
                make("tr", { className: value === preset ? "" : "changed" },
                    make("td", {}, name),
                    make("td", { className: "text word" }, value || "\u2013"),
                    make("td", { className: "text word" }, preset || "\u2013"),
                    make("td", { className: "text" }, text)))))));
}

function foot() {
    const text = [];
    if (!notes.subsystems)
        text.push("The file says nothing about subsystems and options, so " +
            "the graph and the options are not shown.");
    if (data.absent.profiles)
        text.push(`The profiles cannot be shown: ${data.absent.profiles}.`);
    if (data.live)
        text.push("The curves are made from the ends of the windows and a few " +
            "points between; the report of the result file shows them as they " +
            "were computed.");
    if (!data.iterates && !data.live)
        text.push("The iterates of the windows are recorded by yoke run with " +
            "--iterates true.");
    if (!hasUplot)
        text.push("This page was built without uPlot and uses its own simple " +
            "charts.");
    text.push(`Made by yoke ${data.live ? "run --watch" : "report"} ${
        data.program}.`);
    document.getElementById("foot").replaceChildren(
        make("p", {}, text.join(" ")));
}

/* ---- the page ----------------------------------------------------------- */

function render() {
    chosen.listeners = [];
    clearInterval(view.timer);
    view.timer = null;
    wave.charts = [];
    wave.redraw = null;
    view.charts = [];
    const main = document.getElementById("main");
    head();
    foot();
    main.replaceChildren();
    const parts = [tiles(), systemSection(), wavesSection(), profilesSection(),
        certaintySection(), ladderSection(), remarksSection(), iteratesSection(),
        convergenceSection(), stepsSection(), workSection(), scalingSection(),
        optionsSection()];
    for (const p of parts.filter((e) => e)) {
        main.append(p);
        p.after_insert?.();
    }
    const links = parts.filter((p) => p && p.id).map((p) =>
        make("a", { href: "#" + p.id }, p.querySelector("h2").textContent));
    document.getElementById("nav").replaceChildren(make("div", {}, ...links));
}

/* New data: what is chosen and typed stays, so only what changes is made
 * again. */
function take(fresh) {
    const followed = windows.length ? windows.at(-1).number : 0;
    const decided = (n) => Object.keys(n).filter((k) =>
        /^(ladder|together) /.test(k)).map((k) => n[k]).join();
    const before = decided(notes);
    data = fresh;
    notes = data.notes;
    log = data.coupling;
    windows = readWindows(log);
    accepted = acceptedOf(windows);
    if (chosen.number === followed && windows.length)
        chosen.number = windows.at(-1).number;
    chosen.listeners = [];
    head();
    document.querySelector(".tiles")?.replaceWith(tiles() || "");
    wave.redraw?.();
    const again = (make, id) => {
        const old = document.getElementById(id), s = old && make();
        if (!s) return;
        old.style.minHeight = old.offsetHeight + "px";
        old.replaceWith(s);
        s.after_insert?.();
    };
    if (decided(notes) !== before) return render();
    again(convergenceSection, "convergence");
    again(workSection, "work");
}

/* Asks again after a second, or two where answers take long: a run that ends
 * waits five for a page that asked.  Nothing moves under a pressed button. */
let pressed = false;
addEventListener("mousedown", () => { pressed = true; }, true);
addEventListener("mouseup", () => { pressed = false; }, true);
let failures = 0;
async function follow() {
    const began = performance.now();
    let wait = 1000;
    try {
        if (!pressed && !document.hidden) {
            const answer = await fetch("data.json", { cache: "no-store" });
            if (!answer.ok) throw new Error(answer.statusText);
            const fresh = await answer.json();
            if (performance.now() - began > 100) wait = 2000;
            const first = !windows.length && fresh.coupling.rows > 0;
            failures = 0;
            lost = false;
            take(fresh);
            if (first || (!alone() &&
                !document.getElementById("convergence")) ||
                !document.getElementById("work") || !running()) render();
        }
    } catch (e) {
        lost = ++failures >= 3;
        if (lost) head();
    }
    if (running()) setTimeout(follow, lost ? 5000 : wait);
}

chosen.number = data.live && windows.length ? windows.at(-1).number : hardest();
render();
if (running()) setTimeout(follow, 500);
dark.addEventListener("change", render);
document.documentElement.dataset.ready = "yes";
