"""Changes of state that rules can support: one module for each family, each with its small table of verbs."""

from __future__ import annotations

from collections.abc import Sequence

from services.extraction.offline.deltas.change import Change, Ground
from services.extraction.offline.deltas.fates import fates
from services.extraction.offline.deltas.feelings import feelings
from services.extraction.offline.deltas.kinship import kinship
from services.extraction.offline.deltas.minds import minds
from services.extraction.offline.deltas.occupations import occupations
from services.extraction.offline.deltas.possession import possession
from services.extraction.offline.deltas.questions import questions
from services.extraction.offline.deltas.telling import telling
from services.extraction.offline.deltas.vows import vows
from services.extraction.offline.deltas.whereabouts import whereabouts
from services.extraction.offline.speakers import Utterance

__all__ = ["Change", "Ground", "changes"]


def changes(ground: Ground, utterances: Sequence[Utterance]) -> list[Change]:
    """All changes of a chapter, in order of place within each family; each says once what its evidence says."""
    found = [
        *whereabouts(ground),
        *possession(ground),
        *fates(ground),
        *kinship(ground, utterances),
        *occupations(ground),
        *feelings(ground),
        *minds(ground),
        *telling(ground, utterances),
        *vows(ground, utterances),
        *questions(ground, utterances),
    ]
    return list({(change.kind, repr(sorted(change.fields.items()))): change for change in reversed(found)}.values())[
        ::-1
    ]
