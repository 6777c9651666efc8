"""A model and its words, put into words."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from firth.cli._classes import print_class, word_class
from firth.cli._shared import count_of, line, print_json, print_table, printable, stdout
from firth.progress import clock, size

if TYPE_CHECKING:
    from firth.model import Model


def model_facts(model: Model) -> dict[str, Any]:
    """What ``firth show MODEL --json`` prints."""
    parts = {
        name: {
            **part.facts,
            "bytes": part.n_bytes,
            "parameters": dict(part.parameters),
            "stale": model.is_stale(name),
            **_making(model, part.identity),
        }
        for name, part in sorted(model.parts.items())
    }
    n_bytes = sum(part.n_bytes for part in model.parts.values())
    return {"model": str(model.path), "bytes": n_bytes, "parts": parts}


def _making(model: Model, identity: str) -> dict[str, Any]:
    """When and how long a part was made, from the log."""
    made = [entry for entry in model.history() if entry.get("identity") == identity]
    return {key: made[-1][key] for key in ("date", "seconds")} if made else {}


def print_model(model: Model) -> None:
    """The summary of a model, for a person."""
    facts = model_facts(model)
    console = stdout()
    console.print(line((str(model.path), "bold"), (f"  {size(facts['bytes'])}", "dim")))
    if not model.parts:
        console.print("  nothing has been learned yet, or it is being learned just now")
    if "corpus" in model:
        _print_corpus_facts(model)
    if "counts" in model:
        _print_counts_facts(model)
    if "vectors" in model:
        _print_vectors_facts(model)
    if "classes" in model:
        _print_classes_facts(model)
    if "tags" in model:
        _print_tags_facts(model)
    if "ner" in model:
        _print_ner_facts(model)
    if "grammar" in model:
        _print_grammar_facts(model)
    if "lm" in model:
        _print_lm_facts(model)
    for name, part in facts["parts"].items():
        if "date" in part:
            date = part["date"][:16].replace("T", " ")
            console.print(line((f"  {name} made {date} in {clock(part['seconds'])}", "dim")))


def _print_corpus_facts(model: Model) -> None:
    corpus, reading = model.corpus, model.corpus.reading
    kinds = {source["kind"] for source in corpus.sources}
    how = [reading.tokens, f"split by {reading.split}"]
    if kinds <= {"conllu", "sentences"}:
        how = ["words and sentences as given"]
    how += ["lower-cased"] * reading.lowercase + ["digits as 0"] * (reading.digits == "zero")
    sizes = [
        count_of(corpus.n_tokens, "token"),
        count_of(corpus.n_types, "type"),
        count_of(corpus.n_sentences, "sentence"),
    ]
    stdout().print(line(f"  corpus   {', '.join(sizes)}", (f"  {', '.join(how)}", "dim")))


def _is_stale(model: Model, name: str) -> bool:
    """Whether a part was made from an older corpus; if so, says it."""
    if model.is_stale(name):
        command = f"firth {name} learn {shlex.quote(str(model.path))}"
        note = f"made from an older corpus; bring them up to date: {command}"
        stdout().print(line(f"  {name:<8} ", (note, "yellow")))
        return True
    return False


def _print_tags_facts(model: Model) -> None:
    if _is_stale(model, "tags"):
        return
    part = model.parts["tags"]
    facts, named = part.facts, model.tag_names
    what = f"{count_of(facts['n_tags'], 'tag')} of {count_of(facts['n_words'], 'word')}"
    how = [str(part.parameters.get("method", "from elsewhere"))]
    how += [f"{len(named)} with names"] * bool(named)
    stdout().print(line(f"  tags     {what}", (f"  {', '.join(how)}", "dim")))


def _print_vectors_facts(model: Model) -> None:
    if _is_stale(model, "vectors"):
        return
    vectors = model.vectors
    made = vectors.made
    how = ["from elsewhere"]
    if "transform" in made:
        how = [f"{made['contexts']} contexts", f"weights by {made['weights']}"]
        how = how[:1] if made["weights"] == "none" else how
        how += [
            f"{made['transform']} {made['scale']}",
            f"alpha {made['alpha']:g}",
            f"beta {made['beta']:g}",
        ]
        how += [f"kappa {made['kappa']:g}"] * (made["kappa"] > 0)
    words = f"{count_of(len(vectors), 'word')} in {count_of(vectors.dim, 'dimension')}"
    stdout().print(line(f"  vectors  {words}", (f"  {', '.join(how)}", "dim")))


def _print_classes_facts(model: Model) -> None:
    if _is_stale(model, "classes"):
        return
    part = model.parts["classes"]
    how = [str(part.parameters.get("method", "from elsewhere"))]
    how += ["refined"] * bool(part.parameters.get("refine"))
    if "mutual_information" in part.facts:
        how.append(f"mutual information {part.facts['mutual_information']['bits']:.3f} bits")
    words = f"{count_of(part.facts['n_words'], 'word')} in {part.facts['n_classes']:,} classes"
    stdout().print(line(f"  classes  {words}", (f"  {', '.join(how)}", "dim")))


def _print_ner_facts(model: Model) -> None:
    facts = model.ner.facts_
    words = f"{', '.join(facts['types'])}; {facts['n_features']:,} features"
    how = [f"learned from {facts['n_names']:,} names"]
    how += [
        f"with {what}"
        for what, n in (("classes", facts["classes_of"]), ("vectors", facts["vectors_of"]))
        if n
    ]
    if facts["dev_f1"]:
        how.append(f"F1 {100 * facts['dev_f1'][-1][1]:.2f} on development data")
    stdout().print(line(f"  ner      {words}", (f"  {', '.join(how)}", "dim")))


def _print_grammar_facts(model: Model) -> None:
    grammar = model.grammar
    facts, most = grammar.facts_, max(states.n_states for states in grammar.states_)
    sizes = [count_of(facts["n_symbols"], "symbol"), count_of(facts["n_rules"], "rule")]
    how = [grammar.method] + [f"up to {count_of(most, 'state')}"] * (facts["dim"] > 1)
    how.append(f"learned from {count_of(facts['n_trees'], 'tree')}")
    stdout().print(line(f"  grammar  {', '.join(sizes)}", (f"  {', '.join(how)}", "dim")))


def _print_lm_facts(model: Model) -> None:
    if _is_stale(model, "lm"):
        return
    lm = model.lm
    how = lm.component_names[1:]
    if (held := lm.facts_["held_out"]) and held["perplexity"]:
        how.append(f"held-out perplexity {held['perplexity']:,.1f}")
    what = f"{count_of(len(lm.words_), 'word')}, up to {lm.order} together"
    stdout().print(line(f"  lm       {what}", (f"  {', '.join(how)}" if how else "", "dim")))


def _print_counts_facts(model: Model) -> None:
    console = stdout()
    if _is_stale(model, "counts"):
        return
    counts = model.counts
    how = [f"min-count {counts.parameters.min_count}"]
    how += [f"weights by {counts.parameters.weights}"] * (counts.parameters.weights != "none")
    words, entries = count_of(counts.n_words, "word"), f"{counts.n_entries:,} entries"
    console.print(
        line(
            f"  counts   {words} in {counts.contexts.name} contexts, {entries}",
            (f"  {', '.join(how)}", "dim"),
        )
    )


_NOTHING = "Nothing to do: the model was already learned from this text, with these options."


def print_learned(model: Model, json: bool, quiet: bool, nothing: str = _NOTHING) -> None:
    """Say what is there now, whether there was anything to do, and what to try."""
    if json:
        print_json({**model_facts(model), "changed": model.changed})
    elif not quiet:
        console = stdout()
        if not model.changed:
            console.print(nothing)
        print_model(model)
        word = _telling_word(model)
        command = f"firth show {shlex.quote(str(model.path))}" + (f" {word}" if word else "")
        console.print(line((f"try      {command}", "dim")))
        console.print(line((f"         firth explore {shlex.quote(str(model.path))}", "dim")))


def _telling_word(model: Model) -> str | None:
    """A fairly frequent word that is not a function word, to try things with."""
    fresh = [name for name in ("vectors", "counts") if name in model and not model.is_stale(name)]
    if fresh:
        vocabulary = getattr(model, fresh[0]).vocabulary
    elif "corpus" in model:
        vocabulary = model.corpus.vocabulary
    else:
        return None
    n = len(vocabulary)
    for i in range(min(500, n // 10), min(2000, n)):
        word = str(vocabulary[i])
        if word.isalpha() and len(word) > 4:
            return word
    return None


def print_corpus(model: Model, n: int = 20) -> None:
    """The most frequent words, and how much of the text how many words cover."""
    console = stdout()
    corpus = model.corpus
    words = [corpus.vocabulary[i] for i in range(min(n, corpus.n_types))]
    console.print()
    console.print(line(("most frequent", "bold"), "  ", "  ".join(map(printable, words))))
    console.print("\n[bold]min-count      words   share of the text[/]")
    for row in coverage(corpus):
        bar = "█" * round(row["coverage"] * 30)
        console.print(
            f"{row['min_count']:>9}  {row['words']:>9,}   {row['coverage']:>6.1%} [green]{bar}[/]"
        )


def coverage(corpus: Any) -> list[dict[str, Any]]:
    """What share of the text the words of several min-counts cover."""
    from firth.planning import MIN_COUNTS

    rows = []
    for least in MIN_COUNTS:
        kept = corpus.vocabulary.n_kept(least)
        if kept:
            rows.append({"min_count": least, "words": kept, "coverage": corpus.coverage(kept)})
    return rows


def word_facts(model: Model, word: str, n: int) -> dict[str, Any]:
    """What ``firth show MODEL WORD --json`` prints."""
    facts: dict[str, Any] = {"word": word}
    if "vectors" in model and not model.is_stale("vectors"):
        vectors = model.vectors
        if "corpus" not in model:
            vectors.id(word)  # an error where there is none
        near = vectors.neighbours([word], n)[0] if word in vectors else []
        facts["similar"] = [{"word": w, "similarity": round(s, 4)} for w, s in near]
    if "classes" in model and not model.is_stale("classes"):
        if not {"corpus", "vectors"} & model.parts.keys():
            model.classes.id(word)  # an error where there is none
        facts["class"] = word_class(model.classes, word, n)
    if "corpus" not in model and {"vectors", "classes"} & model.parts.keys():
        return facts
    corpus = model.corpus
    word_id = corpus.vocabulary.id(word)
    n_word = int(corpus.vocabulary.counts[word_id])
    facts |= {"count": n_word, "rank": word_id + 1, "per_million": n_word / corpus.n_tokens * 1e6}
    if "counts" in model and not model.is_stale("counts") and word_id < model.counts.n_words:
        counts = model.counts
        sides = {"contexts": None} if counts.contexts.bag else {"before": -1, "after": 1}
        for side, offset in sides.items():
            if offset is None or offset in counts.contexts.offsets:
                found = counts.collocates(word, offset, n)
                facts[side] = [
                    {"word": c.word, "count": c.count, "pmi": round(c.pmi, 3)} for c in found
                ]
    return facts


def print_word(model: Model, word: str, n: int) -> None:
    """A word's count, rank and strongest contexts, for a person."""
    facts = word_facts(model, word, n)
    console = stdout()
    near = facts.get("similar") or []
    if "count" not in facts:
        console.print(line((word, "bold")))
        if near:
            print_table(_table({"similar": near}))
        _print_word_class(model, facts, word)
        return
    sizes = f"{count_of(facts['count'], 'time')}, rank {facts['rank']:,}, {facts['per_million']:,.3g} in a million"
    if facts["per_million"] >= 1000:
        sizes = sizes.replace(f"{facts['per_million']:,.3g}", f"{facts['per_million']:,.0f}")
    console.print(line((word, "bold"), "  ", sizes))
    sides: dict[str, Any] = {
        side: facts[side] for side in ("before", "after", "contexts") if side in facts
    }
    shown = {side: found for side, found in sides.items() if any(sides.values())}
    if near:
        shown["similar"] = near
    if shown:
        print_table(_table(shown))
    if not any(sides.values()):
        console.print(line((f"no contexts: {_why_no_contexts(model, word, bool(sides))}", "dim")))
    _print_word_class(model, facts, word)


