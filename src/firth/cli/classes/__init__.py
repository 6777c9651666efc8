"""firth classes: word classes."""

from firth.cli._options import group
from firth.cli.classes.apply import apply
from firth.cli.classes.curve import curve
from firth.cli.classes.evaluate import evaluate
from firth.cli.classes.learn import learn
from firth.cli.classes.name import name
from firth.cli.classes.show import show

app = group(
    "Word classes: a tree of words, learned from raw text.",
    learn,
    show,
    name,
    apply,
    evaluate,
    curve,
)
