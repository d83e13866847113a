"""Words that tell how a sentence is meant: as a memory, a handing over, a way from one place to another, a lesson learnt."""

from __future__ import annotations

import re
from typing import Final


def _any(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


DEAD: Final = _any(r"dead|died|dies|deceased|killed|slain|murdered|drowned|executed|perished|buried|hanged|beheaded")
NOT_QUITE: Final = _any(
    r"many|some|several|half|nearly|almost|presumed|believed|thought|said|feared|not|never|missing|supposed|reported|"
    r"rumou?red|undead|dying|was dead|wished|wishes|tired|asleep"
)
POSTHUMOUS: Final = _any(r"buried|mourned|remembered|honou?red|at rest|laid out|forgotten|avenged|cremated|in state")
ALIVE_AFTER_ALL: Final = _any(
    r"alive|never (?:died|dead|drowned|killed)|not (?:dead|died|drowned)|surviv\w+|resurrect\w*|raised|rises?|rose from|"
    r"reviv\w+|returns? (?:from|to life)|faked|feigned|came back|comes back|was taken for dead|brought back"
)
UNREAL: Final = _any(
    r"dream\w*|nightmares?|visions?|remember\w*|recall\w*|recollect\w*|memory|memories|reminisc\w*|"
    r"(?:years?|winters?|summers?|months?|weeks?|days?) (?:ago|before|earlier|since)|long ago|in the old days|"
    r"in (?:his|her|their) (?:youth|childhood|day|lifetime)|when \w+ (?:was|were) (?:alive|young|a (?:boy|girl|child))|"
    r"letters?|wrote|written|testament|diary|journal|portrait|painting|photograph|effigy|statue|grave|graveside|tomb|"
    r"coffin|bier|corpse|body|ashes|ghost|spirit|as if|as though|used to|would have|imagin\w+|pictured|pretend\w*|"
    r"story of|tale of|legend|anniversary|in memory|flashback|once said|had once|years? gone|back when|the last time"
)
PASSIVE_ROLE: Final = _any(
    r"dead|deceased|died|dies|corpse|body|buried|mourned|remembered|mentioned|memory|absent|named|victim|killed|subject|"
    r"namesake|ancestor|author|writer|portrait|ghost|honou?red|departed|topic|spoken of|dreamed|imagined|recalled|addressee"
)
TRANSFER: Final = _any(
    r"g[ai]ves?|given|giving|hand(?:s|ed|ing)? (?!on\b|in\b)|pass(?:es|ed)? (?:it|the|her|him|them|over|on|down|to)|press\w* \w+.{0,30} "
    r"into|push\w* .{0,40}across|s[oe]lls?|sold|buys?|bought|steals?|stole|stolen|theft|trad(?:es?|ed)|swap\w*|exchang\w+|"
    r"bequeath\w*|inherit\w*|entrust\w*|lends?|lent|borrow\w*|snatch\w*|seiz\w+|confiscat\w+|surrender\w*|"
    r"return(?:s|ed|ing)? (?:it|the|her|his|their)|took (?:it|them|the|\w+['’]s|his|her)|"
    r"takes? (?:it|the|back|over)|taken|robs?|robbed|wrest\w*|wins?|won|"
    r"pick(?:s|ed)? (?:it )?up|pick\w* .{0,25}pocket|receiv\w+|accept\w*|presents?|presented|made a gift|gift|deliver\w*|"
    r"left (?:it|the \w+ ?\w*) (?:to|for|with)|"
    r"put .{0,80}(?:hands?|keeping|palm)|(?:into|in) (?:his|her|their|\w+[’']s) (?:hands?|keeping|palm)|"
    r"gave|let (?:him|her|them) (?:have|keep)|finds?|found|dropp?ed|lost|slipp?ed|toss\w*|threw|claim\w*|"
    r"pull\w* .{0,30} from|lifted .{0,30} from|was (?:now )?(?:his|hers|theirs)"
)
MOVED: Final = _any(
    r"carr(?:y|ies|ied|ying)|br(?:ing|ings|ought)|took|takes?|taken|mov(?:e|es|ed|ing)|puts?|laid|lays?|sets?|hid|hides?|hidden|slid|"
    r"slides?|dropp?\w*|threw|thrown|throws?|gave|gives?|sent|sends?|fetch\w*|pack\w*|pocket\w*|return\w*|left|leav\w+|lost|"
    r"f[eo]ll|falls?|roll\w*|slipp?\w*|push\w*|dragg?\w*|hung|hangs?|plac(?:e|es|ed|ing)|stow\w*|bur(?:y|ied)|held up|"
    r"holds? up|came|comes?|gone|go(?:es|ing)?|went|walk\w*|ran|runs?|row\w*|cross\w*|climb\w*|reach\w*|arriv\w+|hurr\w+|"
    r"follow\w*|enter\w*|rode|rides?|driv\w+|drove|sail\w*|flew|fl[iy]\w+|stepp?\w*|turn\w*|up the|down the|out of|on the way|"
    r"later|by (?:evening|morning|noon|night|nightfall|then)|that (?:evening|night|morning|afternoon)|next|afterwards?|when "
    r"(?:he|she|they)|fled|flee\w*|swam|swim\w*|travel\w*|journey\w*|led|leads?|escort\w*|made (?:his|her|their) way|home|back|"
    r"stole|steal\w*|found|finds?"
)
LEARNT: Final = _any(
    r"told|tells?|telling|heard|hears?|overh(?:ear|ears|eard)|learn\w*|read|reads|saw|sees|seen|realis\w+|realiz\w+|discover\w*|"
    r"guess\w*|confess\w*|explain\w*|show(?:s|ed|n)?|watch\w*|underst\w+|found out|finds? out|work\w* out|reveal\w*|admit\w*|"
    r"whisper\w*|deduc\w+|recogni[sz]\w+|inform\w*|notic\w+|remember\w*|warn\w*|answer\w*|gathered|spied|eavesdrop\w*|"
    r"witness\w*|by (?:a|the) letter|concluded|announc\w+|proclaim\w*|before everyone|aloud"
)
TELLS: Final = _any(
    r"tells?|told|reveals?|revealed|confess\w*|explain\w*|informs?|informed|shows?|showed|admits?|admitted|whisper\w*|"
    r"warns?|warned|confides?|confided|reads?|announc\w+|disclos\w+|lets? slip|discover\w*|learns?|overhears?|teach\w*|reports?"
)
COOLING: Final = _any(
    r"quarrel\w*|betray\w*|confess\w*|str(?:ike|ikes|uck)|lie[sd]?|lying|accus\w+|stole|steals?|attack\w*|fights?|fought|break\w*|"
    r"broke|argu\w+|insult\w*|cheat\w*|deceiv\w*|confront\w*|threaten\w*|abandon\w*|desert\w*|refus\w+|sold|sells?|hurt|"
    r"wrong\w*|disbelie\w+|doubt\w*|learn\w*|not friends|any more|no longer|robs?|robbed|humiliat\w*|mock\w*"
)
WARMING: Final = _any(
    r"confess\w*|forg[ia]v\w*|forgiveness|apolog\w*|sav(?:e|es|ed|ing)|rescu\w+|reconcil\w*|made (?:it )?up|make (?:it )?up|"
    r"peace|swear|swore|oath|thank\w*|help\w*|defend\w*|spar(?:e|ed|es)|pardon\w*|trust\w*|learn\w*|truce|sorry|kiss\w*|"
    r"marr(?:y|ied)|protect\w*|friends again|gives?|gave|mercy|comfort\w*|tends?|nurs(?:es|ed)|shares?|shared|any more|no longer"
)
WAY: Final = _any(
    r"moves?|moved|return\w*|left|leav\w+|came|comes?|gone|go(?:es|ing)?|went|walk\w*|ran|runs?|row(?:s|ed)?|cross\w*|climb\w*|reach\w*|"
    r"arriv\w+|hurr\w+|follow\w*|enter\w*|rode|rides?|driv\w+|drove|sail\w*|flew|flies|stepp?\w*|turn\w*|up the|down the|out of|"
    r"on the way|later|by (?:evening|morning|noon|night|nightfall|then)|that (?:evening|night|morning|afternoon)|next|"
    r"afterwards?|fled|flee\w*|swam|swims?|travel\w*|journey\w*|led|leads?|escort\w*|made (?:his|her|their) way|home|back|"
    r"br(?:ing|ings|ought)|carr(?:y|ies|ied)|took|takes?|taken|sent|fetch\w*|dragg?\w*|fell|falls?|jump\w*|then|"
    r"in the (?:evening|morning|forenoon|afternoon|night)|the (?:next|following) \w+|tomorrow|hours? (?:later|after\w*)"
)
AGAIN: Final = _any(
    r"again|after all|anew|once more|return\w*|reopen\w*|not over|undone|unmade|unsettled|went out|goes out|broken|"
    r"another|new(?:ly)?|turns out|false|forged|mistaken|revived"
)
MENDED: Final = _any(
    r"mend\w*|repair\w*|remade|rebuil\w*|restor\w*|reforg\w*|copy|copied|another|new|pieces|ashes|remains|replac\w+"
)
DESTROYED: Final = _any(
    r"destroyed|burnt|burned|melted|smashed|shattered|sunk|torn up|torn to pieces|ground to dust|ashes|vanished"
)
_END: Final = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s|$)|\n\s*\n")


def sentences(text: str) -> list[tuple[int, int]]:
    """The spans of the text's sentences, in order, without gaps."""
    found, start = [], 0
    for match in _END.finditer(text):
        found.append((start, match.end()))
        start = match.end()
    return [*found, (start, len(text))] if text[start:].strip() else found


def around(text: str, spans: tuple[tuple[int, int], ...], reach: int = 0) -> str:
    """The sentences in which the spans lie, and `reach` more before and after each."""
    cut = sentences(text)
    chosen: set[int] = set()
    for start, end in spans:
        for n, (low, high) in enumerate(cut):
            if low < end and start < high:
                chosen |= set(range(max(0, n - reach), min(len(cut), n + reach + 1)))
    return " ".join(text[slice(*cut[n])] for n in sorted(chosen))


def before(text: str, start: int) -> str:
    """The sentence before the one in which a place lies; empty at the beginning of the text."""
    cut = [text[low:high] for low, high in sentences(text) if high <= start]
    return cut[-1] if cut else ""


def is_dead(status: str) -> bool:
    """Whether a value of `status` says that somebody is dead, without a doubt."""
    return DEAD.search(status) is not None and NOT_QUITE.search(status) is None
