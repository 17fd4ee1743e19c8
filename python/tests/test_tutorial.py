"""The cells of the tutorial run, in order and without Jupyter, and every output
that a cell shows can be shown."""

import ast
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run_cell(source, names):
    """As a notebook: the value of the last expression is shown."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) \
        else None
    exec(compile(tree, "cell", "exec"), names)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def test_every_cell_runs():
    book = json.loads((ROOT / "python/tutorial.ipynb").read_text())
    names, shown, cells = {"__name__": "__main__"}, 0, 0
    for cell in book["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == [] and cell["execution_count"] is None
        value = run_cell("".join(cell["source"]), names)
        cells += 1
        if hasattr(value, "_repr_html_"):
            assert "<" in value._repr_html_()
            shown += 1
    assert cells >= 8 and shown >= 4


def test_the_manual_is_right():
    """Code blocks of the manual run in order."""
    text = (ROOT / "docs/manual/python.md").read_text()
    names = {"__name__": "__main__"}
    blocks = [b.split("```", 1)[0] for b in text.split("```python\n")[1:]]
    assert len(blocks) >= 6
    for block in blocks:
        exec(compile(block, "python.md", "exec"), names)
