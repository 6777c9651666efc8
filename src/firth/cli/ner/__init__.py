"""firth ner: named entities."""

from firth.cli._options import group
from firth.cli.ner.apply import apply
from firth.cli.ner.evaluate import evaluate
from firth.cli.ner.learn import learn
from firth.cli.ner.show import show

app = group(
    "Named entities: people, places and the like, learned from labelled text.",
    learn,
    apply,
    show,
    evaluate,
)
