/* graph.js -- the coupling graph as SVG.
 *
 * Clusters (subsystems solved together) are placed in layers from left to
 * right: a cluster stands one layer after the last of those that feed it, where
 * signals that close a circle do not count.  Layers beyond the width of the
 * page continue below, from right to left, so that neighbours stay neighbours.
 * Within a layer clusters are ordered by the mean place of what feeds them.
 */

const BOX = { width: 164, height: 50, gap: 28, pad: 12, column: 238, row: 34 };
const MOST_DRAWN = 150;

function svg(tag, attributes, parent) {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    if (parent) parent.append(e);
    return e;
}

/* From the notes: nodes {name, cluster, text}, edges {from, to, signals}; the
 * clusters may be those of a later time. */
function readGraph(notes, together) {
    const rows = (text) => (text || "").split("\n").filter((l) => l)
        .map((l) => l.split("\t"));
    const nodes = rows(notes.subsystems).map((f, i) => ({
        name: f[0], cluster: finite(together?.[i] ?? null) ? together[i]
            : +f[1], unknowns: +f[2], method: f[5],
        constraint: !f[5],
    }));
    const index = new Map(nodes.map((n, i) => [n.name, i]));
    /* Names of subsystems and of ports may have dots. */
    const owner = (port) => {
        for (let at = port.indexOf("."); at > 0; at = port.indexOf(".", at + 1))
            if (index.has(port.slice(0, at))) return index.get(port.slice(0, at));
        return undefined;
    };
    const edges = new Map();
    for (const [output, input, weight] of rows(notes.signals)) {
        const from = owner(output), to = owner(input);
        if (from === undefined || to === undefined) continue;
        const key = from + " " + to;
        if (!edges.has(key)) edges.set(key, { from, to, signals: [] });
        edges.get(key).signals.push({ output, input, weight: +weight });
    }
    return { nodes, edges: [...edges.values()] };
}

/* The clusters in which `next` leads from each; signals found to close a circle
 * by depth-first search are left out. */
function forwardEdges(count, edges) {
    const next = Array.from({ length: count }, () => new Set());
    for (const [a, b] of edges) if (a !== b) next[a].add(b);
    const state = new Array(count).fill(0); /* 1: on the path, 2: done */
    const forward = [];
    for (let root = 0; root < count; root++) {
        if (state[root]) continue;
        const path = [[root, [...next[root]]]];
        state[root] = 1;
        while (path.length) {
            const [at, rest] = path[path.length - 1];
            if (!rest.length) {
                state[at] = 2;
                path.pop();
                continue;
            }
            const b = rest.shift();
            if (state[b] !== 1) forward.push([at, b]);
            if (state[b] === 0) {
                state[b] = 1;
                path.push([b, [...next[b]]]);
            }
        }
    }
    return forward;
}

/* Layer of each cluster: the longest forward path to it. */
function layersOf(count, forward) {
    const layer = new Array(count).fill(0);
    for (let pass = 0, moved = true; moved && pass <= count; pass++) {
        moved = false;
        for (const [a, b] of forward)
            if (layer[b] < layer[a] + 1) {
                layer[b] = layer[a] + 1;
                moved = true;
            }
    }
    return layer;
}

/* Clusters of each layer, ordered by the mean place of their neighbours. */
function orderLayers(layer, edges) {
    const layers = [];
    layer.forEach((l, c) => (layers[l] = layers[l] || []).push(c));
    const place = new Array(layer.length).fill(0);
    const number = () => layers.forEach((list) =>
        list.forEach((c, i) => { place[c] = i - (list.length - 1) / 2; }));
    number();
    for (let pass = 0; pass < 6; pass++) {
        for (const list of layers) {
            const mean = new Map(list.map((c) => {
                const near = edges.flatMap(([a, b]) =>
                    a === c ? [place[b]] : b === c ? [place[a]] : []);
                return [c, near.length
                    ? near.reduce((s, v) => s + v, 0) / near.length
                    : place[c]];
            }));
            list.sort((a, b) => mean.get(a) - mean.get(b));
        }
        number();
    }
    return layers;
}

