"""How pages say how long ago something was, in the languages met most: words that change without an edit."""

from __future__ import annotations

from urlset.spec.lazy_pattern import lazy_pattern

_LEAD = r"(?:\w+[\s:,·\u2013-]{1,3}){0,2}"
"""such as `updated`, `zuletzt geändert:`"""
_COUNT = r"(?:\d+|an?|one|eine[mnr]?|une?|un[ao]?|éen|een|en|ett|um|uma)"
_AND = r"(?:\s(?:and|und|et|y|e|en|och|i)?\s?\d+\s\w+)?"

# casefolded, as fingerprints compare texts
_SAYINGS = (
    rf"{_COUNT}\s(?:second|minute|min|hour|hr|day|week|month|year)s?{_AND}\sago",
    rf"vor\s{_COUNT}\s(?:sekunde|minute|stunde|tag|woche|monat|jahr)(?:e?n)?{_AND}",
    rf"il\sy\sa\s{_COUNT}\s(?:seconde|minute|heure|jour|semaine|moi|an|année)s?{_AND}",
    rf"hace\s{_COUNT}\s(?:segundo|minuto|hora|día|semana|mes|año)(?:e?s)?{_AND}",
    rf"há\s{_COUNT}\s(?:segundo|minuto|hora|dia|semana|mês|mese|ano)s?{_AND}",
    rf"{_COUNT}\s(?:second[oi]|minut[oi]|or[ae]|giorn[oi]|settiman[ae]|mes[ei]|ann[oi]){_AND}\sfa",
    rf"{_COUNT}\s(?:seconden?|minu(?:ut|ten)|u(?:ur|ren)|dag(?:en)?|we(?:ek|ken)|maand(?:en)?|jaar|jaren){_AND}\sgeleden",
    rf"för\s{_COUNT}\s\w{{2,10}}{_AND}\ssedan",
    rf"for\s{_COUNT}\s\w{{2,10}}{_AND}\ssiden",
    rf"{_COUNT}\s\w{{2,10}}{_AND}\s(?:temu|назад|тому|önce|sitten)",
    rf"před\s{_COUNT}\s\w{{2,10}}{_AND}",
    r"\d+\s?(?:秒|分|分钟|時間|小时|日|天|週間|周|か月|个月|月|年)前",
)
SAYS_HOW_LONG_AGO = lazy_pattern(rf"{_LEAD}(?:{'|'.join(_SAYINGS)})[.!]?")
LONGEST = 60
"""characters; a longer text says more than that"""
