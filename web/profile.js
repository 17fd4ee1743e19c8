/* profile.js -- profiles: the shape at a time, played, and over all times.
 *
 * Profiles of one group are drawn below each other in lanes with the same
 * scale; the pale band is where a profile has been at any time.
 */

function readProfiles(all) {
    if (!all || all.time.length < 1) return null;
    const frames = all.time.length;
    const list = all.list.map((p) => {
        const raw = atob(p.values), n = p.at.length;
        const value = new Float64Array(frames * n);
        for (let i = 0; i < value.length; i++) {
            const code = raw.charCodeAt(2 * i) | raw.charCodeAt(2 * i + 1) << 8;
            value[i] = code === 65535 ? NaN
                : p.least + code / 65534 * (p.most - p.least);
        }
        return { ...p, value, reach: reachOf(value, n) };
    });
    return { time: all.time, frames, list };
}

/* Least and largest value of every point. */
function reachOf(value, n) {
    const low = new Float64Array(n).fill(Infinity);
    const high = new Float64Array(n).fill(-Infinity);
    value.forEach((v, i) => {
        if (v < low[i % n]) low[i % n] = v;
        if (v > high[i % n]) high[i % n] = v;
    });
    return { low, high };
}

const shown = { frame: 0, timer: null, draw: [], controls: null };

function showFrame(frame) {
    shown.frame = Math.min(profiles.frames - 1, Math.max(0, frame));
    shown.controls?.set(shown.frame);
    for (const f of shown.draw) f();
}

/* A canvas as wide as its place, drawn again when that changes. */
function sizedCanvas(className, height, draw) {
    const canvas = make("canvas", { className });
    canvas.style.height = height + "px";
    const redraw = () => {
        const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth;
        if (!width) return;
        canvas.width = width * ratio;
        canvas.height = height * ratio;
        const c = canvas.getContext("2d");
        c.scale(ratio, ratio);
        draw(c, width, height);
    };
    new ResizeObserver(redraw).observe(canvas);
    return { canvas, redraw };
}

const INNER = { left: 76, right: 16, top: 8, bottom: 40 };

function textStyle(c) {
    c.fillStyle = cssColor("--muted");
    c.strokeStyle = cssColor("--grid");
    c.font = "12px system-ui, sans-serif";
    c.lineWidth = 1;
}

function strokeLine(c, ...points) {
    c.beginPath();
    points.forEach(([x, y], i) => i ? c.lineTo(x, y) : c.moveTo(x, y));
    c.stroke();
}

/* Value of a profile at a coordinate, between its points. */
function valueAt(p, frame, at) {
    const n = p.at.length;
    let k = 1;
    while (k + 1 < n && p.at[k] < at) k++;
    const u = p.value[frame * n + k - 1], v = p.value[frame * n + k];
    const part = (at - p.at[k - 1]) / (p.at[k] - p.at[k - 1]);
    return u + (v - u) * Math.min(1, Math.max(0, part));
}

/* ---- the shape at a time ------------------------------------------------ */

const LANE = 130;

function shapeScale(group, width, height) {
    const [a, b] = extent(group.flatMap((p) => [p.at[0], p.at.at(-1)]));
    const range = Math.max(...group.map((p) => p.most - p.least)) || 1;
    const lane = (height - INNER.top - INNER.bottom) / group.length;
    const unit = 0.84 * lane / range;
    const middle = group.map((p) => (p.least + p.most) / 2);
    return { a, b, lane, unit, middle, range,
        x: (v) => INNER.left + (width - INNER.left - INNER.right) *
            (v - a) / (b - a),
        y: (k, v) => INNER.top + lane * (k + 0.5) - unit * (v - middle[k]) };
}

function drawLanes(c, group, s, width, height) {
    textStyle(c);
    c.textAlign = "center";
    for (const v of ticksOf(s.a, s.b, Math.max(2, width / 110), false)) {
        strokeLine(c, [s.x(v), INNER.top], [s.x(v), height - INNER.bottom]);
        c.fillText(show(v, 5), s.x(v), height - INNER.bottom + 15);
    }
    c.fillText(withUnit(group[0].along || "coordinate", group[0].along_unit),
        (INNER.left + width) / 2, height - 6);
    c.textAlign = "right";
    group.forEach((p, k) => {
        const half = s.lane / 2 / s.unit;
        for (const v of ticksOf(s.middle[k] - half, s.middle[k] + half, 4,
            false)) {
            if (Math.abs(v - s.middle[k]) > 0.95 * half) continue;
            strokeLine(c, [INNER.left, s.y(k, v)],
                [width - INNER.right, s.y(k, v)]);
            c.fillText(show(v, 4), INNER.left - 6, s.y(k, v) + 4);
        }
        c.save();
        c.fillStyle = cssColor("--text");
        c.fillText(p.name, width - INNER.right - 6,
            INNER.top + s.lane * k + 16);
        c.restore();
    });
}

