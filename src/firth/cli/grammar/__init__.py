"""firth grammar: grammars and parsers."""

from firth.cli._options import group
from firth.cli.grammar.apply import apply
from firth.cli.grammar.evaluate import evaluate
from firth.cli.grammar.learn import learn
from firth.cli.grammar.sample import sample
from firth.cli.grammar.score import score
from firth.cli.grammar.show import show

app = group(
    "Grammars and parsers, learned from trees.",
    learn,
    apply,
    evaluate,
    score,
    sample,
    show,
)
