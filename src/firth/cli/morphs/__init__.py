"""firth morphs: words and their parts."""

from firth.cli._options import group
from firth.cli.morphs._printing import print_morphology
from firth.cli.morphs.apply import apply
from firth.cli.morphs.correct import correct
from firth.cli.morphs.evaluate import evaluate
from firth.cli.morphs.export import export
from firth.cli.morphs.import_ import import_
from firth.cli.morphs.learn import learn
from firth.cli.morphs.show import show

__all__ = ["app", "print_morphology"]

app = group(
    "Morphology: how words are made of prefixes, stems and suffixes.",
    learn,
    apply,
    show,
    evaluate,
    correct,
    export,
    import_,
)