function drawReach(c, p, k, s) {
    c.beginPath();
    p.at.forEach((at, i) => c.lineTo(s.x(at), s.y(k, p.reach.low[i])));
    for (let i = p.at.length - 1; i >= 0; i--)
        c.lineTo(s.x(p.at[i]), s.y(k, p.reach.high[i]));
    c.fillStyle = cssColor("--select");
    c.fill();
}

function drawTies(c, group, p, k, s, frame) {
    c.strokeStyle = cssColor("--muted");
    c.lineWidth = 1;
    for (const tie of p.ties) {
        const to = group.indexOf(profiles.list[tie.to]);
        if (to < 0) continue;
        strokeLine(c, [s.x(tie.at), s.y(k, valueAt(p, frame, tie.at))],
            [s.x(tie.at), s.y(to, valueAt(group[to], frame, tie.at))]);
    }
}

function drawCurve(c, p, k, s, frame) {
    const n = p.at.length;
    let open = false;
    c.strokeStyle = cssColor("--accent");
    c.lineWidth = 2;
    c.beginPath();
    p.at.forEach((at, i) => {
        const v = p.value[frame * n + i];
        if (Number.isNaN(v)) { open = false; return; }
        if (open) c.lineTo(s.x(at), s.y(k, v));
        else c.moveTo(s.x(at), s.y(k, v));
        open = true;
    });
    c.stroke();
}

function drawMarks(c, p, k, s, frame, width) {
    for (const m of p.marks) {
        if (!(m.at[frame] >= s.a && m.at[frame] <= s.b) ||
            !finite(m.value[frame])) continue;
        const x = s.x(m.at[frame]), y = s.y(k, m.value[frame]);
        c.fillStyle = cssColor("--bad");
        c.beginPath();
        c.moveTo(x, y);
        c.lineTo(x - 7, y + 12);
        c.lineTo(x + 7, y + 12);
        c.fill();
        const least = INNER.left, most = width - INNER.right;
        c.textAlign = x < least + 40 ? "left" : x > most - 40 ? "right"
            : "center";
        c.fillText(m.name, x, y + 25);
    }
}

function shapeCanvas(group) {
    const height = INNER.top + INNER.bottom + LANE * group.length;
    return sizedCanvas("lanes", height, (c, width) => {
        const s = shapeScale(group, width, height);
        drawLanes(c, group, s, width, height);
        group.forEach((p, k) => drawReach(c, p, k, s));
        group.forEach((p, k) => drawTies(c, group, p, k, s, shown.frame));
        group.forEach((p, k) => drawCurve(c, p, k, s, shown.frame));
        c.font = "12px system-ui, sans-serif";
        group.forEach((p, k) => drawMarks(c, p, k, s, shown.frame, width));
    });
}

/* ---- over all times ----------------------------------------------------- */

/* One pixel per time and point, beginning at the bottom. */
function mapImage(p) {
    const n = p.at.length, image = document.createElement("canvas");
    image.width = profiles.frames;
    image.height = n;
    const c = image.getContext("2d");
    const pixels = c.createImageData(profiles.frames, n);
    const colors = Array.from({ length: 256 }, (_, i) =>
        shade(i / 255).match(/\d+/g).map(Number));
    const range = p.most - p.least || 1;
    for (let f = 0; f < profiles.frames; f++)
        for (let k = 0; k < n; k++) {
            const v = p.value[f * n + k];
            if (Number.isNaN(v)) continue;
            const color = colors[Math.round(255 * (v - p.least) / range)];
            pixels.data.set([...color, 255],
                4 * ((n - 1 - k) * profiles.frames + f));
        }
    c.putImageData(pixels, 0, 0);
    return image;
}

