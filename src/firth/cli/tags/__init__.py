"""firth tags: part-of-speech tags."""

from firth.cli._options import group
from firth.cli.tags.apply import apply
from firth.cli.tags.evaluate import evaluate
from firth.cli.tags.learn import learn
from firth.cli.tags.name import name
from firth.cli.tags.show import show

app = group(
    "Part-of-speech tags, learned from raw text or from tagged text.",
    learn,
    apply,
    show,
    name,
    evaluate,
)