def _print_word_class(model: Model, facts: dict[str, Any], word: str) -> None:
    """The class of a word; where it has none, that which its spelling speaks for."""
    found = facts.get("class")
    if found:
        print_class(found, mark=word)
    elif "class" in facts:
        answer = model.classes.assign([word])[0]
        if answer.path is None:
            note = "no class: the word is too rare, and nothing is known of its spelling"
        else:
            note = f"no class; by its spelling {answer.path}  {model.classes.label(answer.path)}"
        stdout().print(line((note, "dim")))


def _why_no_contexts(model: Model, word: str, looked: bool) -> str:
    command = f"firth counts learn {shlex.quote(str(model.path))}"
    if "counts" not in model:
        return f"nothing was counted yet; {command}"
    if model.is_stale("counts"):
        return f"the counts were made from an older corpus; {command}"
    if looked:
        return "none stands beside it more often than by chance"
    if model.corpus.vocabulary.id(word) >= model.counts.n_words:
        return "it is too rare to be among the counted words"
    return f"the words right beside it were not counted (contexts {model.counts.contexts.name})"


def _table(sides: dict[str, list[dict[str, Any]]]) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    titles = {
        "before": "before it",
        "after": "after it",
        "contexts": "near it",
        "similar": "like it",
    }
    for side in sides:
        table.add_column(titles[side], overflow="ellipsis", no_wrap=True)
        if side != "similar":
            table.add_column("times", justify="right", style="dim", no_wrap=True, min_width=5)
        figure = "cosine" if side == "similar" else "PMI"
        table.add_column(figure, justify="right", style="green", no_wrap=True, min_width=4)
    for i in range(max(map(len, sides.values()))):
        cells: list[Any] = []
        for side, found in sides.items():
            if i >= len(found):
                cells += [""] * (2 if side == "similar" else 3)
            elif side == "similar":
                cells += [Text(printable(found[i]["word"])), f"{found[i]['similarity']:.2f}"]
            else:
                entry = found[i]
                cells += [
                    Text(printable(entry["word"])),
                    f"{entry['count']:,}",
                    f"{entry['pmi']:.1f}",
                ]
        table.add_row(*cells)
    return table


def print_hits(hits: list[Any], total: int, width: int) -> None:
    """A concordance, the word in the middle."""
    console = stdout()
    for hit in hits:
        left, right = (printable(" ".join(side.split())) for side in (hit.left, hit.right))
        left += " " * hit.left[-1:].isspace()
        right = " " * hit.right[:1].isspace() + right
        left, right = _fitting(left[::-1], width)[::-1], _fitting(right, width)
        console.print(
            line(" " * (width - _cells(left)) + left, (hit.word, "bold cyan"), right), no_wrap=True
        )
    note = f"{len(hits):,} of {count_of(total, 'occurrence')}" + (
        ", evenly spread" if len(hits) < total else ""
    )
    if hits and not all(hit.original for hit in hits):
        note += "; the words as learned where the original is gone, has changed, or is out of reach"
    console.print(line((note, "dim")))


def _cells(text: str) -> int:
    """How many columns of a terminal a text takes."""
    from rich.cells import cell_len

    return cell_len(text)


def _fitting(text: str, width: int) -> str:
    """As much of a text as fits into so many columns."""
    while _cells(text) > width:
        text = text[:-1]
    return text
