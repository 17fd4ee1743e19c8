// browser.mjs PROGRAM BROWSER FOLDER -- opens pages of yoke report and uses
// them as a person would.  The browser is driven by its debugging protocol over
// two pipes, so nothing else is needed.
//
// YOKE_SHOTS=folder keeps the screenshots there.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync }
    from "node:fs";
import { join } from "node:path";

const [program, browserPath, folder] = process.argv.slice(2);
let failures = 0;

function check(ok, text) {
    if (ok) return;
    failures++;
    console.log("FAILED: " + text);
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// On a machine under load everything takes longer, and nothing else changes: a
// limit by the clock is for what is stuck.
const stuck = 300000;

// ---- the browser ------------------------------------------------------------

class Browser {
    constructor() {
        this.child = spawn(browserPath, ["--headless", "--no-sandbox",
            "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update",
            "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--user-data-dir=" + join(folder, "profile"),
            "--remote-debugging-pipe", "about:blank"],
        { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
        this.pending = new Map();
        this.listeners = [];
        this.last = 0;
        this.rest = "";
        this.child.stdio[4].on("data", (bytes) => this.receive(bytes));
        this.child.on("exit", () => {
            for (const p of this.pending.values())
                p.reject(new Error("the browser ended"));
        });
    }

    receive(bytes) {
        const parts = (this.rest + bytes.toString()).split("\0");
        this.rest = parts.pop();
        for (const text of parts) {
            const message = JSON.parse(text);
            const waiting = this.pending.get(message.id);
            if (!waiting) {
                for (const f of this.listeners) f(message);
                continue;
            }
            this.pending.delete(message.id);
            if (message.error) waiting.reject(new Error(message.error.message));
            else waiting.resolve(message.result);
        }
    }

    send(method, params = {}, sessionId = undefined) {
        const id = ++this.last;
        this.child.stdio[3].write(JSON.stringify({ id, method, params,
            sessionId }) + "\0");
        return new Promise((resolve, reject) => {
            this.pending.set(id, { resolve, reject });
        });
    }
}

// One tab with its complaints: exceptions, console errors, requests that are
// not for the file or the address itself.
class Page {
    static async open(browser, file, width = 1280, height = 900,
        scripts = true) {
        const page = new Page();
        page.browser = browser;
        page.address = /^(http|about):/.test(file) ? file : "file://" + file;
        page.complaints = [];
        const { targetId } = await browser.send("Target.createTarget",
            { url: "about:blank" });
        page.target = targetId;
        page.session = (await browser.send("Target.attachToTarget",
            { targetId, flatten: true })).sessionId;
        browser.listeners.push((m) => page.hear(m));
        for (const domain of ["Page", "Runtime", "Log", "Network"])
            await page.send(domain + ".enable");
        await page.send("Emulation.setDeviceMetricsOverride", { width, height,
            deviceScaleFactor: 1, mobile: false });
        if (!scripts)
            await page.send("Emulation.setScriptExecutionDisabled",
                { value: true });
        await page.send("Page.navigate", { url: page.address });
        if (!scripts || file === "about:blank") await page.loads();
        else await page.until("document.documentElement?.dataset.ready === 'yes'",
            "the page is ready");
        return page;
    }

    hear({ method, params, sessionId }) {
        if (sessionId !== this.session) return;
        if (method === "Page.loadEventFired") this.loaded = true;
        if (method === "Runtime.exceptionThrown")
            this.complaints.push(params.exceptionDetails.exception
                ?.description || params.exceptionDetails.text);
        if (method === "Runtime.consoleAPICalled" && params.type === "error")
            this.complaints.push("console: " + params.args[0]?.value);
        if (method === "Log.entryAdded" && params.entry.level === "error")
            this.complaints.push("log: " + params.entry.text);
        if (method === "Network.requestWillBeSent" &&
            !/^(file|data|about):/.test(params.request.url) &&
            !params.request.url.startsWith(this.address))
            this.complaints.push("request: " + params.request.url);
    }

    send(method, params) {
        return this.browser.send(method, params, this.session);
    }

    async run(expression) {
        const { result, exceptionDetails } = await this.send(
            "Runtime.evaluate", { expression, returnByValue: true,
                awaitPromise: true });
        if (exceptionDetails) throw new Error(expression + ": " +
            (exceptionDetails.exception?.description ||
                exceptionDetails.text));
        return result.value;
    }

    async until(expression, text) {
        const limit = Date.now() + stuck;
        while (Date.now() < limit) {
            if (await this.run(expression)) return true;
            await pause(50);
        }
        check(false, text);
        return false;
    }

    // The page has been loaded; says so also where no script may run.
    async loads() {
        const limit = Date.now() + stuck;
        while (!this.loaded && Date.now() < limit) await pause(50);
        check(this.loaded, "the page is loaded");
    }

    // What was begun by an event has been done and drawn: two frames later.
    settle() {
        return this.run(`new Promise((done) => requestAnimationFrame(() =>
            requestAnimationFrame(() => setTimeout(done))))`);
    }

    // Middle of an element after it was scrolled into view, and its box.
    async place(selector) {
        return this.run(`(() => {
            const e = document.querySelector(${JSON.stringify(selector)});
            e.scrollIntoView({ block: "center" });
            const b = e.getBoundingClientRect();
            return { x: b.x, y: b.y, width: b.width, height: b.height };
        })()`);
    }

    mouse(type, x, y, rest = {}) {
        return this.send("Input.dispatchMouseEvent", { type, x, y,
            button: type === "mouseMoved" && !rest.buttons ? "none" : "left",
            ...rest });
    }

    async click(selector, count = 1) {
        const b = await this.place(selector);
        const x = b.x + b.width / 2, y = b.y + b.height / 2;
        await this.mouse("mouseMoved", x, y);
        for (let clickCount = 1; clickCount <= count; clickCount++) {
            await this.mouse("mousePressed", x, y, { clickCount });
            await this.mouse("mouseReleased", x, y, { clickCount });
        }
        await this.settle();
    }

    // From one part of the width to another: 0 is the left edge, 1 the right.
    async drag(selector, from, to, modifiers = 0) {
        const b = await this.place(selector);
        const y = b.y + b.height / 2, at = (p) => b.x + p * b.width;
        await this.mouse("mouseMoved", at(from), y);
        await this.mouse("mousePressed", at(from), y,
            { clickCount: 1, modifiers });
        for (let k = 1; k <= 5; k++)
            await this.mouse("mouseMoved", at(from + (to - from) * k / 5), y,
                { buttons: 1, modifiers });
        await this.mouse("mouseReleased", at(to), y,
            { clickCount: 1, modifiers });
        await this.settle();
    }

    // The time shown when the pointer is at a part of the width.
    async timeAt(selector, part) {
        const b = await this.place(selector);
        await this.mouse("mouseMoved", b.x + part * b.width,
            b.y + b.height / 2 + 1);
        await this.mouse("mouseMoved", b.x + part * b.width,
            b.y + b.height / 2);
        await this.settle();
        const text = await this.run(
            `document.querySelector("#panels .legend .at").textContent`);
        return parseFloat(text.replace("time ", "").replace("\u2212", "-"));
    }

    async shot(name) {
        const { data } = await this.send("Page.captureScreenshot",
            { format: "png", captureBeyondViewport: true });
        const file = join(folder, name);
        writeFileSync(file, Buffer.from(data, "base64"));
        if (process.env.YOKE_SHOTS) {
            mkdirSync(process.env.YOKE_SHOTS, { recursive: true });
            copyFileSync(file, join(process.env.YOKE_SHOTS, name));
        }
        return statSync(file).size;
    }

    async close(name) {
        for (const c of this.complaints) check(false, `${name}: ${c}`);
        await this.browser.send("Target.closeTarget",
            { targetId: this.target });
    }
}

// ---- the pages --------------------------------------------------------------

function yoke(...args) {
    return execFileSync(program, args, { cwd: folder, encoding: "utf8" });
}

const count = (selector) =>
    `document.querySelectorAll(${JSON.stringify(selector)}).length`;

// `area` is what the mouse is used on: uPlot's layer, or the canvas.
async function useWaveforms(page, name, area) {
    const checked = await page.run(count(".list input:checked"));
    check(checked === 4, `${name}: ${checked} variables at first, not 4`);
    await page.click('.list input[name="left.v"]');
    check(await page.run(count("#panels .legend span:not(.at)")) === 3,
        `${name}: a variable can be switched off`);
    await page.click('.list input[name="left.v"]');
    await page.run(`(() => {
        const s = document.querySelector('input[type="search"]');
        s.value = "right x";
        s.dispatchEvent(new Event("input"));
    })()`);
    check(await page.run(`[...document.querySelectorAll(".list > *")]
        .filter((e) => e.offsetParent).length`) === 2,
    `${name}: search finds one variable and its subsystem`);
    await page.run(`(() => {
        const s = document.querySelector('input[type="search"]');
        s.value = "";
        s.dispatchEvent(new Event("input"));
    })()`);

    const [a, b] = [await page.timeAt(area, 0.02),
        await page.timeAt(area, 0.98)];
    check(a < 0.3 && b > 1.7, `${name}: at first [${a}, ${b}], not [0, 2]`);
    await page.drag(area, 0.25, 0.5);
    const [c, d] = [await page.timeAt(area, 0.12),
        await page.timeAt(area, 0.98)];
    check(c > a + 0.2 && d < b - 0.6, `${name}: zoomed to [${c}, ${d}]`);
    await page.drag(area, 0.7, 0.3, 8);
    const [e, g] = [await page.timeAt(area, 0.12),
        await page.timeAt(area, 0.98)];
    check(e > c + 0.05 && Math.abs(g - e - (d - c)) < 0.03,
        `${name}: moved from [${c}, ${d}] to [${e}, ${g}]`);
    await page.click("#everything");
    const f = await page.timeAt(area, 0.98);
    check(f > 1.7, `${name}: everything is shown again, to ${f}`);
    await page.drag(area, 0.25, 0.5);
    await page.click(area, 2);
    check(await page.timeAt(area, 0.98) > 1.7,
        `${name}: a double click shows everything`);

    await page.click("#stack");
    check(await page.run(count("#panels .chart")) === 4,
        `${name}: one panel each`);
    await page.click("#stack");
    const drawn = await page.run(`(() => {
        const c = document.querySelector("#panels canvas");
        const d = c.getContext("2d").getImageData(0, 0, c.width, c.height);
        let n = 0;
        for (let i = 3; i < d.data.length; i += 4) n += d.data[i] > 0;
        return n;
    })()`);
    check(drawn > 2000, `${name}: only ${drawn} points are drawn`);
}

async function useRest(page, name) {
    const edges = await page.run(count(".graph .edge"));
    check(edges === 2, `${name}: ${edges} arrows, not 2`);
    const tip = await page.place(".graph .edge .line");
    await page.mouse("mouseMoved", tip.x + tip.width / 2, tip.y + 1);
    await page.settle();
    check((await page.run('document.querySelector(".said").textContent'))
        .includes("="), `${name}: an arrow says its signals`);

    check(await page.run(count("#iterates .chart")) === 2,
        `${name}: two charts of iterates`);
    await page.run(`(() => {
        const s = document.getElementById("iterate-variable");
        s.selectedIndex = 1;
        s.dispatchEvent(new Event("change"));
    })()`);
    await page.click("#play");
    await page.until(`[...document.querySelectorAll("#iterates .legend span")]
        .some((e) => e.textContent.startsWith("sweep 2"))`,
    `${name}: the sweeps are played`);
    await page.click("#play");

    await page.run(`(() => {
        const s = document.querySelector('#convergence input[type="range"]');
        s.value = 0;
        s.dispatchEvent(new Event("input"));
    })()`);
    check((await page.run(
        'document.querySelector("#convergence .legend").textContent'))
        .includes("window 1"), `${name}: another window is chosen`);
    const said = await page.run(
        'document.querySelector("#convergence").textContent');
    for (const text of ["predicted rate 0.", "measured rate 0.",
        "length of the window"])
        check(said.includes(text), `${name}: convergence says "${text}"`);
    const tiles = await page.run(
        'document.querySelector(".tiles").textContent');
    for (const text of ["measured rate, median", "predicted rate, median",
        "overhead, estimated"])
        check(tiles.includes(text), `${name}: a tile says "${text}"`);
    check(await page.run(`[...document.querySelectorAll(
        "#work tbody tr")].every((r) => r.children[r.children.length - 2]
        .textContent > "1")`), `${name}: the overhead of each subsystem`);
    check(await page.run(count("#work tbody tr")) === 3,
        `${name}: two subsystems and their sum`);
    check(await page.run(count("#options tbody tr")) > 15,
        `${name}: the options are listed`);
    check(await page.run(count("#verdict.good")) === 1,
        `${name}: the verdict is good`);
    await page.send("Emulation.setEmulatedMedia", { features: [
        { name: "prefers-color-scheme", value: "dark" }] });
    await page.until(`getComputedStyle(document.body).backgroundColor ===
        "rgb(20, 23, 27)"`, `${name}: dark on request`);
    check(await page.run(count("#panels canvas")) === 2,
        `${name}: a panel for m and one for m/s after the change of colours`);
    await page.send("Emulation.setEmulatedMedia", { features: [] });
    await page.send("Emulation.setDeviceMetricsOverride", { width: 390,
        height: 800, deviceScaleFactor: 1, mobile: true });
    await page.until("document.documentElement.scrollWidth <= 390",
        `${name}: wider than a screen of 390`);
}

// Every text that is drawn on a canvas is noted with its place, so that
// overlapping ones are found whatever draws them.
const spy = `(() => {
    const drawn = new Map();
    const proto = CanvasRenderingContext2D.prototype;
    const reset = (c) => drawn.set(c, []);
    const clear = proto.clearRect, text = proto.fillText;
    proto.clearRect = function (...a) {
        if (a[2] >= this.canvas.width / 2) reset(this.canvas);
        return clear.apply(this, a);
    };
    const width = Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype,
        "width");
    Object.defineProperty(HTMLCanvasElement.prototype, "width", { ...width,
        set(v) { reset(this); width.set.call(this, v); } });
    proto.fillText = function (t, x, y) {
        if (t) {
            const m = this.measureText(t), f = this.getTransform();
            const corner = [[-m.actualBoundingBoxLeft,
                -m.actualBoundingBoxAscent], [m.actualBoundingBoxRight,
                m.actualBoundingBoxDescent]].map(([a, b]) =>
                f.transformPoint(new DOMPoint(x + a, y + b)));
            const side = (k) => corner.map((p) => p[k]).sort((a, b) => a - b);
            if (!drawn.has(this.canvas)) reset(this.canvas);
            drawn.get(this.canvas).push({ t, x: side("x"), y: side("y") });
        }
        return text.call(this, t, x, y);
    };
    const apart = (a, b) => a[1] <= b[0] + 1 || b[1] <= a[0] + 1;
    window.overlaps = () => {
        const found = [];
        let texts = 0;
        for (const [canvas, list] of drawn) {
            if (!canvas.isConnected) continue;
            const unique = [...new Map(list.map((d) => [d.t + d.x + d.y, d]))
                .values()];
            texts += unique.length;
            unique.forEach((a, i) => unique.slice(i + 1).forEach((b) => {
                if (!apart(a.x, b.x) && !apart(a.y, b.y))
                    found.push(a.t + " | " + b.t);
            }));
            for (const a of unique)
                if (a.x[0] < -1 || a.x[1] > canvas.width + 1)
                    found.push("outside: " + a.t);
        }
        return { found, texts, all: [...drawn].flatMap(([, list]) =>
            list.map((d) => d.t)) };
    };
})()`;

async function labels(browser, file, name, least = 30, wanted = []) {
    const page = await Page.open(browser, "about:blank");
    await page.send("Page.addScriptToEvaluateOnNewDocument", { source: spy });
    await page.send("Page.navigate", { url: "file://" + join(folder, file) });
    await page.until("document.documentElement?.dataset.ready === 'yes'",
        "the page is ready");
    for (const width of [320, 360, 420, 600, 800, 1000, 1280, 1600]) {
        await page.send("Emulation.setDeviceMetricsOverride", { width,
            height: 900, deviceScaleFactor: 1, mobile: width < 500 });
        await page.until(`Math.abs(window.innerWidth - ${width}) < 2`,
            `${name}: ${width} wide`);
        await page.run(`new Promise((done) => requestAnimationFrame(() =>
            requestAnimationFrame(() => setTimeout(done, 100))))`);
        const { found, texts, all } = await page.run("overlaps()");
        for (const text of wanted)
            check(all.includes(text), `${name}, ${width} wide: no ${text}`);
        check(texts > least, `${name}, ${width} wide: only ${texts} texts`);
        check(!found.length, `${name}, ${width} wide: labels overlap: ` +
            found.slice(0, 5).join(", "));
        check(await page.run("document.documentElement.scrollWidth") <= width,
            `${name}: wider than ${width}`);
        check(await page.run(`[...document.querySelectorAll(
            "td.text:last-child")].every((cell) =>
            cell.getBoundingClientRect().right <= innerWidth)`),
        `${name}, ${width} wide: sentences of a table are cut`);
    }
    await page.close(name);
}

async function fullPage(browser, file, name, area) {
    const page = await Page.open(browser, join(folder, file));
    await useWaveforms(page, name, area);
    check(await page.shot(name + ".png") > 30000, `${name}: empty picture`);
    await useRest(page, name);
    await page.close(name);
}

// The same page without the library, as it is built where npm is missing.
function withoutLibrary(from, to) {
    const html = readFileSync(join(folder, from), "utf8");
    const script = /<script>\s*\/\*\s*uPlot[^]*?<\/script>/;
    if (!script.test(html)) return false;
    writeFileSync(join(folder, to), html.replace(script, ""));
    return true;
}

async function hdf5Pages(browser) {
    yoke("run", "two-masses", "--stop", "2", "--window", "0.05", "--quiet",
        "--output", "full.h5", "--every", "0.005", "--iterates", "true",
        "--accelerate", "none"); // otherwise all may be solved as one system
    yoke("report", "full.h5", "--title", "Two masses");
    const plain = withoutLibrary("full.html", "plain.html");
    if (plain)
        await fullPage(browser, "full.html", "full", "#panels .u-over");
    else
        console.log("the program was built without uPlot");
    await fullPage(browser, plain ? "plain.html" : "full.html", "plain",
        "#panels canvas");
    await labels(browser, "full.html", "labels");
    if (plain) await labels(browser, "plain.html", "plain labels");
}

// A run that fails leaves a page that says so.
async function failedPage(browser) {
    spawnSync(program, ["run", "two-masses", "--quiet", "--output",
        "failed.h5", "--max-sweeps", "1", "--window", "0.5",
        "--accelerate", "none"],
    { cwd: folder });
    yoke("report", "failed.h5");
    const page = await Page.open(browser, join(folder, "failed.html"));
    check(await page.run(count("#verdict.bad")) === 1,
        "a failed run has a bad verdict");
    await page.close("failed");
}

// Recorded tasks are drawn: what more processors would take.
async function scalingPage(browser) {
    yoke("run", "rc-chain", "--quiet", "--output", "tasks.csv", "--tasks",
        "tasks.graph", "--latency", "3e-6");
    yoke("report", "tasks.csv");
    const page = await Page.open(browser, join(folder, "tasks.html"));
    check(await page.run(count("#scaling tbody tr")) === 8,
        "eight machines are in the table");
    check(await page.run(count("#scaling .chart")) === 1, "and in a chart");
    check((await page.run(
        'document.querySelector("#scaling .hint").textContent'))
        .includes("3 microseconds"), "the network is told");
    await page.close("tasks");
}

// Names that would do harm, numbers that are none, many rows.
async function foreignPages(browser) {
    const harm = '"</script><img src=x onerror=alert(1)>",' +
        '"<!--","__proto__","\u2028"';
    writeFileSync(join(folder, "harm.csv"), `time,${harm}\n` +
        "0,1,nan,1e300,0\n1,2,inf,-1e300,0\n");
    yoke("report", "harm.csv");
    let page = await Page.open(browser, join(folder, "harm.html"));
    check(await page.run(count("img")) === 0, "a name became an element");
    check(await page.run(count(".list input")) === 4, "all names are there");
    await page.run(`document.querySelectorAll(".list input").forEach((e) =>
        e.checked || e.click())`);
    await page.close("harm");

    // A log of which only the least is there.
    writeFileSync(join(folder, "bare.csv"), "time,a\n0,1\n1,2\n");
    writeFileSync(join(folder, "bare.coupling.csv"),
        "window,sweep\n1,1\n1,2\n2,1\n");
    writeFileSync(join(folder, "bare.work.csv"), "subsystem\n0\n");
    yoke("report", "bare.csv");
    page = await Page.open(browser, join(folder, "bare.html"));
    await page.close("bare");

    writeFileSync(join(folder, "empty.csv"), "time,a\n");
    yoke("report", "empty.csv");
    page = await Page.open(browser, join(folder, "empty.html"));
    await page.close("empty");

    const rows = ["time,a,b"];
    for (let i = 0; i < 60000; i++)
        rows.push(`${i / 1000},${Math.sin(i / 500)},${i === 31234 ? 9 : 0}`);
    writeFileSync(join(folder, "long.csv"), rows.join("\n") + "\n");
    yoke("report", "long.csv");
    page = await Page.open(browser, join(folder, "long.html"));
    check((await page.run('document.querySelector("#waves .hint").textContent'))
        .includes("60000 rows"), "a reduced result says so");
    const peak = await page.run(`Math.max(...JSON.parse(document
        .getElementById("data").textContent).result.data[2])`);
    check(peak === 9, "a peak of one row is kept");
    check(statSync(join(folder, "long.html")).size < 400000,
        "a reduced page is small");
    await page.close("long");
}

// Wires with a contact: shapes over time, on the screen and on paper.
async function profilePages(browser) {
    yoke("run", "pantograph", "--stop", "0.02", "--quiet", "-o", "wire.csv");
    yoke("report", "wire.csv");
    let page = await Page.open(browser, join(folder, "wire.html"));
    const drawn = () => page.run(`(() => {
        const c = document.querySelector("#profiles canvas.lanes");
        const d = c.getContext("2d").getImageData(0, 0, c.width, c.height);
        let sum = 0;
        for (let i = 0; i < d.data.length; i += 4)
            sum = (31 * sum + d.data[i] + d.data[i + 3]) % 1000003;
        return sum;
    })()`);
    check(await page.run(count("#profiles canvas.lanes")) === 1 &&
        await page.run(count("#profiles canvas.map")) === 1,
    "wire: one shape and one map");
    check(await page.run(
        `document.querySelector("#panels").textContent`)
        .then((t) => t.includes("contact.force")), "wire: the contact force");
    check(await page.run(count("#profiles figure svg .curve")) === 12,
        "wire: six pictures of two wires");
    const first = await drawn();
    await page.run(`(() => {
        const s = document.getElementById("shape-time");
        s.value = s.max;
        s.dispatchEvent(new Event("input"));
    })()`);
    const last = await drawn();
    check(first !== last, "wire: the slider changes the shape");
    check((await page.run('document.querySelector("#profiles output")' +
        ".textContent")) === "0.02", "wire: the time is told");
    // The page's timer is ours: it ticks when we say so.
    await page.run(`(() => {
        window.setInterval = (f) => { window.tick = f; return 1; };
        window.clearInterval = () => { window.tick = null; };
    })()`);
    await page.click("#play-shape");
    await page.run("for (let k = 0; k < 7; k++) tick()");
    const time = 'document.getElementById("shape-time").value';
    check(await page.run(time) === "7", "wire: the times are played");
    await page.click("#play-shape");
    check(await page.run("tick === null") && await page.run(time) === "7",
        "wire: pause holds the time");
    await page.click("#profiles canvas.map");
    check(Math.abs(await page.run('+document.getElementById("shape-time")' +
        ".value") - 10) <= 2, "wire: a click in the map chooses the time");
    check(await page.shot("wire.png") > 30000, "wire: empty picture");
    await page.send("Emulation.setEmulatedMedia", { media: "print" });
    await page.until('matchMedia("print").matches', "wire: print");
    check(await page.run(`getComputedStyle(document.querySelector(
        "#profiles .live")).display`) === "none" &&
        await page.run(`document.querySelector("#profiles figure")
            .getBoundingClientRect().height`) > 100,
    "wire: paper gets the pictures");
    await page.close("wire");

    page = await Page.open(browser, join(folder, "wire.html"), 1280, 900,
        false);
    const { root } = await page.send("DOM.getDocument");
    const { nodeId } = await page.send("DOM.querySelector",
        { nodeId: root.nodeId, selector: "#shapes figure svg" });
    const { model } = await page.send("DOM.getBoxModel", { nodeId });
    check(model.width > 300 && model.height > 300,
        "wire: pictures without scripts");
    await page.shot("paper.png");
    await page.close("paper");
}

// What a run decided, with names that would do harm.
async function ladderPage(browser) {
    const steps = ["order\t0\tb goes before a <img src=x>; alpha 31.27",
        "cluster\t0.25\ta and b are solved together"];
    for (let k = 3; k <= 10; k++) steps.push(`window\t0.5\tshorter ${k}`);
    writeFileSync(join(folder, "ladder.csv"), "time,a.x\n0,1\n1,2\n");
    writeFileSync(join(folder, "ladder.notes.csv"), "note,text\n" +
        steps.map((text, k) => `ladder ${k + 1},${text}\n`).join("") +
        "ladders,no step\nrepaired,the window failed\n");
    yoke("report", "ladder.csv");
    const page = await Page.open(browser, join(folder, "ladder.html"));
    check(await page.run(count("#ladder tbody tr")) === 10,
        "ladder: ten decisions");
    const said = await page.run(
        'document.querySelector("#ladder").textContent');
    for (const text of ["b goes before a <img", "alpha 31.27", "0.25",
        "shorter 9", "0.5windowshorter 10Subsystems were", "window failed"])
        check(said.includes(text), `ladder: "${text}"`);
    check(await page.run(count("#ladder img")) === 0, "ladder: text is text");
    await page.shot("ladder.png");
    await page.close("ladder");
}

// A run while it goes on: the page moves by itself, keeps what was chosen, and
// says how the run ended.
async function watchPage(browser) {
    const run = spawn(program, ["run", "two-masses", "--stop", "1e5",
        "--cluster", "none", "--quiet", "-o", "seen.csv", "--watch"],
    { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    const address = await new Promise((done) => {
        run.stderr.on("data", (bytes) => {
            said += bytes;
            const found = /http:\/\/[^/]*\//.exec(said);
            if (found) done(found[0]);
        });
    });
    const page = await Page.open(browser, address);
    const time = () => page.run(`+document.querySelector("#verdict")
        .textContent.match(/t = ([0-9.e]+) of/)[1]`);
    check(await page.run(count("#progress .track")) === 1,
        "watch: how far it is");
    check((await page.run('document.querySelector("#progress").textContent'))
        .includes("left"), "watch: how long it will take");
    await page.run(`(() => {
        const box = document.querySelector(".list input");
        box.click();
        document.querySelector("input[type=search]").value = "x";
    })()`);
    const first = await time();
    await page.until(`+document.querySelector("#verdict").textContent
        .match(/t = ([0-9.e]+) of/)[1] > ${first}`, "watch: it goes on");
    check(await page.run(`!document.querySelector(".list input").checked &&
        document.querySelector("input[type=search]").value === "x"`),
    "watch: what was chosen stays");
    check(await page.run(count("#convergence canvas, #convergence svg")) > 0,
        "watch: convergence");
    check(await page.run(count("#work tbody tr")) === 3, "watch: work");
    check(await page.shot("watch.png") > 20000, "watch: empty picture");
    run.kill("SIGINT");
    await page.until('document.querySelector("#verdict.bad")' +
        '?.textContent.includes("was stopped")', "watch: the end is told");
    await page.close("watch");
}

// Parts that the run merged at t = 0.11 stand in a frame from then on.
async function mergedPage(browser) {
    yoke("run", "four-bar", "--quiet", "--output", "merged.csv");
    yoke("report", "merged.csv");
    const page = await Page.open(browser, join(folder, "merged.html"));
    check(await page.run(count("#system .frame")) === 1,
        "merged: what is solved together is framed");
    check(await page.run(count("#system .bar button")) === 2,
        "merged: before and after");
    await page.click("#system .bar button");
    check(await page.run(count("#system .frame")) === 0,
        "merged: before, they were apart");
    check(await page.run(count("#steps canvas")) === 1,
        "merged: steps over time");
    await page.close("merged");
}

// A circuit alone: nothing of coupling, prefixes on the axes, no nodes inside of
// devices; small windows are labelled without overlap in pages of few parts too.
async function circuitPage(browser) {
    writeFileSync(join(folder, "alone.cir"), `half-wave rectifier
v1 in 0 sin(0 10 1k)
d1 in out dmod
r1 out 0 1k
c1 out 0 1u
.model dmod d(is=1e-14 rs=1)
.tran 1u 500u
.end
`);
    yoke("run", "alone.cir", "--quiet", "--output", "alone.csv");
    yoke("report", "alone.csv");
    const page = await Page.open(browser, join(folder, "alone.html"));
    check(await page.run(count("#convergence")) === 0,
        "circuit: a chart of a convergence that there is not");
    check((await page.run('document.querySelector("#verdict").textContent'))
        .includes("The run is complete."), "circuit: it is complete");
    const chosen = await page.run(`[...document.querySelectorAll(
        ".list input:checked")].map((e) => e.name).join()`);
    check(chosen === "v(out),v(in)", "circuit: chosen are " + chosen);
    await page.close("circuit");
    yoke("run", "two-masses", "--stop", "1e-4", "--quiet", "--output",
        "short.csv", "--step", "1e-6");
    yoke("report", "short.csv");
    await labels(browser, "short.html", "short");
    writeFileSync(join(folder, "odd.csv"), "time,a.large,b." + "long".repeat(20)
        + "\n" + Array.from({ length: 101 }, (_, i) =>
        `${1 + i * 1e-11},${(i - 50) * 2e25},${i}\n`).join(""));
    yoke("report", "odd.csv");
    await labels(browser, "odd.html", "odd", 8, ["1", "0", "1e27"]);
    writeFileSync(join(folder, "one.csv"), "time,a.x\n0,1\n");
    yoke("report", "one.csv");
    await labels(browser, "one.html", "one row", 4, ["0", "1"]);
}

const browser = new Browser();
try {
    const probe = spawnSync(program, ["run", "two-masses", "--quiet",
        "--output", "probe.h5"], { cwd: folder, encoding: "utf8" });
    if (probe.status === 0) {
        await hdf5Pages(browser);
        await failedPage(browser);
    } else console.log("without HDF5: " + probe.stderr.trim());
    await foreignPages(browser);
    await profilePages(browser);
    await ladderPage(browser);
    await mergedPage(browser);
    await circuitPage(browser);
    await watchPage(browser);
    await scalingPage(browser);
} catch (e) {
    check(false, e.stack);
}
browser.child.kill();
console.log(failures ? `${failures} failures` : "all pages behave");
process.exitCode = failures ? 1 : 0;
