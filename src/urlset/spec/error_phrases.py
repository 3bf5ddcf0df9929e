"""Languages → how error pages and empty lists put it in words, and the marks that site software leaves on them."""

# ruff: noqa: RUF001 - words in other scripts are what this file is about

from __future__ import annotations

import re
from functools import cache

_THING = r"\b(?:page|product|article|item|content|listing|post|ad|offer|job|file|document)\b"
_THINGS = "(?:results|products|items|posts|articles|entries|listings|matches|records|offers|jobs)"

_ERROR = (
    r"(?:error|fehler|erreur|errore|erro|fout|\bfel\b|feil|fejl|błąd|chyba|hiba|ошибка|помилка|грешка|hata|virhe|eroare"
    r"|σφάλμα|エラー|错误|錯誤|오류|lỗi|خطأ|שגיאה|kesalahan)"
)

# Regular expressions over case-folded text. Each means "this page is missing", not that an item is.
NOT_FOUND: dict[str, tuple[str, ...]] = {
    "any": (rf"{_ERROR}.{{0,6}}\b4(?:04|10)\b|\b4(?:04|10)\b.{{0,6}}{_ERROR}",),
    "en": (
        r"\bnot (?:be )?found\b",
        rf"{_THING}.{{0,50}}\bno longer (?:available|exists?|here)",
        rf"{_THING}.{{0,40}}\b(?:doesn['’]t|does not|did not) exist",
        rf"{_THING}.{{0,40}}\b(?:been|was) (?:removed|deleted|taken down)",
        r"\b(?:can['’]?t|cannot|couldn['’]t|could not|unable to)(?: seem to)? (?:find|locate) (?:th\w+|your|what)\b",
        r"\bno such (?:page|file|product|article)",
        r"\b(?:page|product|content|listing) (?:is )?(?:missing|unavailable)\b",
    ),
    "de": (
        r"\bnicht (?:auf)?gefunden\b|\bnicht (?:mehr )?(?:verfügbar|vorhanden)\b",
        r"\b(?:seite|artikel|produkt|inhalt|angebot)\b.{0,40}\b(?:existiert|gibt es)\b.{0,20}\bnicht\b",
    ),
    "fr": (
        r"\b(?:page|article|produit|contenu|fichier)\b.{0,30}\b(?:introuvable|non trouvée?|inexistante?)",
        r"\bn['’]existe (?:pas|plus)\b|\bn['’](?:a pas été|avons pas|avons pu)(?: pu)? trouv",
        r"\bn['’]est plus (?:disponible|en ligne)\b",
    ),
    "es": (
        r"\b(?:página|producto|artículo|contenido)\b.{0,30}\bno (?:se ha )?(?:encontrad[ao]|existe|disponible)",
        r"\bno (?:encontrad[ao]|encontramos|(?:pudimos|podemos|hemos podido|se ha podido|se pudo) encontrar)\b",
        r"\bya no (?:existe|está disponible)\b",
    ),
    "pt": (
        r"\bnão (?:foi )?encontrad[ao]\b|\bnão existe\b|\bjá não (?:existe|está disponível)\b",
        r"\bnão está mais disponível\b|\bnão (?:conseguimos|foi possível|pudemos) encontrar\b",
    ),
    "it": (
        r"\bnon (?:riusciamo a|siamo riusciti a|abbiamo|è stato possibile) trova",
        r"\bnon (?:è stat[ao] )?trovat[ao]\b|\bnon esiste\b|\bnon è più disponibile\b|\bpagina inesistente\b",
    ),
    "nl": (r"\b(?:niet gevonden|niet vinden|er niet meer)\b|\bbestaat niet\b|\bniet (?:meer )?beschikbaar\b",),
    "sv": (r"\b(?:hittades inte|hittas inte|kunde inte hittas|finns inte|hittar inte sidan|inte hitta sidan)\b",),
    "da": (r"\b(?:ikke fundet|blev ikke fundet|findes ikke|kunne ikke findes|eksisterer ikke)\b",),
    "no": (r"\b(?:ikke funnet|ble ikke funnet|finnes ikke|fant ikke siden|fant vi ikke)\b",),
    "fi": (r"\b(?:sivua ei löyt|ei löytynyt|ei löydy|ei ole enää)",),
    "pl": (r"\bnie (?:została )?znalezion|\bnie istnieje\b|\bnie odnaleziono\b|\bnie jest już dostępn",),
    "cs": (r"\b(?:nenalezen|nenašli|nelze najít|nebyla nalezena|neexistuje|nebyl nalezen|již není k dispozici)",),
    "sk": (r"\b(?:nenájden|nebola nájdená|už nie je k dispozícii)",),
    "hu": (r"\bnem található\b|\bnem létezik\b|\bnem talált",),
    "ro": (r"\bnu a fost găsit|\bnu există\b|\bnu mai este disponibil|\bpagina negăsită",),
    "bg": (r"не е намерена|не беше намерена|не съществува|страницата липсва",),
    "el": (r"δεν βρέθηκε|δεν υπάρχει",),
    "tr": (r"\bbulunamadı\b|\bbulunamamıştır\b|\bmevcut değil\b",),
    "ru": (r"не найден|не существует|страница удалена|больше не доступн|недоступна$",),
    "uk": (r"не знайден|не існує|сторінку видалено",),
    "ar": (r"غير موجود|لم يتم العثور|الصفحة غير متاح",),
    "he": (r"לא נמצא|אינו קיים|לא קיים",),
    "fa": (r"یافت نشد|پیدا نشد|وجود ندارد",),
    "hi": (r"नहीं मिल|मौजूद नहीं",),
    "zh": (
        r"(?:页面|頁面|网页|網頁|文章|商品|内容|內容).{0,8}(?:不存在|找不到|未找到|没有找到|已删除|已刪除|已下架)",
        r"(?:找不到|未找到|无法找到|無法找到).{0,10}(?:页面|頁面|网页|網頁|文章|商品)",
    ),
    "ja": (
        r"(?:ページ|商品|記事).{0,14}(?:見つかりません|見つかりませんでした|存在しません|ございません)|お探しのページ",
    ),
    "ko": (r"(?:페이지|상품|글).{0,12}(?:찾을 수 없|존재하지 않|없습니다)",),
    "vi": (r"không (?:tìm thấy|tồn tại)",),
    "th": (r"ไม่พบหน้า|ไม่พบสินค้า|ไม่มีหน้านี้",),
    "id": (r"\btidak ditemukan\b|\btidak tersedia lagi\b",),
}

