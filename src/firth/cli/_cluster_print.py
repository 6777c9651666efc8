"""What ``firth cluster`` says: groups, memberships, likelihoods, and why so many groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from firth import progress
from firth.cli import _shared as shared
from firth.cli._cluster_input import Objects, some_of
from firth.cli._cluster_methods import Found
from firth.cli._cluster_options import Settings, Wanted

_CENTRAL, _GROUPS, _ROWS, _UNSURE, _AT_ONCE = 8, 30, 20, 8, 1 << 10
_LEAST = 0.01
_SCIPY = {"cosine": "sqeuclidean", "l1": "cityblock"}


def facts(
    objects: Objects, found: Found, settings: Settings, wanted: Wanted, files: dict[str, str]
) -> dict[str, Any]:
    """All there is to say, as data."""
    from firth.cluster import inversions

    central = central_members(objects, found, settings)
    how = found.how_many
    names = objects.names
    return {
        "objects": len(objects),
        "columns": objects.dim,
        "method": settings.method,
        "metric": settings.metric,
        "k": found.k,
        "k_by": wanted.by,
        "groups": [
            {
                "group": g,
                "size": int((found.labels == g).sum()),
                "central": [names[i] for i in central[g]],
                "members": [names[i] for i in np.flatnonzero(found.labels == g)],
            }
            for g in range(found.k)
        ],
        "how_many": None if how is None else _how_many_rows(how),
        "inversions": None if found.tree is None else len(inversions(found.tree)),
        "log_likelihoods": None if found.log_likelihoods is None else list(map(float, found.log_likelihoods)),
        "converged": found.converged,
        "split_betas": None if found.split_betas is None else found.split_betas.tolist(),
        "left_out": objects.left_out,
        "notes": found.notes,
        "files": files,
    }  # fmt: skip


def _how_many_rows(how: Any) -> list[dict[str, Any]]:
    rows = zip(how.ks, how.description_lengths, how.informations, how.agreements, strict=True)
    return [{"k": k, "bits": b, "bic": i, "agreement": a} for k, b, i, a in rows]


def central_members(objects: Objects, found: Found, settings: Settings) -> list[list[int]]:
    """The members of every group that stand for it: the most frequent ones, or those nearest its centre."""
    groups = []
    for g in range(found.k):
        members = np.flatnonzero(found.labels == g)
        if settings.method == "distributional":
            shares = (
                np.ones(len(members))
                if found.memberships is None
                else found.memberships[members, g]
            )
            totals = np.asarray(objects.rows[members].sum(axis=1)).ravel()
            order = np.argsort(-shares * totals, kind="stable")
        elif objects.counts is not None:
            order = np.argsort(-objects.counts[members], kind="stable")
        else:
            with np.errstate(over="ignore", invalid="ignore"):  # numbers may be as large as can be
                far = _from_centre(objects, members, settings)
            order = np.argsort(far, kind="stable")
        groups.append([int(i) for i in members[order[:_CENTRAL]]])
    return groups


def _from_centre(objects: Objects, members: Any, settings: Settings) -> Any:
    """How far members are from the centre of their group; of distances, from all other members."""
    if settings.metric == "precomputed":
        return np.asarray(objects.rows[members][:, members].sum(axis=1)).ravel()
    if not len(members):
        return np.zeros(0)
    from scipy.spatial.distance import cdist

    from firth.cluster import unit_rows

    rows = objects.rows[members]
    if settings.metric == "cosine":
        rows = unit_rows(rows, objects.names)
    centre = np.asarray(rows.mean(axis=0)).reshape(1, -1)
    blocks = (rows[k : k + _AT_ONCE] for k in range(0, len(members), _AT_ONCE))
    dense = (b if isinstance(b, np.ndarray) else b.toarray() for b in blocks)
    metric = _SCIPY.get(str(settings.metric), "sqeuclidean")
    return np.concatenate([cdist(block, centre, metric).ravel() for block in dense])


def print_facts(data: dict[str, Any], objects: Objects, found: Found, settings: Settings) -> None:
    """A summary for people."""
    console = shared.stdout()
    if found.how_many is not None:
        _print_how_many(data["how_many"], found.k)
    console.print(
        shared.line(
            f"{shared.count_of(found.k, 'group')} of {len(objects):,} {objects.kind}s by {settings}",
            (_by(data, objects), "dim"),
        )
    )
    _print_groups(data, console)
    if found.memberships is not None and found.k > 1:
        _print_memberships(objects, found)
    if found.log_likelihoods is not None:
        console.print(_likelihoods(found))
    if data["split_betas"]:
        betas = [f"{beta:.3g}" for beta in data["split_betas"]]
        console.print(f"split at beta  {'  '.join(betas[:8])}{' …' if len(betas) > 8 else ''}")
    if data["inversions"]:
        lower, merges = data["inversions"], len(found.tree)
        console.print(
            f"not monotonic: {lower:,} of {shared.count_of(merges, 'merge')} lower than one of their own parts, so "
            "heights do not order this tree"
        )
    for name, file in data["files"].items():
        if file != "-":
            console.print(shared.line(f"{name:<9}", (file, "bold")))


def _by(data: dict[str, Any], objects: Objects) -> str:
    """Why there are so many groups."""
    if data["k_by"] == "square root":
        return f"  (the square root of {len(objects):,}/2; choose with -k)"
    if data["k_by"] == "description length":
        return "  (the shortest description)"
    return ""


def _print_how_many(rows: list[dict[str, Any]], chosen: int) -> None:
    """The figures for every number of groups, or for some of very many."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for title in ("k", "bits", "BIC", "agreement"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("")
    shown = rows
    if len(rows) > _ROWS:
        places = set(np.linspace(0, len(rows) - 1, _ROWS - 1).astype(int).tolist())
        shown = [row for k, row in enumerate(rows) if k in places or row["k"] == chosen]
    for row in shown:
        table.add_row(
            f"{row['k']:,}", f"{row['bits']:,.0f}", f"{row['bic']:,.0f}", f"{row['agreement']:.2f}",
            "← shortest" if row["k"] == chosen else "", style="bold" if row["k"] == chosen else None,
        )  # fmt: skip
    shared.print_table(table)
    if len(shown) < len(rows):
        left_out = f"{len(shown)} of {len(rows):,} numbers of groups; --json has all"
        shared.stdout().print(shared.line((left_out, "dim")))
    shared.stdout().print()


