"""Words cut to what their forms share, and words that say nothing about where to look."""

from __future__ import annotations

import re
from functools import lru_cache

_SHORTEST = 4
# German endings stand beside the English ones, because a backlog mixes both.
_ENDINGS_WORDS = """
ations ation ators ator ating ated ates ate ingly ings ing edly ed ies ied ier iers ions ion ers er ors
or ments ment ities ity ization ize ized izes ises ised ise ables able ibles ible ally ly ness es e s y
ungen ung en isch ische ischen lich liche lichen keit heit
"""
# Longest first.
_ENDINGS = tuple(sorted(_ENDINGS_WORDS.split(), key=lambda ending: (-len(ending), ending)))
_DOUBLED = re.compile(r"([bdgmnprt])\1$")

_ENGLISH = """
a about above across after again all also always an and another any anybody anyone anything are aren't
around as at away back be became because become been before being below between both but by came can
can't cannot come comes could did didn't do does doesn't doing don't done down each either else enough
etc even ever every everybody everyone everything far few for from further gave get gets getting give
given gives go goes going gone got had has have haven't having he her here hers him his how however i if
in instead into is isn't it its itself just keep kept know known last later least less let like likely
long look looks lot made make makes making many may maybe me might more most much must my near need
needed needs never new next no nobody none nor not nothing now of off often old on once one only onto or
other others our out over own per perhaps please put quite rather really right said same say says see
seem seems seen shall she should since so some somebody someone something sometimes soon still such sure
take taken takes than that that's the their them then there these they they're thing things this those
though through time times to together too toward two under until up upon us use used uses using very via
want wants was way we well went were what when where whether which while who whole whom whose why will
with within without won't would yes yet you your
"""
# What a change does says little about where: these are the verbs of every backlog.
_CHANGE = """
add added adding adds allow allowed allows avoid avoids better bug bugfix bugs bump change changed
changes chore clean cleanup correct correctly deal do drop dropped enable enables ensure ensures example
expected feat feature features fix fixed fixes fixing follow handle handled handles handling implement
implemented implements improve improved improvement improvements improves incorrect incorrectly introduce
issue issues merge minor misc missing move moved moves nicer nit perf possible prevent prevents problem
properly provide provides pull refactor refactored refactoring refine release remove removed removes
removing rename renamed replace replaced request restore revert rework rewrite separate show simplify
small some story support supported supporting supports ticket todo tweak tweaks unable unify unnecessary
update updated updates updating user users wip work working works wrong
"""
_GERMAN = """
aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin bis
bisher bist da dabei damit dann das dass daß dazu dein deine dem den denn der des dessen die dies diese
diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines einige er es etwas euch
euer für gegen geht gibt hab haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem
ihren ihrer im in indem ins ist ja jede jedem jeden jeder jedes jetzt kann kannst kein keine keinen
können könnte lassen machen macht man manche mehr mein meine mich mir mit muss musste müssen nach nachdem
nicht nichts noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner seit sich sie sind so
soll sollen sollte sollten sondern sonst über um und uns unser unsere unter viel vom von vor war waren
warum was weil weiter welche welchem welchen welcher wenn wer werde werden wie wieder will wird wo wollen
wurde wurden während würde zu zum zur zwar zwischen ändern anpassen einbauen entfernen erlauben fehler
funktioniert hinzufügen korrigieren neu neue neuen neuer neues nutzer unterstützen verbessern
"""
STOP_WORDS = frozenset(_ENGLISH.split()) | frozenset(_CHANGE.split()) | frozenset(_GERMAN.split())


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The beginning that the word's forms share: `caching` and `cached` give `cach`."""
    word = word.lower()
    if not word.isalpha():
        return word
    # Twice, so that `rendering` and `render` meet.
    return _cut(_cut(word))


def _cut(word: str) -> str:
    if word.endswith("ss"):
        return word
    if len(word) == _SHORTEST:
        return word.removesuffix("s")
    for ending in _ENDINGS:
        # A German plural looks like the end of many an English word: listen, broken.
        least = _SHORTEST + (ending == "en")
        if word.endswith(ending) and len(word) - len(ending) >= least:
            return _DOUBLED.sub(r"\1", word[: -len(ending)])
    return word
