"""What pages say that changes without an edit, in the languages met most: how long ago, how often, when built."""

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
_COUNTED = (
    r"views?|visits?|reads?|comments?|likes?|shares?|claps?|reactions?|repl(?:y|ies)|followers?|downloads?|stars?"
    r"|aufrufe?|kommentare?|vues?|commentaires?|visitas?|comentarios?|visualizzazioni|commenti"
)
"""what a site counts, not a writer"""
_READ = r"(?:min(?:ute)?s?\.?\s(?:read(?:ing)?(?:\stime)?|lesezeit|de\s(?:lecture|lectura)|di\slettura))"
_CHANGED = (
    r"(?:(?:last|page|site|zuletzt|dernière|última|ultimo)\s)?(?:(?:was|is)\s)?(?:last\s)?"
    r"(?:updated|modified|edited|changed|revised|generated|built|rendered|compiled|deployed"
    r"|geändert|aktualisiert|erzeugt|bearbeitet|mise\sà\sjour|modifi(?:é|ée|cation)|actualización|actualizado"
    r"|aggiornamento|bijgewerkt|gewijzigd)"
)
_NAMED_TIME = (
    r"jan\w*|feb\w*|mar\w*|apr\w*|ma[iyg]\w*|jun\w*|jul\w*|aug\w*|sep\w*|o[ck]t\w*|nov\w*|de[cz]\w*|mon\w*|tue\w*"
    r"|wed\w*|thu\w*|fri\w*|sat\w*|sun\w*|janv\w*|févr\w*|mars|avril|juin|juil\w*|août|déc\w*|ene\w*|ago\w*|gen\w*"
    r"|mär\w*|on|at|am|um|le|à|el|il|the|pm|utc|gmt|z|t|h|uhr|de"
)
_WHEN = rf"(?:[\s:,./|()+-]|\d++(?:st|nd|rd|th)?|\b(?:{_NAMED_TIME})\b|(?<=\d)[tz](?=\d|$|\s))++"
_MOVING = (
    *_SAYINGS,
    rf"\d[\d.,'\u2019\s]*k?\s?(?:{_COUNTED})",
    rf"(?:{_COUNTED})\s?:?\s?\d[\d.,'\u2019]*k?",
    rf"\d+\s?{_READ}",
    rf"{_CHANGED}{_WHEN}",
    r"(?:copyright\s)?(?:©|\(c\)|copyright)\s?(?:19|20)\d\d\b[^!?]*",
    r"(?:build|commit|revision|rev)[\s:#]{1,2}[0-9a-f]{7,40}",
)
"""also a count of readers, the time to read, the day of a change, the year of a copyright and the commit of a build,
which a template writes"""
SAYS_HOW_LONG_AGO = lazy_pattern(rf"{_LEAD}(?:{'|'.join(_MOVING)})[.!]?")
LONGEST = 60
"""characters; a longer text says more than that"""