def _print_groups(data: dict[str, Any], console: Any) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("group", justify="right", no_wrap=True)
    table.add_column("size", justify="right", no_wrap=True)
    table.add_column("typical", overflow="ellipsis", no_wrap=True)
    groups = data["groups"]
    shown = sorted(groups, key=lambda row: (-row["size"], row["group"]))[:_GROUPS]
    for row in groups:
        if row in shown:
            more = row["size"] - len(row["central"])
            names = "  ".join(shared.printable(_short(name)) for name in row["central"])
            cells = Text(names + (" …" if more else ""))
            table.add_row(str(row["group"]), f"{row['size']:,}", cells)
    shared.print_table(table)
    rest = len(groups) - len(shown)
    if rest:
        console.print(shared.line((f"and {shared.count_of(rest, 'more group')}", "dim")))


def _short(name: str) -> str:
    return name if len(name) <= 40 else name[:39] + "…"


def _print_memberships(objects: Objects, found: Found) -> None:
    """To which groups the least certain objects belong, and how much."""
    from rich.table import Table
    from rich.text import Text

    sure = found.memberships.max(axis=1)
    between = [int(i) for i in np.argsort(sure, kind="stable")[:_UNSURE] if sure[i] < 1 - _LEAST]
    console = shared.stdout()
    if not between:
        console.print("every object belongs to one group, by 99% or more")
        return
    console.print()
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("between groups", no_wrap=True, overflow="ellipsis")
    columns = _columns(found.memberships[between])
    for g in columns:
        table.add_column(str(g), justify="right", no_wrap=True)
    for i in between:
        values = [found.memberships[i, g] for g in columns]
        cells = [f"{value:.2f}" if value >= _LEAST else "·" for value in values]
        table.add_row(Text(shared.printable(_short(objects.names[i]))), *cells)
    shared.print_table(table)


def _columns(memberships: Any) -> Sequence[int]:
    """The groups that matter most to some objects."""
    order = np.argsort(-memberships.sum(axis=0), kind="stable")[:_UNSURE]
    return sorted(int(g) for g in order if memberships[:, g].max() >= _LEAST)


def _likelihoods(found: Found) -> Any:
    values = [f"{value:,.1f}" for value in found.log_likelihoods]
    shown = values if len(values) <= 6 else [*values[:3], "…", *values[-2:]]
    rounds = shared.count_of(len(values), "round")
    return shared.line(f"log-likelihood  {'  '.join(shown)}", (f"  ({rounds} of EM)", "dim"))


def tell_notes(objects: Objects, found: Found) -> None:
    """What is no error, on standard error."""
    if objects.left_out:
        progress.notice(
            f"{shared.count_of(len(objects.left_out), 'word')} left out, not there: "
            f"{shared.printable(some_of(objects.left_out))}"
        )
    for note in found.notes:
        progress.notice(shared.printable(note))
    if found.how_many is not None and found.k == 1:
        progress.notice(
            f"One group has the shortest description: {objects.dim:,} columns of {len(objects):,} objects show no "
            "groups that would pay for their centres.",
            "Say how many groups you want all the same: -k 8",
        )
