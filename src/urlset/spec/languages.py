"""Codes of languages (ISO 639), scripts (ISO 15924), and regions (ISO 3166, UN M49)."""

from __future__ import annotations

from enum import StrEnum

import msgspec

# Script codes of ISO 15924, the middle part of tags like zh-Hant-TW.

SCRIPTS_CITES = ("iso-15924", "google-hreflang")

_ISO_15924 = """
Adlm Afak Aghb Ahom Arab Aran Armi Armn Avst Bali Bamu Bass Batk Beng Berf Bhks Blis Bopo Brah Brai Bugi
Buhd Cakm Cans Cari Cham Cher Chis Chrs Cirt Copt Cpmn Cprt Cyrl Cyrs Deva Diak Dogr Dsrt Dupl Egyd Egyh
Egyp Elba Elym Ethi Gara Geok Geor Glag Gong Gonm Goth Gran Grek Gujr Gukh Guru Hanb Hang Hani Hano Hans
Hant Hatr Hebr Hira Hluw Hmng Hmnp Hntl Hrkt Hung Inds Ital Jamo Java Jpan Jurc Kali Kana Kawi Khar Khmr
Khoj Kitl Kits Knda Kore Kpel Krai Kthi Lana Laoo Latf Latg Latn Leke Lepc Limb Lina Linb Lisu Loma Lyci
Lydi Mahj Maka Mand Mani Marc Maya Medf Mend Merc Mero Mlym Modi Mong Moon Mroo Mtei Mult Mymr Nagm Nand
Narb Nbat Newa Nkdb Nkgb Nkoo Nshu Ogam Olck Onao Orkh Orya Osge Osma Ougr Palm Pauc Pcun Pelm Perm Phag
Phli Phlp Phlv Phnx Piqd Plrd Prti Psin Ranj Rjng Rohg Roro Runr Samr Sara Sarb Saur Seal Sgnw Shaw Shrd
Shui Sidd Sidt Sind Sinh Sogd Sogo Sora Soyo Sund Sunu Sylo Syrc Syre Syrj Syrn Tagb Takr Tale Talu Taml
Tang Tavt Tayo Telu Teng Tfng Tglg Thaa Thai Tibt Tirh Tnsa Todr Tols Toto Tutg Ugar Vaii Visp Vith Wara
Wcho Wole Xpeo Xsux Yezi Yiii Zanb Zinh Zmth Zsye Zsym Zxxx Zyyy Zzzz
"""

# Written with a capital and three small letters; compare after `str.capitalize`.
SCRIPTS: frozenset[str] = frozenset(_ISO_15924.split())


# Region codes of ISO 3166-1: assigned, reserved, and what people mean by the reserved ones.

REGIONS_CITES = ("iso-3166", "google-hreflang")

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


def _names(table: str) -> dict[str, str]:
    return {entry[:2]: entry[3:] for entry in table.strip().replace("\n", " ").split("; ")}


# Two-letter code → English name.
REGIONS: dict[str, str] = _names(_ISO_3166_1)

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


CITES = ("iso-639", "rfc5646", "google-hreflang")