/* Sets x, y (centre) of nodes; returns frames of clusters and the size. */
function placeNodes(graph, width) {
    const count = Math.max(0, ...graph.nodes.map((n) => n.cluster)) + 1;
    const member = Array.from({ length: count }, () => []);
    graph.nodes.forEach((n) => member[n.cluster].push(n));
    const edges = graph.edges.map((e) =>
        [graph.nodes[e.from].cluster, graph.nodes[e.to].cluster]);
    const layers = orderLayers(layersOf(count, forwardEdges(count, edges)),
        edges);
    /* Two columns do not fit on a phone. */
    const columns = Math.max(width < 2 * BOX.width + 74 ? 1 : 2,
        Math.floor((width + 60) / BOX.column));
    const height = (c) => member[c].length * (BOX.height + BOX.gap) - BOX.gap +
        2 * BOX.pad;
    const stack = (list) => list.reduce((s, c) => s + height(c) + BOX.row, 0);
    const frames = [];
    let top = 0;
    for (let first = 0; first < layers.length; first += columns) {
        const row = layers.slice(first, first + columns);
        const tall = Math.max(...row.map(stack));
        const back = (first / columns) % 2 === 1;
        row.forEach((list, k) => {
            const column = back ? columns - 1 - k : k;
            const x = column * BOX.column + BOX.width / 2 + BOX.pad;
            let y = top + (tall - stack(list)) / 2 + BOX.row / 2;
            for (const c of list) {
                frames.push({ x, y, height: height(c), members: member[c] });
                member[c].forEach((n, i) => {
                    n.x = x;
                    n.y = y + BOX.pad + BOX.height / 2 +
                        i * (BOX.height + BOX.gap);
                });
                y += height(c) + BOX.row;
            }
        });
        top += tall + BOX.row;
    }
    const used = Math.min(columns, layers.length);
    return { frames, width: used * BOX.column - (BOX.column - BOX.width) +
        2 * BOX.pad, height: top - BOX.row };
}

/* Where the line from the centre of box n towards (x, y) leaves the box. */
function border(n, x, y, margin) {
    const dx = x - n.x, dy = y - n.y;
    const w = BOX.width / 2 + margin, h = BOX.height / 2 + margin;
    const s = 1 / Math.max(Math.abs(dx) / w, Math.abs(dy) / h, 1e-9);
    return [n.x + dx * Math.min(s, 1), n.y + dy * Math.min(s, 1)];
}

/* Between neighbouring columns: from side to side, to the right above the
 * middle and to the left below it. */
function sidePath(a, b) {
    const right = b.x > a.x ? 1 : -1;
    const x0 = a.x + right * (BOX.width / 2 + 2), y0 = a.y - right * 10;
    const x1 = b.x - right * (BOX.width / 2 + 2), y1 = b.y - right * 10;
    const c = (x1 - x0) * 0.45;
    return `M${x0} ${y0} C${x0 + c} ${y0 - right * 6} ${x1 - c} ${
        y1 - right * 6} ${x1} ${y1}`;
}

/* Over other columns: an arch above or below their boxes, on the side of
 * `middle` on which its ends lie. */
function archPath(a, b, middle) {
    const off = (a.y + b.y) / 2 - middle, right = b.x > a.x ? 1 : -1;
    const down = Math.abs(off) > 4 ? Math.sign(off) : -right;
    const edge = down * (BOX.height / 2 + 2);
    const far = Math.max(a.y * down, b.y * down) * down +
        down * (1.3 * BOX.height + 0.05 * Math.abs(b.x - a.x));
    const x0 = a.x + right * 24, x1 = b.x - right * 24;
    return `M${x0} ${a.y + edge} C${x0} ${far} ${x1} ${far} ${x1} ${
        b.y + edge}`;
}

/* Control points of a bow that passes boxes lie so far outside; the bow itself
 * three quarters of that. */
const bowReach = (far) => 24 + 0.12 * far;

/* Within a column, past other boxes: down on the right, up on the left. */
function outerPath(a, b) {
    const right = b.y > a.y ? 1 : -1, far = Math.abs(b.y - a.y);
    const x = a.x + right * (BOX.width / 2 + 2), c = right * bowReach(far);
    const y0 = a.y + right * 12, y1 = b.y - right * 12;
    return `M${x} ${y0} C${x + c} ${y0 + right * 20} ${x + c} ${
        y1 - right * 20} ${x} ${y1}`;
}

/* Within a column a bow to the left of its direction: two opposite arrows lie
 * apart. */
function arrowPath(a, b, middle) {
    if (a === b) {
        const x = a.x + BOX.width / 2 - 26, y = a.y - BOX.height / 2;
        return `M${x} ${y} c0 -26 34 -26 30 18`;
    }
    if (Math.abs(b.x - a.x) > 1.5 * BOX.column)
        return archPath(a, b, middle);
    if (Math.abs(b.x - a.x) > BOX.width) return sidePath(a, b);
    if (Math.abs(b.y - a.y) > 2.2 * BOX.height) return outerPath(a, b);
    const dx = b.x - a.x, dy = b.y - a.y, length = Math.hypot(dx, dy) || 1;
    const bow = 20 + 0.06 * length;
    const cx = (a.x + b.x) / 2 + (dy / length) * bow;
    const cy = (a.y + b.y) / 2 - (dx / length) * bow;
    const side = (n) => {
        const [x, y] = border(n, cx, cy, 2);
        return [x + (dy / length) * 4, y - (dx / length) * 4];
    };
    const [x0, y0] = side(a), [x1, y1] = side(b);
    return `M${x0} ${y0} Q${cx} ${cy} ${x1} ${y1}`;
}

