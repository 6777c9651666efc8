"""firth cluster: groups of anything."""

from __future__ import annotations

from typing import Any

from firth.cli import _cluster_options as options
from firth.cli import _shared as shared


@shared.guarded
def cluster(
    source: options.Input,
    output: options.Output = None,
    method: options.Method = "group-average",
    metric: options.Metric = None,
    k: options.K = None,
    words: options.Words = None,
    top: options.Top = None,
    header: options.Header = None,
    coherence: options.Coherence = None,
    split: options.Split = None,
    start: options.Start = None,
    covariance: options.Covariance = None,
    soft: options.Soft = None,
    tree: options.Tree = None,
    plot: options.Plot = None,
    curve: options.Curve = None,
    seed: options.Seed = None,
    threads: shared.Threads = None,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Group any objects: the words of a model, or the rows of numbers in a file.

    Bottom-up methods merge (group-average, single, complete, average, ward), top-down splits; both make
    a tree. k-means and k-medoids make flat groups, mixture and distributional soft ones.
    Files may be compressed. A csv file may have a first line of headings and a first column of names.

    Example: [bold]firth cluster news --top 60 -k 8 -o groups.csv[/]
    """

    said = {"coherence": coherence, "split": split, "start": start, "covariance": covariance,
            "soft": soft, "seed": seed, "threads": threads}  # fmt: skip
    settings = options.settings_of(method, metric, said)
    files = {"output": output, "tree": tree, "plot": plot, "curve": curve}
    given = {name: file for name, file in files.items() if file is not None}
    hint = "Nothing was written; the same command begins anew."
    with shared.interruptible(hint), shared.reporting(quiet or json or output == "-"):
        _run(source, settings, k, given, (words, top, header), json, quiet)


def _run(
    source: str, settings: options.Settings, k: str | None, files: dict[str, str], choice: tuple[Any, ...],
    json: bool, quiet: bool,
) -> None:  # fmt: skip
    from firth.cli import _cluster_memory as memory
    from firth.cli import _cluster_methods as methods
    from firth.cli import _cluster_output as out
    from firth.cli import _cluster_print as printing
    from firth.cli._cluster_input import read_input

    out.check_files(files, source, settings, auto=k is None or k.startswith("auto"))
    words, top, header = choice
    objects = read_input(
        source, words=words, top=top, header=header, distances=settings.metric == "precomputed"
    )
    settings = settings.of(words=objects.kind == "word")
    wanted = options.wanted_groups(k, settings, len(objects), objects.dim)
    out.check_files(files, source, settings, auto=wanted.is_auto)
    memory.check_memory(settings, len(objects), objects.dim, objects.sparse)
    found = methods.group(objects, settings, wanted, whole_tree={"tree", "plot"} & set(files) != set())  # fmt: skip
    out.write_files(files, objects, found, settings)
    if json or (not quiet and files.get("output") != "-"):
        data = printing.facts(objects, found, settings, wanted, files)
        if json:
            shared.print_json(data)
        else:
            printing.tell_notes(objects, found)
            printing.print_facts(data, objects, found, settings)