_ISO_639_1 = """
aa Afar; ab Abkhazian; ae Avestan; af Afrikaans; ak Akan; am Amharic; an Aragonese; ar Arabic;
as Assamese; av Avaric; ay Aymara; az Azerbaijani; ba Bashkir; be Belarusian; bg Bulgarian; bi Bislama;
bm Bambara; bn Bengali; bo Tibetan; br Breton; bs Bosnian; ca Catalan; ce Chechen; ch Chamorro;
co Corsican; cr Cree; cs Czech; cu Church Slavonic; cv Chuvash; cy Welsh; da Danish; de German;
dv Divehi; dz Dzongkha; ee Ewe; el Greek; en English; eo Esperanto; es Spanish; et Estonian; eu Basque;
fa Persian; ff Fulah; fi Finnish; fj Fijian; fo Faroese; fr French; fy Western Frisian; ga Irish;
gd Scottish Gaelic; gl Galician; gn Guarani; gu Gujarati; gv Manx; ha Hausa; he Hebrew; hi Hindi;
ho Hiri Motu; hr Croatian; ht Haitian Creole; hu Hungarian; hy Armenian; hz Herero; ia Interlingua;
id Indonesian; ie Interlingue; ig Igbo; ii Sichuan Yi; ik Inupiaq; io Ido; is Icelandic; it Italian;
iu Inuktitut; ja Japanese; jv Javanese; ka Georgian; kg Kongo; ki Kikuyu; kj Kuanyama; kk Kazakh;
kl Greenlandic; km Khmer; kn Kannada; ko Korean; kr Kanuri; ks Kashmiri; ku Kurdish; kv Komi;
kw Cornish; ky Kyrgyz; la Latin; lb Luxembourgish; lg Ganda; li Limburgish; ln Lingala; lo Lao;
lt Lithuanian; lu Luba-Katanga; lv Latvian; mg Malagasy; mh Marshallese; mi Maori; mk Macedonian;
ml Malayalam; mn Mongolian; mr Marathi; ms Malay; mt Maltese; my Burmese; na Nauruan;
nb Norwegian Bokmål; nd North Ndebele; ne Nepali; ng Ndonga; nl Dutch; nn Norwegian Nynorsk;
no Norwegian; nr South Ndebele; nv Navajo; ny Chichewa; oc Occitan; oj Ojibwa; om Oromo; or Odia;
os Ossetian; pa Punjabi; pi Pali; pl Polish; ps Pashto; pt Portuguese; qu Quechua; rm Romansh;
rn Kirundi; ro Romanian; ru Russian; rw Kinyarwanda; sa Sanskrit; sc Sardinian; sd Sindhi;
se Northern Sami; sg Sango; si Sinhala; sk Slovak; sl Slovenian; sm Samoan; sn Shona; so Somali;
sq Albanian; sr Serbian; ss Swati; st Southern Sotho; su Sundanese; sv Swedish; sw Swahili; ta Tamil;
te Telugu; tg Tajik; th Thai; ti Tigrinya; tk Turkmen; tl Tagalog; tn Tswana; to Tongan; tr Turkish;
ts Tsonga; tt Tatar; tw Twi; ty Tahitian; ug Uyghur; uk Ukrainian; ur Urdu; uz Uzbek; ve Venda;
vi Vietnamese; vo Volapük; wa Walloon; wo Wolof; xh Xhosa; yi Yiddish; yo Yoruba; za Zhuang; zh Chinese;
zu Zulu
"""

