"""firth lm: language models."""

from firth.cli._options import group
from firth.cli.lm.apply import apply
from firth.cli.lm.evaluate import evaluate
from firth.cli.lm.export import export
from firth.cli.lm.import_ import import_
from firth.cli.lm.learn import learn
from firth.cli.lm.sample import sample
from firth.cli.lm.show import show

app = group(
    "Language models: how probable a sentence is, and which word comes next.",
    learn,
    evaluate,
    apply,
    show,
    sample,
    export,
    import_,
)