function signalText(s) {
    const w = s.weight === 1 ? "" : s.weight === -1 ? "\u2212"
        : s.weight + " \u00b7 ";
    return `${s.input} = ${w}${s.output}`;
}

function shortened(text, most) {
    return text.length > most ? text.slice(0, most - 1) + "\u2026" : text;
}

function drawNode(n, parent) {
    const g = svg("g", { class: n.constraint ? "node constraint" : "node" },
        parent);
    svg("title", {}, g).textContent = n.name;
    svg("rect", { x: n.x - BOX.width / 2, y: n.y - BOX.height / 2,
        width: BOX.width, height: BOX.height,
        rx: n.constraint ? BOX.height / 2 : 8 }, g);
    svg("text", { x: n.x, y: n.y - 3, class: "name" }, g).textContent =
        shortened(n.name, 18);
    const count = n.unknowns + (n.unknowns === 1 ? " unknown" : " unknowns");
    svg("text", { x: n.x, y: n.y + 14, class: "detail" }, g).textContent =
        n.constraint ? "constraint" : n.method === "closed" ? "closed part"
            : shortened(`${count}, ${n.method}`, 28);
    return g;
}

/* Draws into `parent`; `say` is called with the signals of the arrow under the
 * pointer, or with null. */
function drawGraph(parent, notes, together, say) {
    const graph = readGraph(notes, together);
    if (graph.nodes.length > MOST_DRAWN) return false;
    const size = placeNodes(graph, Math.max(parent.clientWidth, 200));
    const arches = graph.edges.some((e) => Math.abs(graph.nodes[e.from].x -
        graph.nodes[e.to].x) > 1.5 * BOX.column);
    const bows = graph.edges.map((e) => [graph.nodes[e.from],
        graph.nodes[e.to]]).filter(([a, b]) => Math.abs(b.x - a.x) <= BOX.width)
        .map(([a, b]) => 0.75 * bowReach(Math.abs(b.y - a.y)));
    const side = Math.max(22, ...bows.map((r) => r + 8 - BOX.pad));
    const above = arches ? 44 : 11;
    const width = size.width + 2 * side, height = size.height + 2 * above;
    const root = svg("svg", { class: "graph", role: "img",
        "aria-label": "Coupling graph", width, height,
        /* Narrow windows show it smaller, until its texts are too small. */
        style: `max-width: 100%; min-width: ${0.62 * width}px; height: auto`,
        viewBox: [-side, -above, width, height].join(" ") }, parent);
    const defs = svg("defs", {}, root);
    const head = svg("marker", { id: "arrow", viewBox: "0 0 10 10", refX: 9,
        refY: 5, markerWidth: 7, markerHeight: 7, orient: "auto" }, defs);
    svg("path", { d: "M0 0 10 5 0 10z", class: "tip" }, head);
    for (const f of size.frames)
        if (f.members.length > 1)
            svg("rect", { class: "frame", x: f.x - BOX.width / 2 - BOX.pad,
                y: f.y, width: BOX.width + 2 * BOX.pad, height: f.height,
                rx: 12 }, root);
    for (const e of graph.edges) {
        const a = graph.nodes[e.from], b = graph.nodes[e.to];
        const g = svg("g", { class: "edge", tabindex: 0 }, root);
        const d = arrowPath(a, b, size.height / 2);
        svg("path", { d, class: "wide" }, g);
        const line = svg("path", { d, class: "line",
            "marker-end": "url(#arrow)" }, g);
        svg("title", {}, g).textContent = e.signals.map(signalText).join("\n");
        if (e.signals.length > 1) {
            const middle = line.getPointAtLength(line.getTotalLength() / 2);
            svg("text", { x: middle.x, y: middle.y, class: "count" }, g)
                .textContent = e.signals.length;
        }
        for (const type of ["pointerenter", "focus"])
            g.addEventListener(type, () => say(e.signals.map(signalText)));
        for (const type of ["pointerleave", "blur"])
            g.addEventListener(type, () => say(null));
    }
    for (const n of graph.nodes) drawNode(n, root);
    return true;
}