# Bibliographic code, "/" and terminology code where they differ, "=" and the two-letter code if any.
_ISO_639_2 = """
aar=aa abk=ab ace ach ada ady afa afh afr=af ain aka=ak akk alb/sqi=sq ale alg alt amh=am ang anp apa
ara=ar arc arg=an arm/hye=hy arn arp art arw asm=as ast ath aus ava=av ave=ae awa aym=ay aze=az bad bai
bak=ba bal bam=bm ban baq/eus=eu bas bat bej bel=be bem ben=bn ber bho bih bik bin bis=bi bla bnt bos=bs
bra bre=br btk bua bug bul=bg bur/mya=my byn cad cai car cat=ca cau ceb cel cha=ch chb che=ce chg
chi/zho=zh chk chm chn cho chp chr chu=cu chv=cv chy cmc cnr cop cor=kw cos=co cpe cpf cpp cre=cr crh
crp csb cus cze/ces=cs dak dan=da dar day del den dgr din div=dv doi dra dsb dua dum dut/nld=nl dyu
dzo=dz efi egy eka elx eng=en enm epo=eo est=et ewe=ee ewo fan fao=fo fat fij=fj fil fin=fi fiu fon
fre/fra=fr frm fro frr frs fry=fy ful=ff fur gaa gay gba gem geo/kat=ka ger/deu=de gez gil gla=gd gle=ga
glg=gl glv=gv gmh goh gon gor got grb grc gre/ell=el grn=gn gsw guj=gu gwi hai hat=ht hau=ha haw heb=he
her=hz hil him hin=hi hit hmn hmo=ho hrv=hr hsb hun=hu hup iba ibo=ig ice/isl=is ido=io iii=ii ijo
iku=iu ile=ie ilo ina=ia inc ind=id ine inh ipk=ik ira iro ita=it jav=jv jbo jpn=ja jpr jrb kaa kab kac
kal=kl kam kan=kn kar kas=ks kau=kr kaw kaz=kk kbd kha khi khm=km kho kik=ki kin=rw kir=ky kmb kok
kom=kv kon=kg kor=ko kos kpe krc krl kro kru kua=kj kum kur=ku kut lad lah lam lao=lo lat=la lav=lv lez
lim=li lin=ln lit=lt lol loz ltz=lb lua lub=lu lug=lg lui lun luo lus mac/mkd=mk mad mag mah=mh mai mak
mal=ml man mao/mri=mi map mar=mr mas may/msa=ms mdf mdr men mga mic min mis mkh mlg=mg mlt=mt mnc mni
mno moh mon=mn mos mul mun mus mwl mwr myn myv nah nai nap nau=na nav=nv nbl=nr nde=nd ndo=ng nds nep=ne
new nia nic niu nno=nn nob=nb nog non nor=no nqo nso nub nwc nya=ny nym nyn nyo nzi oci=oc oji=oj ori=or
orm=om osa oss=os ota oto paa pag pal pam pan=pa pap pau peo per/fas=fa phi phn pli=pi pol=pl pon por=pt
pra pro pus=ps que=qu raj rap rar roa roh=rm rom rum/ron=ro run=rn rup rus=ru sad sag=sg sah sai sal sam
san=sa sas sat scn sco sel sem sga sgn shn sid sin=si sio sit sla slo/slk=sk slv=sl sma sme=se smi smj
smn smo=sm sms sna=sn snd=sd snk sog som=so son sot=st spa=es srd=sc srn srp=sr srr ssa ssw=ss suk
sun=su sus sux swa=sw swe=sv syc syr tah=ty tai tam=ta tat=tt tel=te tem ter tet tgk=tg tgl=tl tha=th
tib/bod=bo tig tir=ti tiv tkl tlh tli tmh tog ton=to tpi tsi tsn=tn tso=ts tuk=tk tum tup tur=tr tut tvl
twi=tw tyv udm uga uig=ug ukr=uk umb und urd=ur uzb=uz vai ven=ve vie=vi vol=vo vot wak wal war was
wel/cym=cy wen wln=wa wol=wo xal xho=xh yao yap yid=yi yor=yo ypk zap zbl zen zgh zha=za znd zul=zu zun
zxx zza
"""


class WithdrawnLanguage(msgspec.Struct, frozen=True):
    """A two-letter code that ISO 639-1 no longer has."""

    code: str
    replacement: str | None  # None where no two-letter code took its place
    meant: str


# Two-letter code → English name.
LANGUAGES: dict[str, str] = _names(_ISO_639_1)
# Three-letter code, either form → its two-letter code, or None.
THREE_LETTER: dict[str, str | None] = {
    code: two or None
    for three, _, two in (word.partition("=") for word in _ISO_639_2.split())
    for code in three.split("/")
}

WITHDRAWN: dict[str, WithdrawnLanguage] = {
    code: WithdrawnLanguage(code, replacement, meant)
    for code, replacement, meant in (
        ("iw", "he", "Hebrew"),
        ("in", "id", "Indonesian"),
        ("ji", "yi", "Yiddish"),
        ("jw", "jv", "Javanese"),
        ("mo", "ro", "Moldavian, written as Romanian"),
        ("sh", "sr", "Serbo-Croatian, now Serbian, Croatian and Bosnian"),
        ("bh", None, "Bihari languages, now three-letter codes such as bho and mai"),
    )
}

# Region codes that people write for the language spoken there, where no language has that code
# (kr is Kanuri and be Belarusian, so neither is here).
REGION_FOR_LANGUAGE: dict[str, str] = {
    "cn": "zh",
    "cz": "cs",
    "dk": "da",
    "gr": "el",
    "ir": "fa",
    "jp": "ja",
    "kz": "kk",
    "mx": "es",
    "rs": "sr",
    "ua": "uk",
    "vn": "vi",
    "tj": "tg",
    "gb": "en",
    "us": "en",
    "au": "en",
    "nz": "en",
    "at": "de",
}

X_DEFAULT = "x-default"
# The only regional tags a news publication may carry.
NEWS_REGIONAL: tuple[str, ...] = ("zh-cn", "zh-tw")


# Two letters that are a rarely published language and a country many sell to.
COUNTRY_TRAPS = {"ch": "de-CH or fr-CH", "ie": "en-IE", "kr": "ko-KR", "sg": "en-SG"}
