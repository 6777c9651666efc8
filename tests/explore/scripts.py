"""Made-up texts in Arabic, Korean and Hindi, from small grammars with real words: to look at the page in other scripts.

``python -m tests.explore.scripts FOLDER`` writes a model of each to a folder, with all its parts; then
``firth explore FOLDER/arabic`` shows one.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import firth
from firth import explore
from firth.pipeline import learn_lm
from firth.trees import Tree

TOPICS = ("home", "school", "market", "field")


@dataclass(frozen=True)
class Words:
    """The words of a language: by topic, and those of all topics."""

    nouns: tuple[str, str, str, str]
    verbs: tuple[str, str, str, str]
    adjectives: str
    small: str

    def of(self, kind: str, topic: int, chance: random.Random) -> str:
        """A word, mostly of a topic."""
        known: str | tuple[str, ...] = getattr(self, kind)
        some = (
            known
            if isinstance(known, str)
            else known[topic if chance.random() < 0.85 else chance.randrange(4)]
        )
        words = some.split()
        return words[min(int(chance.expovariate(3 / len(words))), len(words) - 1)]


ARABIC = Words(
    (
        "البيت الباب المطبخ الأم الأب الطفل الغرفة السرير الجدة النافذة الحديقة الخبز",
        "المدرسة الكتاب الطالب المعلم القلم الدرس الصف السؤال الورقة المكتبة اللغة الواجب",
        "السوق البائع السمك التفاح النقود الثمن التاجر السلة الدكان القماش الملح البضاعة",
        "الحقل القمح الفلاح الحصان النهر الشجرة المطر البقرة الأرض الشمس الطريق الجبل",
    ),
    (
        "يفتح يغلق ينظف يطبخ يسكن يستيقظ",
        "يقرأ يكتب يدرس يسأل يجيب يشرح",
        "يبيع يشتري يدفع يزن يحمل يساوم",
        "يزرع يحصد يسقي يحرث يقطف يركب",
    ),
    "الكبير الصغير الجديد القديم الجميل البعيد الطويل",
    "في من على إلى قرب",
)
KOREAN = Words(
    (
        "집 문 부엌 어머니 아버지 아이 방 침대 할머니 창문 마당 빵",
        "학교 책 학생 선생님 연필 수업 교실 질문 종이 도서관 언어 숙제",
        "시장 상인 생선 사과 돈 가격 가게 바구니 옷감 소금 물건 손님",
        "밭 밀 농부 말 강 나무 비 소 땅 해 길 산",
    ),
    (
        "열 닫 닦 굽 씻 깨우",
        "읽 쓰 배우 묻 풀 가르치",
        "팔 사 깎 재 들 고르",
        "심 거두 갈 뽑 줍 기르",
    ),
    "큰 작은 새로운 오래된 아름다운 먼 긴",
    "에서 에게 까지 부터 으로",
)
HINDI = Words(
    (
        "घर दरवाज़ा रसोई माँ पिता बच्चा कमरा बिस्तर दादी खिड़की आँगन रोटी",
        "विद्यालय किताब छात्र शिक्षक कलम पाठ कक्षा प्रश्न काग़ज़ पुस्तकालय भाषा गृहकार्य",
        "बाज़ार दुकानदार मछली सेब पैसा दाम व्यापारी टोकरी दुकान कपड़ा नमक सामान",
        "खेत गेहूँ किसान घोड़ा नदी पेड़ बारिश गाय ज़मीन सूरज रास्ता पहाड़",
    ),
    (
        "खोलता देखता धोता पकाता ढूँढ़ता जगाता",
        "पढ़ता लिखता सीखता पूछता समझाता सुनाता",
        "बेचता ख़रीदता गिनता तौलता उठाता चुनता",
        "बोता काटता सींचता जोतता तोड़ता पालता",
    ),
    "बड़ा छोटा नया पुराना सुंदर दूर लंबा",
    "में से पर तक को",
)


def _noun_phrase(words: Words, topic: int, chance: random.Random, after: str = "") -> Tree:
    """A noun, perhaps with an adjective: before it, or after it in Arabic."""
    noun = Tree("N", words.of("nouns", topic, chance) + after)
    if chance.random() > 0.4:
        return Tree("NP", [noun])
    adjective = Tree("A", words.of("adjectives", topic, chance))
    return Tree("NP", [noun, adjective] if words is ARABIC else [adjective, noun])


def _arabic(topic: int, chance: random.Random) -> Tree:
    verb = Tree("V", ARABIC.of("verbs", topic, chance))
    subject, thing = (_noun_phrase(ARABIC, topic, chance) for _ in range(2))
    place = Tree("P", ARABIC.of("small", topic, chance)), _noun_phrase(ARABIC, topic, chance)
    return Tree("S", [verb, subject, thing, Tree("PP", list(place)), Tree("X", ".")])


def _korean(topic: int, chance: random.Random) -> Tree:
    verb = Tree(
        "V", KOREAN.of("verbs", topic, chance) + chance.choice(["는다", "고", "지만", "겠다"])
    )
    subject = _noun_phrase(KOREAN, topic, chance, chance.choice("은이"))
    thing = _noun_phrase(KOREAN, topic, chance, "을")
    place = _noun_phrase(KOREAN, topic, chance, KOREAN.of("small", topic, chance))
    said = Tree("VP", [Tree("PP", [place]), Tree("VP", [thing, verb])])
    return Tree("S", [subject, said, Tree("X", ".")])


def _hindi(topic: int, chance: random.Random) -> Tree:
    place = [_noun_phrase(HINDI, topic, chance), Tree("P", HINDI.of("small", topic, chance))]
    verb = [Tree("V", HINDI.of("verbs", topic, chance)), Tree("X", chance.choice(["है", "था"]))]
    said = Tree("VP", [_noun_phrase(HINDI, topic, chance), Tree("V", verb)])
    subject = _noun_phrase(HINDI, topic, chance)
    return Tree("S", [subject, Tree("VP", [Tree("PP", place), said]), Tree("X", "।")])


LANGUAGES: dict[str, Callable[[int, random.Random], Tree]] = {
    "arabic": _arabic,
    "korean": _korean,
    "hindi": _hindi,
}


def write_model(folder: Path, language: str, n_documents: int = 300, threads: int = 1) -> Path:
    """Learn a model with all parts from some documents, each about one thing in some year."""
    chance, trees = random.Random(language), []
    text, treebank = folder / f"{language}.jsonl", folder / f"{language}.mrg"
    with text.open("w", encoding="utf-8") as file:
        for _ in range(n_documents):
            topic = chance.randrange(len(TOPICS))
            some = [LANGUAGES[language](topic, chance) for _ in range(20)]
            trees += some[:3]
            lines = "\n".join(" ".join(tree.words) for tree in some)
            row = {"topic": TOPICS[topic], "year": chance.randint(2001, 2006), "text": lines}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    treebank.write_text("\n".join(tree.brackets() for tree in trees), encoding="utf-8")
    model = folder / language
    firth.learn(text, model, classes=24, tags=7, min_count=3, morphs=True, threads=threads)
    firth.LPCFG(2).fit(trees).write(model)
    learn_lm(model, threads=threads)
    explore.prepare(model, threads=threads)
    return model


if __name__ == "__main__":
    for name in LANGUAGES:
        write_model(Path(sys.argv[1]), name, threads=2)