/* Times and coordinates are taken as equidistant here; they nearly are. */
function mapCanvas(choice) {
    const height = 240, time = profiles.time;
    const edge = { ...INNER, right: 92 };
    const a = time[0], b = time.at(-1) > a ? time.at(-1) : a + 1;
    let image = null, of = null;
    const map = sizedCanvas("map", height, (c, width) => {
        const p = choice();
        if (p !== of) image = mapImage(of = p);
        const w = width - edge.left - edge.right;
        const h = height - edge.top - edge.bottom;
        const x = (t) => edge.left + w * (t - a) / (b - a);
        const y = (v) => edge.top + h * (p.at.at(-1) - v) /
            (p.at.at(-1) - p.at[0]);
        c.drawImage(image, edge.left, edge.top, w, h);
        textStyle(c);
        c.textAlign = "center";
        for (const v of ticksOf(a, b, Math.max(2, width / 130), false))
            c.fillText(show(v, 5), x(v), height - edge.bottom + 15);
        c.fillText("time", edge.left + w / 2, height - 6);
        c.textAlign = "right";
        for (const v of ticksOf(p.at[0], p.at.at(-1), 5, false))
            c.fillText(show(v, 5), edge.left - 6, y(v) + 4);
        drawColors(c, p, edge.left + w + 14, edge.top, h);
        c.strokeStyle = cssColor("--bad");
        for (const m of p.marks) {
            c.setLineDash([3, 3]);
            strokeLine(c, ...m.at.map((v, f) => [x(time[f]), y(v)])
                .filter(([, v]) => v >= edge.top && v <= edge.top + h));
            c.setLineDash([]);
        }
        const at = x(time[shown.frame]);
        strokeLine(c, [at, edge.top], [at, edge.top + h]);
    });
    const pick = (e) => {
        const box = map.canvas.getBoundingClientRect();
        const part = (e.clientX - box.left - edge.left) /
            (box.width - edge.left - edge.right);
        showFrame(nearest(time, a + part * (b - a)));
    };
    map.canvas.addEventListener("pointerdown", pick);
    map.canvas.addEventListener("pointermove", (e) => e.buttons && pick(e));
    return map;
}

function drawColors(c, p, x, y, h) {
    for (let i = 0; i < h; i++) {
        c.fillStyle = shade(1 - i / h);
        c.fillRect(x, y + i, 12, 1.5);
    }
    c.fillStyle = cssColor("--muted");
    c.textAlign = "left";
    c.fillText(show(p.most, 3), x + 17, y + 10);
    c.fillText(show(p.least, 3), x + 17, y + h);
    c.fillText(p.unit, x + 17, y + h / 2 + 4);
}

/* ---- the section -------------------------------------------------------- */

function playControls() {
    const time = profiles.time;
    const stop = () => {
        clearInterval(shown.timer);
        shown.timer = null;
        play.textContent = "Play";
    };
    const play = button("Play", () => {
        if (shown.timer) return stop();
        if (shown.frame >= profiles.frames - 1) showFrame(0);
        play.textContent = "Pause";
        shown.timer = setInterval(() => {
            showFrame(shown.frame + 1);
            if (shown.frame >= profiles.frames - 1) stop();
        }, 50);
    }, { id: "play-shape" });
    const at = slider("Time", profiles.frames - 1, shown.frame,
        (f) => show(time[f], 5), showFrame);
    at.element.className = "wide";
    at.input.id = "shape-time";
    shown.controls = at;
    return make("div", { className: "bar" }, play, at.element);
}

function groupBox(group) {
    const shape = shapeCanvas(group);
    let chosenProfile = group.find((p) => p.marks.length) || group[0];
    const map = mapCanvas(() => chosenProfile);
    shown.draw.push(shape.redraw, map.redraw);
    const pick = make("select", { ariaLabel: "profile over time" },
        ...group.map((p) => make("option", { selected: p === chosenProfile },
            p.name)));
    pick.addEventListener("change", () => {
        chosenProfile = group[pick.selectedIndex];
        map.redraw();
    });
    const what = withUnit(group[0].label || "value", group[0].unit);
    return make("div", { className: "live" }, make("h3", {}, what),
        shape.canvas, make("div", { className: "bar" },
            make("label", {}, "Over time:", pick)), map.canvas);
}

/* The pictures that came with the page, for paper. */
const stills = [...document.querySelectorAll("#shapes figure")];

function profilesSection() {
    if (!profiles) return null;
    clearInterval(shown.timer);
    shown.timer = null;
    shown.draw = [];
    const groups = new Map();
    for (const p of profiles.list)
        if (p.at.length > 1)
            groups.set(p.group, [...groups.get(p.group) || [], p]);
    if (!groups.size) return null;
    const s = section("profiles", "Profiles", "Values along a coordinate: " +
        "the line is the shape at the chosen time, the band where it has been " +
        "at any time. A click in a picture over time chooses the time.",
    playControls(), ...[...groups.values()].map(groupBox),
    make("h3", {}, "Sequence"), ...stills);
    s.after_insert = () => showFrame(shown.frame);
    return s;
}
