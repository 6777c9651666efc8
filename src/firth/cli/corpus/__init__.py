"""firth corpus: text as tokens."""

from firth.cli._options import group
from firth.cli.corpus.apply import apply
from firth.cli.corpus.documents import documents
from firth.cli.corpus.evaluate import evaluate
from firth.cli.corpus.learn import learn
from firth.cli.corpus.phrases import phrases
from firth.cli.corpus.show import show
from firth.cli.corpus.words import words

app = group(
    "Corpora: text as numbered tokens.", learn, apply, show, words, phrases, documents, evaluate
)
