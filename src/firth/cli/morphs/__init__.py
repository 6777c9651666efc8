"""firth morphs: words and their parts."""

from firth.cli._options import group
from firth.cli.morphs.apply import apply
from firth.cli.morphs.evaluate import evaluate
from firth.cli.morphs.learn import learn
from firth.cli.morphs.show import show

app = group(
    "Morphology: how words are made of prefixes, stems and suffixes.",
    learn,
    apply,
    show,
    evaluate,
)
