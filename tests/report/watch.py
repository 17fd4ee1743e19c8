"""watch.py PROGRAM FOLDER -- yoke run --watch as its clients see it: what is
answered, what is refused, and that nobody disturbs the run."""
import json
import re
import signal
import socket
import subprocess
import sys
import time

program, folder = sys.argv[1:]
STUCK = 240  # s, for what hangs; a busy machine is slow
failures = 0
endless = ["two-masses", "--stop", "1e5", "--cluster", "none"]


def check(ok, text):
    global failures
    if not ok:
        failures += 1
        print("FAILED: " + text)


class Run:
    """A run with its address."""

    def __init__(self, *words):
        self.process = subprocess.Popen(
            ["env", "--default-signal=INT", program, "run", *words], cwd=folder, text=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.said = ""
        while not re.search(r"http://127\.0\.0\.1:(\d+)/", self.said):
            line = self.process.stderr.readline()
            if not line:
                raise SystemExit("no address: " + self.said)
            self.said += line
        self.port = int(re.search(r":(\d+)/", self.said).group(1))

    def raw(self, data):
        with socket.create_connection(("127.0.0.1", self.port), STUCK) as s:
            s.sendall(data)
            out = b""
            while chunk := s.recv(65536):
                out += chunk
        return out

    def ask(self, target="/", method="GET", host="127.0.0.1", more=""):
        out = self.raw(f"{method} {target} HTTP/1.1\r\nHost: {host}\r\n{more}"
                       "\r\n".encode())
        head, _, body = out.partition(b"\r\n\r\n")
        return int(head.split()[1]), head.decode(), body

    def data(self):
        return json.loads(self.ask("/data.json")[2])

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        self.said += self.process.communicate(timeout=STUCK)[1]
        return self.process.returncode


def answers(run):
    status, head, body = run.ask()
    check(status == 200 and b"<!doctype html>" in body, "the page")
    check("Content-Security-Policy: default-src 'none'" in head, "its policy")
    page = re.search(rb'id="data">\s*(\{.*?\})\s*</script>', body, re.S)
    check(page and json.loads(page[1])["live"]["state"] == "runs",
          "the page has its data")
    first = run.data()
    check(first["live"]["state"] == "runs", "it runs")
    limit = time.monotonic() + STUCK
    while run.data()["live"]["t"] <= first["live"]["t"]:
        check(time.monotonic() < limit, "it goes on")
        if time.monotonic() > limit:
            break
    later = run.data()
    check(later["live"]["left"] > 0, "time is left")
    check(later["result"]["names"][:2] == ["time", "left.x"], "names")
    check(later["result"]["units"][1] == "m", "units")
    rows = later["result"]["data"]
    check(len({len(c) for c in rows}) == 1 and rows[0] == sorted(rows[0]),
          "curves over time")
    check(len(later["coupling"]["data"][0]) == later["coupling"]["rows"] > 0,
          "the log")
    check(len(later["work"]["data"][0]) == 2, "work of two subsystems")
    status, head, body = run.ask(method="HEAD")
    check(status == 200 and not body and "Content-Length: " in head, "HEAD")
    check(run.ask("/data.json?x=1")[0] == 200, "a query is ignored")
    check(run.ask(host="localhost:99")[0] == 200, "through a tunnel")


def refusals(run):
    for method in "POST", "PUT", "DELETE", "OPTIONS":
        status, head, _ = run.ask(method=method)
        check(status == 405 and "Allow: GET, HEAD" in head, method)
    for host in "evil.example", "127.0.0.1.evil.example", "127.0.0.1:80x", "":
        check(run.ask(host=host)[0] == 403, f"the host {host!r}")
    check(run.raw(b"GET / HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 400"),
          "no host")
    check(run.ask(more="Host: evil.example\r\n")[0] != 200, "two hosts")
    check(run.ask(more="Content-Length: 5\r\n")[0] == 400, "a body")
    check(run.ask("/etc/passwd")[0] == 404, "another address")
    check(run.ask("/../../etc/passwd")[0] == 404, "a way out")
    check(run.ask("/" + "x" * 300)[0] == 414, "a long address")
    check(run.raw(b"GET / HTTP/1.1\r\nX: " + b"y" * 8200)
          .startswith(b"HTTP/1.1 431"), "a long request")
    check(run.raw(b"\x00\x01\r\n\r\n").startswith(b"HTTP/1.1 400"), "noise")
    with socket.socket() as s:
        s.settimeout(5)
        try:
            s.connect((socket.gethostbyname(socket.gethostname()), run.port))
            name = s.getpeername()[0]
        except OSError:
            name = "127.0.0.1"
        check(name.startswith("127."), f"it listens at {name} too")


def idlers(run):
    """Clients that say nothing, or ask and do not read."""
    sockets = []
    for k in range(40):
        s = socket.create_connection(("127.0.0.1", run.port), STUCK)
        if k % 2:
            s.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        sockets.append(s)
    return sockets


def live_run():
    run = Run(*endless, "--jobs", "2", "--watch")
    answers(run)
    refusals(run)
    idle = idlers(run)
    began = time.monotonic()
    status = run.end()
    check(status == 1, f"a run that was stopped gave {status}")
    check("stopped at t = " in run.said, "it says so")
    check(time.monotonic() - began < STUCK / 2, "idle clients hold it up")
    for s in idle:
        s.close()


def same_bytes():
    """Nobody who looks changes a bit."""
    words = ["two-masses", "--stop", "20", "--cluster", "none", "--quiet"]
    subprocess.run([program, "run", *words, "-o", "alone.csv"], cwd=folder,
                   check=True)
    run = Run(*words, "-o", "seen.csv", "--watch", "--stay")
    idle = idlers(run)
    for s in idle:
        s.close()
    limit = time.monotonic() + STUCK
    while run.data()["live"]["state"] == "runs":
        check(time.monotonic() < limit, "it ends")
    last = run.data()
    check(last["live"]["t"] == 20 and last["notes"]["converged"] == "yes",
          "the end is told")
    taken = subprocess.run([program, "run", "two-masses", "--quiet", "--watch",
                            str(run.port)], cwd=folder, capture_output=True,
                           text=True)
    check(taken.returncode == 1 and "is taken" in taken.stderr,
          "a port that is taken: " + taken.stderr)
    check(run.end() == 0, "Ctrl-C after the end is no failure")
    one, two = (open(f"{folder}/{n}.csv", "rb").read()
                for n in ("alone", "seen"))
    check(one == two, "the result is another")


def with_checkpoint():
    run = Run(*endless, "--quiet", "-o", "kept.csv", "--watch", "--checkpoint",
              "kept.ck", "--checkpoint-every", "0.2s")
    while run.data()["live"]["windows"] < 50:
        pass
    check(run.end(signal.SIGTERM) == 1, "it is saved")
    check("yoke resume" in run.said, "and says so: " + run.said)
    process = subprocess.Popen(
        [program, "resume", "kept.ck", "--quiet"], cwd=folder, text=True,
        stderr=subprocess.PIPE)
    line = process.stderr.readline()
    run.process, run.said = process, line
    run.port = int(re.search(r":(\d+)/", line).group(1))
    first = run.data()["live"]
    check(first["start"] > 0 and first["state"] == "runs", "it goes on")
    status = run.end()
    check(status == 1, f"and is stopped with {status}: {run.said}")


def words():
    def usage(*more):
        out = subprocess.run([program, "run", "two-masses", *more],
                             cwd=folder, capture_output=True, text=True)
        return out.returncode, out.stderr
    code, said = usage("--watch=70000")
    check(code == 2 and "is not a port" in said, "a number that is not a port")
    code, said = usage("--stay")
    check(code == 2 and "--watch" in said, "--stay alone")


live_run()
same_bytes()
with_checkpoint()
words()
print(f"{failures} failures" if failures else "the page of a running run behaves")
sys.exit(1 if failures else 0)