# "This list has nothing in it."
EMPTY_LIST: dict[str, tuple[str, ...]] = {
    "any": (r"^\(?0 \w+\)?$",),
    "en": (
        rf"\bno {_THINGS}(?: found|[.!]|$)",
        rf"\bno {_THINGS} (?:were|are|have been|match|available|yet|in this|here|to (?:show|display))\b",
        r"\b(?:nothing (?:was )?found|0 (?:results|products|items|articles)|nothing here yet)\b",
        r"\bthere are (?:currently )?no (?:products|items|posts|results|articles|listings|offers)",
        r"\bthis (?:category|collection|list|archive) is empty\b",
        r"\b(?:didn['’]t|did not|couldn['’]t|could not) (?:match|find) any(?:thing)?\b",
    ),
    "de": (
        r"\bkeine? (?:passenden )?(?:ergebnisse|produkte|artikel|treffer|einträge|beiträge|angebote)\b",
        r"\b0 (?:ergebnisse|produkte|artikel|treffer)\b",
    ),
    "fr": (r"\baucune? (?:résultat|produit|article|annonce|contenu)|\b0 (?:résultats?|produits?|articles?)\b",),
    "es": (
        r"\bno (?:hay|se (?:han )?encontr\w+) (?:resultados|productos|artículos|entradas)",
        r"\bningún (?:resultado|producto)|\b0 (?:resultados|productos)\b",
    ),
    "pt": (
        r"\bnenhum (?:resultado|produto|artigo|item)|\bnão há (?:resultados|produtos)|\b0 (?:resultados|produtos)\b",
    ),
    "it": (
        r"\bnessun (?:risultato|prodotto|articolo)|\bnon ci sono (?:prodotti|risultati)|\b0 (?:risultati|prodotti)\b",
    ),
    "nl": (r"\bgeen (?:resultaten|producten|artikelen)\b|\b0 (?:resultaten|producten)\b",),
    "sv": (r"\b(?:inga (?:resultat|produkter|träffar|artiklar)|0 (?:träffar|produkter))\b",),
    "da": (r"\b(?:ingen (?:resultater|produkter|varer)|0 (?:produkter|resultater|varer))\b",),
    "fi": (r"\bei (?:tuloksia|tuotteita|hakutuloksia)\b",),
    "pl": (r"\b(?:brak|nie znaleziono|0) (?:wyników|produktów|artykułów)\b",),
    "cs": (r"\bžádné (?:výsledky|produkty|zboží)\b",),
    "hu": (r"\bnincs(?:enek)? (?:találat|termék)",),
    "ro": (r"\bnu (?:sunt|există|au fost găsite) (?:produse|rezultate)|\bniciun (?:produs|rezultat)",),
    "el": (r"δεν βρέθηκαν",),
    "tr": (r"\b(?:sonuç|ürün) (?:bulunamadı|yok)\b|\bhiçbir (?:sonuç|ürün)\b",),
    "ru": (r"ничего не найдено|нет (?:товаров|результатов|записей)|0 товаров|товаров не найдено",),
    "uk": (r"нічого не знайдено|немає (?:товарів|результатів)",),
    "ar": (r"لا توجد (?:نتائج|منتجات)",),
    "he": (r"אין (?:תוצאות|מוצרים)|לא נמצאו",),
    "zh": (r"(?:没有|沒有|暂无|暫無)(?:找到)?(?:相关|相關|任何)?(?:结果|結果|商品|产品|產品|文章|内容|內容|数据)",),
    "ja": (r"(?:商品|検索結果|記事|該当).{0,12}(?:ありません|見つかりません)|0件",),
    "ko": (r"(?:검색 결과|상품)(?:가|이)? 없습니다",),
    "vi": (r"không có (?:kết quả|sản phẩm)",),
    "th": (r"ไม่มีสินค้า|ไม่พบผลลัพธ์",),
    "id": (r"\btidak ada (?:hasil|produk)\b",),
}

