"""Region codes of ISO 3166-1: assigned, reserved, and what people mean by the reserved ones."""

from __future__ import annotations

from enum import StrEnum

import msgspec

CITES = ("iso-3166", "google-hreflang")

_ISO_3166_1 = """
AD Andorra; AE United Arab Emirates; AF Afghanistan; AG Antigua and Barbuda; AI Anguilla; AL Albania;
AM Armenia; AO Angola; AQ Antarctica; AR Argentina; AS American Samoa; AT Austria; AU Australia;
AW Aruba; AX Åland Islands; AZ Azerbaijan; BA Bosnia and Herzegovina; BB Barbados; BD Bangladesh;
BE Belgium; BF Burkina Faso; BG Bulgaria; BH Bahrain; BI Burundi; BJ Benin; BL Saint Barthélemy;
BM Bermuda; BN Brunei; BO Bolivia; BQ Bonaire, Sint Eustatius and Saba; BR Brazil; BS Bahamas;
BT Bhutan; BV Bouvet Island; BW Botswana; BY Belarus; BZ Belize; CA Canada; CC Cocos (Keeling) Islands;
CD Democratic Republic of the Congo; CF Central African Republic; CG Republic of the Congo;
CH Switzerland; CI Côte d'Ivoire; CK Cook Islands; CL Chile; CM Cameroon; CN China; CO Colombia;
CR Costa Rica; CU Cuba; CV Cape Verde; CW Curaçao; CX Christmas Island; CY Cyprus; CZ Czechia;
DE Germany; DJ Djibouti; DK Denmark; DM Dominica; DO Dominican Republic; DZ Algeria; EC Ecuador;
EE Estonia; EG Egypt; EH Western Sahara; ER Eritrea; ES Spain; ET Ethiopia; FI Finland; FJ Fiji;
FK Falkland Islands; FM Micronesia; FO Faroe Islands; FR France; GA Gabon; GB United Kingdom;
GD Grenada; GE Georgia; GF French Guiana; GG Guernsey; GH Ghana; GI Gibraltar; GL Greenland; GM Gambia;
GN Guinea; GP Guadeloupe; GQ Equatorial Guinea; GR Greece;
GS South Georgia and the South Sandwich Islands; GT Guatemala; GU Guam; GW Guinea-Bissau; GY Guyana;
HK Hong Kong; HM Heard Island and McDonald Islands; HN Honduras; HR Croatia; HT Haiti; HU Hungary;
ID Indonesia; IE Ireland; IL Israel; IM Isle of Man; IN India; IO British Indian Ocean Territory;
IQ Iraq; IR Iran; IS Iceland; IT Italy; JE Jersey; JM Jamaica; JO Jordan; JP Japan; KE Kenya;
KG Kyrgyzstan; KH Cambodia; KI Kiribati; KM Comoros; KN Saint Kitts and Nevis; KP North Korea;
KR South Korea; KW Kuwait; KY Cayman Islands; KZ Kazakhstan; LA Laos; LB Lebanon; LC Saint Lucia;
LI Liechtenstein; LK Sri Lanka; LR Liberia; LS Lesotho; LT Lithuania; LU Luxembourg; LV Latvia;
LY Libya; MA Morocco; MC Monaco; MD Moldova; ME Montenegro; MF Saint Martin; MG Madagascar;
MH Marshall Islands; MK North Macedonia; ML Mali; MM Myanmar; MN Mongolia; MO Macao;
MP Northern Mariana Islands; MQ Martinique; MR Mauritania; MS Montserrat; MT Malta; MU Mauritius;
MV Maldives; MW Malawi; MX Mexico; MY Malaysia; MZ Mozambique; NA Namibia; NC New Caledonia; NE Niger;
NF Norfolk Island; NG Nigeria; NI Nicaragua; NL Netherlands; NO Norway; NP Nepal; NR Nauru; NU Niue;
NZ New Zealand; OM Oman; PA Panama; PE Peru; PF French Polynesia; PG Papua New Guinea; PH Philippines;
PK Pakistan; PL Poland; PM Saint Pierre and Miquelon; PN Pitcairn; PR Puerto Rico; PS Palestine;
PT Portugal; PW Palau; PY Paraguay; QA Qatar; RE Réunion; RO Romania; RS Serbia; RU Russia; RW Rwanda;
SA Saudi Arabia; SB Solomon Islands; SC Seychelles; SD Sudan; SE Sweden; SG Singapore;
SH Saint Helena, Ascension and Tristan da Cunha; SI Slovenia; SJ Svalbard and Jan Mayen; SK Slovakia;
SL Sierra Leone; SM San Marino; SN Senegal; SO Somalia; SR Suriname; SS South Sudan;
ST Sao Tome and Principe; SV El Salvador; SX Sint Maarten; SY Syria; SZ Eswatini;
TC Turks and Caicos Islands; TD Chad; TF French Southern Territories; TG Togo; TH Thailand;
TJ Tajikistan; TK Tokelau; TL Timor-Leste; TM Turkmenistan; TN Tunisia; TO Tonga; TR Türkiye;
TT Trinidad and Tobago; TV Tuvalu; TW Taiwan; TZ Tanzania; UA Ukraine; UG Uganda;
UM United States Minor Outlying Islands; US United States; UY Uruguay; UZ Uzbekistan; VA Vatican City;
VC Saint Vincent and the Grenadines; VE Venezuela; VG British Virgin Islands;
VI United States Virgin Islands; VN Vietnam; VU Vanuatu; WF Wallis and Futuna; WS Samoa; YE Yemen;
YT Mayotte; ZA South Africa; ZM Zambia; ZW Zimbabwe
"""


