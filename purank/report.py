"""Write the answer: five sentences from the numbers, the best learners, the list of rows, and the caveats."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from scipy.stats import beta

from pulib.exceptions import PUWarning
from pulib.metrics import proxy_lift_at_k, score_interval
from pulib.priors import PriorEstimate
from purank.judge import CRITERIA, ENOUGH_LABELS, Judged, hidden, judge
from purank.learners import LEARNERS, PLAIN
from purank.model import CODE, model_code
from purank.question import Question, QuestionError, in_options
from purank.ranked import CONFIDENCE, HEADS, ranked_rows
from purank.scoring import Scored, places
from purank.table import Rows

#: What a run is for, and the picture on its page.
ANSWERS = [CODE, *map(Path, ("report.html", "report.md", "ranked.csv", "learners.csv", "report.svg"))]
#: Rows of the table above the fold, and of the list that the page shows.
TABLE_ROWS, LISTED = 10, 20
#: Learners whose scores are in ranked.csv.
IN_LIST = 3
#: So many positives among test rows tell the head of a ranking, and so many labeled rows in it.
TELLING_POSITIVES, TELLING_LABELS = 30, 10


def write_answer(
    question: Question, sizes: tuple[int, int], rows: Rows, estimate: PriorEstimate, scored: Mapping[str, Scored], folder: Path
) -> None:
    """Write :data:`ANSWERS`; ``sizes`` are folds and repeats."""
    failed = {name: one.error for name, one in scored.items() if one.error}
    if len(failed) == len(scored):
        raise QuestionError(f"no learner could be trained: {next(iter(failed.values()), 'none was chosen')}")
    rho = hidden(estimate, rows.labeled_share)
    judged = judge(rows, scored, rho)
    shown = [judged.best, *(str(name) for name in judged.table.index if name != judged.best)][:IN_LIST]
    labels = {name: LEARNERS[name].label for name in scored}
    ranked = ranked_rows(rows, scored, shown, labels, rho)
    ranked.to_csv(folder / "ranked.csv", index=False, float_format="%.6g")
    judged.table.rename_axis("method").to_csv(folder / "learners.csv", float_format="%.6g")
    heads = head_table(rows, scored[judged.best], ranked)
    draw_head(ranked, folder / "report.svg")
    code = model_code(question, LEARNERS[judged.best], rho.prior, scored[judged.best].sampled)
    (folder / CODE).write_text(code, encoding="utf-8")
    facts = {
        "question": question,
        "folds": sizes[0],
        "repeats": sizes[1],
        "rows": rows,
        "pi": estimate,
        "rho": rho,
        "given": question.prior is not None,
        "telling": TELLING_POSITIVES,
        "rows_for_truth": int(np.ceil(TELLING_POSITIVES / rho.prior / 100.0)) * 100,
        "judged": judged_facts(rows, judged, rho, labels, scored, given=question.prior is not None),
        "few_labels": 0 if len(rows.positives) >= ENOUGH_LABELS else ENOUGH_LABELS,
        "table": table_lines(judged, labels, scored),
        "heads": heads,
        "telling_labels": TELLING_LABELS,
        "whole": float(ranked["expected_positives"].iloc[-1]),
        "listed": ranked.head(LISTED).to_dict("records"),
        "failed": {labels[name]: why for name, why in failed.items()},
        "table_rows": TABLE_ROWS,
        "code": code,
        "picture": (folder / "report.svg").read_text(encoding="utf-8").partition("<svg")[2],
    }
    text = templates().get_template("report.md").render(facts)
    (folder / "report.md").write_text(text, encoding="utf-8")
    body = MarkdownIt("commonmark", {"html": True}).enable("table").render(text.replace("![](report.svg)", "PICTURE"))
    page = templates().get_template("report.html").render(body=body.replace("PICTURE", "<svg" + facts["picture"]))
    (folder / "report.html").write_text(page, encoding="utf-8")


@cache
def templates() -> Environment:
    """Return the templates of this folder, with filters that format numbers."""
    loader = PackageLoader("purank", "templates")
    environment = Environment(loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
    filters = (percent, count, seconds, joined, at_most_all, literal, in_options)
    environment.filters |= {written.__name__: written for written in filters}
    return environment


def literal(text: object) -> str:
    """Return a text of the user in one line, without meaning in Markdown and HTML.

    >>> print(literal("a|b <i> *"))
    a\\|b \\<i\\> \\*
    """
    return re.sub(r"([\\`*_<>&|\[\]#])", r"\\\1", " ".join(str(text).split()))


def percent(share: float) -> str:
    """Format a share with at least three significant digits and one decimal.

    >>> percent(0.4213), percent(0.00123), percent(0.99996), percent(1.0)
    ('42.1%', '0.123%', '99.996%', '100.0%')
    >>> percent(-4e-10)
    '0.0%'
    """
    value = 100.0 * share if abs(share) >= 1e-9 else 0.0
    decimals = 1 if abs(value) >= 9.95 or value == 0 else 2 - int(np.floor(np.log10(abs(value))))
    if 1e-9 < 1.0 - share < 5e-4:  # and no 100.0%
        decimals = int(np.ceil(-np.log10(100.0 - value)))
    return f"{value:.{decimals}f}%".replace("-", "−")


def at_most_all(share: float) -> str:
    """Format a share by proxy, which may be above one or below zero.

    >>> at_most_all(0.4213), at_most_all(1.14), at_most_all(-0.2)
    ('42.1%', 'more than 100%', 'less than 0%')
    """
    if share > 1.0 + 1e-9:
        return "more than 100%"
    return "less than 0%" if share < -1e-9 else percent(max(share, 0.0))


def count(value: float) -> str:
    """Format a whole number with thousands separators, or with one decimal if below ten.

    >>> count(1234.4), count(3.26), count(7)
    ('1,234', '3.3', '7')
    """
    return f"{value:,.0f}" if value >= 9.95 or float(value).is_integer() else f"{value:.1f}"


def seconds(value: float) -> str:
    """Format a time in a suitable unit.

    >>> seconds(0.012), seconds(3.21), seconds(400)
    ('12 ms', '3.2 s', '6.7 min')
    """
    if value < 0.95:
        return f"{1000 * value:.0f} ms" if value >= 0.0095 else f"{1000 * value:.2g} ms"
    return f"{value:.1f} s" if value < 120 else f"{value / 60:.1f} min"


def joined(words: list[str]) -> str:
    """Join words in a sentence, with semicolons if they contain commas.

    >>> joined(["a"]), joined(["a", "b", "c"]), joined(["a, b", "c"])
    ('a', 'a, b and c', 'a, b; and c')
    """
    if len(words) == 1:
        return words[0]
    if any("," in word for word in words):
        return f"{'; '.join(words[:-1])}; and {words[-1]}"
    return f"{', '.join(words[:-1])} and {words[-1]}"


def judged_facts(
    rows: Rows, judged: Judged, rho: PriorEstimate, labels: Mapping[str, str], scored: Mapping[str, Scored], given: bool
) -> dict[str, Any]:
    """Return the sentences about the learners."""
    table = judged.table
    best = table.loc[judged.best]
    truth = rows.truth[rows.test]
    known = 0 < truth.sum() < len(truth)
    share = float(truth.mean()) if judged.by_truth else rho.prior
    accuracy = table["accuracy"] if judged.by_truth else table["proxy_accuracy"]
    constant = max(share, 1.0 - share)
    least_constant = constant if judged.by_truth else max(rho.low, 1.0 - rho.high)
    plain = PLAIN if PLAIN in table.index else None
    tied = judged.tied
    return {
        "best": labels[judged.best],
        "row": best.to_dict(),
        "sampled": scored[judged.best].sampled,
        "criterion": CRITERIA[judged.criterion],
        "rare": judged.criterion == "average_precision",
        "by_truth": judged.by_truth,
        "known": known,
        "n": len(table),
        "tied": [labels[name] + (" (which scored highest)" if name == judged.first else "") for name in tied],
        "chance": share if judged.criterion == "average_precision" else 0.5,
        "constant": constant,
        "least_constant": least_constant,
        "constant_is": "negative" if share <= 0.5 else "positive",
        "best_accuracy": float(accuracy[judged.best]),
        "n_worse_than_constant": int((accuracy < constant).sum()),
        "plain": None if plain is None else labels[plain],
        "plain_is_best": plain == judged.best,
        "plain_tied": plain in tied,
        "plain_low": float(table.loc[plain, "behind_low"]) if plain else 0.0,
        "plain_high": float(table.loc[plain, "behind_high"]) if plain else 0.0,
        "negatives": against_negatives(rows, scored[judged.best]),
        **impossible(rows, judged, rho, scored, given),
    }


def against_negatives(rows: Rows, best: Scored) -> dict[str, float]:
    """How labeled rows rank against test rows that are negative, of which a label column may hold some; empty without any."""
    negatives = rows.test[rows.truth[rows.test] == 0]
    if len(negatives) == 0:
        return {}
    area = float(np.mean(places(best.place[rows.positives], best.place[negatives])))
    return {"n": len(negatives), "auc": area}


def impossible(rows: Rows, judged: Judged, rho: PriorEstimate, scored: Mapping[str, Scored], given: bool) -> dict[str, Any]:
    """List estimates above 100%, and whether chance or an uncertain π explains them.

    Neither does if the interval of the greatest one lies above 100% at the π that was given, or at the least possible one.
    """
    prior = rho.prior if given else max(rho.low, 0.5 / max(rho.n_unlabeled, 1))
    found = {}
    for metric in ("proxy_auc", "proxy_accuracy"):
        above = judged.table[metric][judged.table[metric] > 1.0 + 1e-9].sort_values()
        if len(above):
            one, train = scored[str(above.index[-1])], rows.train
            answers = one.place[train] if metric == "proxy_auc" else (one.called[train] > 0.5).astype(int)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PUWarning)
                interval = score_interval(
                    rows.labeled[train].astype(int),
                    answers,
                    metric,
                    prior=prior,
                    n_bootstrap=100,
                    groups=None if rows.groups is None else rows.groups[train],
                )
            found[metric] = {"n": len(above), "value": float(above.iloc[-1]), "proof": interval.low > 1.0}
    return {"above": found, "contradiction": any(one["proof"] for one in found.values())}


def table_lines(judged: Judged, labels: Mapping[str, str], scored: Mapping[str, Scored]) -> list[dict[str, Any]]:
    """Rows of the table of learners; none is ahead of the best by more than chance, and a negative distance is none."""
    table = judged.table.assign(**judged.table[["behind_low", "behind_high"]].clip(lower=0.0))
    return [
        {"label": labels[str(name)], "sampled": scored[str(name)].sampled, **row.to_dict()} for name, row in table.iterrows()
    ]


def head_table(rows: Rows, best: Scored, ranked: pd.DataFrame) -> list[dict[str, Any]]:
    """Positives, precision and lift among the first k, for some k: estimated, and by truth where test rows rank as high.

    The lengths are shares of the list and the number of positives that it holds, as far as enough labeled rows rank as high;
    else the shortest head in which they do.
    """
    train, n = rows.train, len(rows.unlabeled)
    labeled = np.sort(best.place[rows.positives])
    order = np.sort(best.place[rows.unlabeled])[::-1]
    enough = min(TELLING_LABELS, len(labeled))
    shortest = int(np.searchsorted(-order, -labeled[-enough])) + 1
    wanted = {int(np.ceil(share * n)) for share in HEADS} | {round(ranked["expected_positives"].iloc[-1])}
    found = []
    for k in sorted(k for k in wanted if shortest <= k < n) or [min(shortest, n)]:
        line = ranked.iloc[k - 1]
        lift = proxy_lift_at_k(rows.labeled[train].astype(int), best.place[train], k, scenario="two_sample")
        reached, scale = lift * k / n * len(labeled), rows.labeled_weight
        chances = scale * reached + 0.5, scale * (len(labeled) - reached) + 0.5
        low, high = beta.ppf([0.5 - CONFIDENCE / 2, 0.5 + CONFIDENCE / 2], *chances) * n / k
        last = order[k - 1]
        tested = rows.truth[rows.test][best.place[rows.test] >= last]
        found.append(
            {"k": k, "share": k / n, **{key: float(line[key]) for key in ("expected_positives", "low", "high")}}
            | {"lift": float(lift), "lift_low": float(min(low, lift)), "lift_high": float(max(high, lift))}
            | {"tested": len(tested), "tested_positive": float(tested.sum())}
        )
    return found


def draw_head(ranked: pd.DataFrame, path: Path) -> None:
    """Draw expected positives among the first k, with their interval and those of rows in random order."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from pulib.plots import save_figure, style

    n = len(ranked)
    k = np.unique(np.linspace(1, n, 400).astype(int))
    lines, whole = ranked.iloc[k - 1], ranked["expected_positives"].iloc[-1]
    at = min(100, n)
    head = ranked.iloc[at - 1]
    with style():
        fig, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
        ax.fill_between(k, lines["low"], lines["high"], color="C0", alpha=0.25, lw=0)
        ax.plot(k, lines["expected_positives"], color="C0")
        ax.plot([0, n], [0, whole], color="0.4", ls="--")
        # both lines rise: above the one, to the left of a point of it, and below the other, to the right, is room
        middle = (n + 1) // 2
        ranked_at, random_at = (middle, ranked["expected_positives"].iloc[middle - 1]), (middle, whole * middle / n)
        shift: dict[str, Any] = {"textcoords": "offset points", "fontsize": 8}
        ax.annotate("in the order of ranked.csv", ranked_at, (-4, 4), color="C0", ha="right", va="bottom", **shift)
        ax.annotate("in random order", random_at, (4, -4), color="0.3", ha="left", va="top", **shift)
        ax.set(xlabel="rows looked at, k", ylabel="positives among them", xlim=(0, n))
        ax.set_ylim(0, 1.05 * max(lines[["high", "expected_positives"]].max().max(), 1e-9))
        found, low, high = (count(head[column]) for column in ("expected_positives", "low", "high"))
        ax.set_title(f"The first {at} rows contain about {found} positives (95% interval {low} to {high})", loc="left")
        fig.supxlabel("Estimated without negatives; band: 95% interval", x=0.01, ha="left", fontsize=7, color="0.3")
        save_figure(fig, path)
        plt.close(fig)