# "The site is broken", which a page that is there does not say either.
FAILED: tuple[str, ...] = (
    r"\b(?:internal server|fatal|application|runtime|unhandled|database) (?:error|exception)\b|\buncaught exception\b",
    r"\berror establishing a database connection\b|\b(?:could not|unable to) connect to (?:the )?(?:database|server)\b",
    r"\b(?:an (?:unexpected )?error (?:has )?occurred|something (?:went|has gone) wrong)\b",
    r"\bservice (?:temporarily )?unavailable\b|\bbad gateway\b|\bdown for maintenance\b|\bbriefly unavailable\b",
    r"\binterner (?:server-?)?fehler\b|\bein (?:unerwarteter )?fehler ist aufgetreten\b|\bwartungsarbeiten\b",
    r"\bune erreur (?:inattendue )?(?:est survenue|s['’]est produite)\b|\bse ha producido un error\b",
    r"\bsi è verificato un errore\b|\bocorreu um erro\b|\ber is een fout opgetreden\b|\bwystąpił błąd\b",
    r"произошла ошибка|внутренняя ошибка сервера|服务器错误|サーバーエラー|エラーが発生しました|오류가 발생했습니다",
)

TEMPLATE_MARK = re.compile(
    rb"[\"'\s](?:error-?404|error-page-404|page-?not-?found|pagenotfound|not-found-page|cms-no-?route(?:-index)?"
    rb"|template-404|page-404|http-error-404|is-404|notfound404)[\"'\s]",
    re.IGNORECASE,
)
"""In the body tag: what site software writes there on its error page."""

STATE_MARKS = (b'"page":"/404"', b'"page":"/_error"', b'id="__next_error__"', b'"statusCode":404', b"statusCode:404")
"""In the state that a framework leaves in the page for its scripts."""


@cache
def says_not_found() -> re.Pattern[str]:
    """Searched in case-folded text; compiled when first needed."""
    return _any_of({**NOT_FOUND, "failed": FAILED})


@cache
def says_empty() -> re.Pattern[str]:
    return _any_of(EMPTY_LIST)


def _any_of(table: dict[str, tuple[str, ...]]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for patterns in table.values() for pattern in patterns))


# HTTP status codes → their reason phrases, as RFC 9110 and RFC 6585 name them.

PHRASES = {
    204: "No Content", 206: "Partial Content",
    300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 307: "Temporary Redirect",
    308: "Permanent Redirect",
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    406: "Not Acceptable", 408: "Request Timeout", 410: "Gone", 429: "Too Many Requests",
    451: "Unavailable For Legal Reasons", 500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable",
    504: "Gateway Timeout",
}  # fmt: skip


STATUS_CODES = frozenset(map(str, (200, 304, *range(520, 527), *PHRASES)))
"""what a column of status codes holds; the 52x are those of Cloudflare"""


def status_text(status: int) -> str:
    """`404 Not Found`, or `status 499`."""
    return f"{status} {PHRASES[status]}" if status in PHRASES else f"status {status}"