class Reservation(StrEnum):
    """Why a code that is not assigned is still not free."""

    EXCEPTIONAL = "exceptional"  # kept at someone's request
    TRANSITIONAL = "transitional"  # of a country that is gone or renamed
    USER = "user-assigned"  # in common use without ISO's blessing


class ReservedRegion(msgspec.Struct, frozen=True):
    """A two-letter code that looks like a country and is not an assigned one."""

    code: str
    reservation: Reservation
    meant: str
    instead: tuple[str, ...] = ()  # assigned codes that say it; one of them only when unambiguous


# Two-letter code → English name.
REGIONS: dict[str, str] = {entry[:2]: entry[3:] for entry in _ISO_3166_1.strip().replace("\n", " ").split("; ")}

RESERVED: dict[str, ReservedRegion] = {
    region.code: region
    for region in (
        ReservedRegion("AC", Reservation.EXCEPTIONAL, "Ascension Island", ("SH",)),
        ReservedRegion("CP", Reservation.EXCEPTIONAL, "Clipperton Island", ("FR",)),
        ReservedRegion("CQ", Reservation.EXCEPTIONAL, "Sark", ("GG",)),
        ReservedRegion("DG", Reservation.EXCEPTIONAL, "Diego Garcia", ("IO",)),
        ReservedRegion("EA", Reservation.EXCEPTIONAL, "Ceuta and Melilla", ("ES",)),
        ReservedRegion("EU", Reservation.EXCEPTIONAL, "European Union"),
        ReservedRegion("EZ", Reservation.EXCEPTIONAL, "Eurozone"),
        ReservedRegion("FX", Reservation.EXCEPTIONAL, "Metropolitan France", ("FR",)),
        ReservedRegion("IC", Reservation.EXCEPTIONAL, "Canary Islands", ("ES",)),
        ReservedRegion("SU", Reservation.EXCEPTIONAL, "Soviet Union"),
        ReservedRegion("TA", Reservation.EXCEPTIONAL, "Tristan da Cunha", ("SH",)),
        ReservedRegion("UK", Reservation.EXCEPTIONAL, "United Kingdom", ("GB",)),
        ReservedRegion("UN", Reservation.EXCEPTIONAL, "United Nations"),
        ReservedRegion("AN", Reservation.TRANSITIONAL, "Netherlands Antilles", ("BQ", "CW", "SX")),
        ReservedRegion("BU", Reservation.TRANSITIONAL, "Burma", ("MM",)),
        ReservedRegion("CS", Reservation.TRANSITIONAL, "Serbia and Montenegro", ("RS", "ME")),
        ReservedRegion("NT", Reservation.TRANSITIONAL, "Neutral Zone", ("IQ", "SA")),
        ReservedRegion("TP", Reservation.TRANSITIONAL, "East Timor", ("TL",)),
        ReservedRegion("YU", Reservation.TRANSITIONAL, "Yugoslavia", ("RS", "ME")),
        ReservedRegion("ZR", Reservation.TRANSITIONAL, "Zaire", ("CD",)),
        ReservedRegion("XK", Reservation.USER, "Kosovo"),
    )
}

# Three-digit areas such as 419 (Latin America) are legal in language tags; no engine reads them in hreflang.
UN_M49_DIGITS = 3
UN_M49_CITES = ("un-m49", "google-hreflang")
