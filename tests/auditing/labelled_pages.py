"""A seed → small sites with labelled pages: missing ones sent as 200, thin ones, good ones, and many that only look so.

The wording is written for this file, the way sites put it, and owes nothing to the lists that the detectors use.
"""

from __future__ import annotations

import random
from typing import NamedTuple

WORDS = {
    "en": "river market stone bridge morning harbour paper window garden letter winter road the and of with from over "
    "between small large old quiet bright early always seldom people children traders build carry watch remember",
    "de": "Fluss Markt Stein Brücke Morgen Hafen Papier Fenster Garten Brief Winter Straße der die das und mit über "
    "zwischen klein groß alt ruhig hell früh immer selten Leute Kinder Händler bauen tragen sehen erinnern",
    "fr": "rivière marché pierre pont matin port papier fenêtre jardin lettre hiver route le la et avec sur entre "
    "petit grand vieux calme clair tôt toujours rarement gens enfants marchands bâtir porter regarder rappeler",
    "es": "río mercado piedra puente mañana puerto papel ventana jardín carta invierno camino el la y con sobre entre "
    "pequeño grande viejo tranquilo claro temprano siempre gente niños comerciantes construir llevar mirar",
    "it": "fiume mercato pietra ponte mattina porto carta finestra giardino lettera inverno strada il la e con su tra "
    "piccolo grande vecchio calmo chiaro presto sempre gente bambini mercanti costruire portare guardare",
    "nl": "rivier markt steen brug ochtend haven papier raam tuin brief winter weg de het en met over tussen klein "
    "groot oud rustig helder vroeg altijd mensen kinderen handelaren bouwen dragen kijken herinneren",
    "pl": "rzeka rynek kamień most rano port papier okno ogród list zima droga i z nad między mały duży stary cichy "
    "jasny wcześnie zawsze rzadko ludzie dzieci kupcy budować nosić patrzeć pamiętać",
    "ru": "река рынок камень мост утро гавань бумага окно сад письмо зима дорога и с над между маленький большой "
    "старый тихий светлый рано всегда редко люди дети торговцы строить нести смотреть помнить",
    "tr": "nehir pazar taş köprü sabah liman kağıt pencere bahçe mektup kış yol ve ile üzerinde arasında küçük büyük "
    "eski sessiz parlak erken her zaman nadiren insanlar çocuklar tüccarlar yapmak taşımak bakmak",
    "sv": "flod marknad sten bro morgon hamn papper fönster trädgård brev vinter väg och med över mellan liten stor "
    "gammal tyst ljus tidig alltid sällan folk barn handlare bygga bära titta minnas",
    "pt": "rio mercado pedra ponte manhã porto papel janela jardim carta inverno estrada o a e com sobre entre pequeno "
    "grande velho calmo claro cedo sempre raramente gente crianças comerciantes construir levar olhar",
    "cs": "řeka trh kámen most ráno přístav papír okno zahrada dopis zima cesta a s nad mezi malý velký starý tichý "
    "jasný brzy vždy zřídka lidé děti obchodníci stavět nosit dívat pamatovat",
    "ja": "川 市場 石 橋 朝 港 紙 窓 庭 手紙 冬 道 小さい 大きい 古い 静か 明るい 早い いつも 人々 子供 商人"
    " 建てる 運ぶ 見る 覚える",
    "zh": "河流 市场 石头 桥梁 早晨 港口 纸张 窗户 花园 信件 冬天 道路 小小 大大 古老 安静 明亮 很早 总是 人们 孩子"
    " 商人 建造 搬运 观看",
}
SPACELESS = frozenset({"ja", "zh"})

# (title, heading, text); {path} is the address asked for
ERRORS = {
    "en": (
        ("Page not found", "Page not found", "Sorry, but {path} is not on this server."),
        ("Oops", "This page has wandered off", "We looked everywhere but could not find the page you wanted."),
        ("Error 404", "404", "The link you followed may be broken, or the page may have been removed."),
        ("Not available", "Sorry!", "This item is no longer available. It may be sold already."),
        ("Hmm", "Nothing lives here", "Check the spelling of the address or start again from the front page."),
    ),
    "de": (
        ("Seite nicht gefunden", "Ups, hier ist nichts", "Die gewünschte Seite konnte nicht gefunden werden."),
        ("Fehler 404", "Fehler 404", "Unter dieser Adresse gibt es bei uns leider nichts."),
        ("Hoppla", "Da ist etwas schiefgelaufen", "Der Artikel ist nicht mehr verfügbar oder wurde verschoben."),
    ),
    "fr": (
        ("Page introuvable", "Oups, page introuvable", "La page {path} n'existe pas ou n'existe plus."),
        ("Erreur", "Erreur 404", "Le lien que vous avez suivi est peut-être périmé."),
    ),
    "es": (
        ("Página no encontrada", "¡Vaya!", "La página que buscas no existe o ha cambiado de sitio."),
        ("Error 404", "No encontramos esta página", "Comprueba la dirección o vuelve al inicio."),
    ),
    "it": (
        ("Pagina non trovata", "Pagina non trovata", "Spiacenti, la pagina richiesta non esiste."),
        ("Errore 404", "Ops!", "Il contenuto cercato non è più disponibile."),
    ),
    "nl": (
        ("Pagina niet gevonden", "Oeps", "De pagina {path} bestaat niet (meer)."),
        ("Fout 404", "Fout 404", "Deze pagina kon niet worden gevonden."),
    ),
    "pl": (("Nie znaleziono strony", "Błąd 404", "Strona, której szukasz, nie istnieje."),),
    "ru": (
        ("Страница не найдена", "Страница не найдена", "Возможно, она была удалена или перенесена."),
        ("Ошибка 404", "Упс", "Такой страницы не существует."),
    ),
    "tr": (("Sayfa bulunamadı", "Üzgünüz", "Aradığınız sayfa bulunamadı veya kaldırılmış olabilir."),),
    "sv": (("Sidan hittades inte", "Hoppsan", "Sidan du letar efter finns inte längre."),),
    "pt": (("Página não encontrada", "Erro 404", "A página que procura não existe ou foi removida."),),
    "cs": (("Stránka nenalezena", "Chyba 404", "Požadovaná stránka neexistuje."),),
    "ja": (("ページが見つかりません", "404", "お探しのページは移動または削除された可能性があります。"),),
    "zh": (("页面不存在", "抱歉", "您访问的页面不存在或已被删除。"),),
}
EMPTY = {
    "en": ("There are no products in this category yet.", "Your search did not match any articles."),
    "de": ("Es wurden keine Produkte gefunden.", "In dieser Kategorie gibt es noch keine Artikel."),
    "fr": ("Aucun produit ne correspond à votre sélection.",),
    "es": ("No hay productos en esta categoría.",),
    "it": ("Nessun prodotto in questa categoria.",),
    "nl": ("Er zijn geen producten gevonden.",),
    "pl": ("Brak produktów w tej kategorii.",),
    "ru": ("В этой категории пока нет товаров.",),
    "sv": ("Inga produkter hittades i kategorin.",),
    "pt": ("Não há produtos nesta categoria.",),
    "zh": ("没有找到相关商品。",),
    "ja": ("該当する商品はありません。",),
}
# Written after the weights were set. What the first run on these showed, and what was mended, is told in
# docs/audit-quality.md.
OTHER_ERRORS = {
    "en": (
        ("Whoops! Wrong turn", "You have reached a dead end", "That page doesn't exist. Maybe it never did."),
        ("File not found", "Object not found!", "The requested URL was not found on this server."),
        ("Listing removed", "This listing has been removed", "Its owner took it down. See similar homes instead."),
        ("Our site", "Well, this is awkward", "We cannot seem to find what you are after."),
    ),
    "de": (
        ("Seite existiert nicht", "Huch!", "Diese Seite existiert leider nicht."),
        ("Anzeige gelöscht", "Anzeige gelöscht", "Die gesuchte Anzeige wurde vom Anbieter gelöscht."),
        ("404 - Nicht gefunden", "Nicht gefunden", "Prüfen Sie bitte die Schreibweise der Adresse."),
    ),
    "fr": (
        ("Oups", "Cette page a disparu", "Nous n'avons pas trouvé la page demandée."),
        ("Annonce désactivée", "Cette annonce n'est plus en ligne", "Elle n'est plus disponible."),
    ),
    "es": (("Ups", "Página perdida", "Lo sentimos, esta página ya no está disponible."),),
    "it": (("Oops", "Ci dispiace", "Non riusciamo a trovare la pagina che cerchi."),),
    "nl": (("Helaas", "Helaas, deze pagina is er niet meer", "Ga terug naar de startpagina."),),
    "pl": (("Ups", "Strona nie została znaleziona", "Wróć na stronę główną."),),
    "ru": (("Ничего нет", "Здесь ничего нет", "Запрошенная страница не найдена на сервере."),),
    "tr": (("Hata 404", "Hata 404", "Böyle bir sayfa yok."),),
    "sv": (("Sidan saknas", "Vi kunde inte hitta sidan", "Kontrollera adressen."),),
    "pt": (("Ops", "Ops! Algo deu errado", "Não conseguimos encontrar a página solicitada."),),
    "cs": (("Jejda", "Tuto stránku jsme nenašli", "Zkontrolujte prosím adresu."),),
    "ja": (("エラー", "ページが存在しません", "URLをご確認ください。"),),
    "zh": (("出错了", "您要找的页面走丢了", "请返回首页。"),),
}


class Labelled(NamedTuple):
    path: str
    html: bytes
    kind: str
    missing: bool = False
    thin: bool = False


class LabelledSite(NamedTuple):
    host: str
    language: str
    probe_status: int | None
    """of an address that cannot exist; None where the probe was kept out"""
    probes: tuple[bytes, ...]
    pages: tuple[Labelled, ...]


class Writer:
    """One site: its language, its template, its error page."""

    def __init__(self, seed: int, *, held_out: bool = False) -> None:
        self.random = random.Random(seed)
        self.language = sorted(WORDS)[seed % len(WORDS)]
        self.words = WORDS[self.language].split()
        self.template = seed % 4
        self.name = self.phrase(1).title()
        self.menu = [self.phrase(2) for _ in range(self.random.randint(6, 40))]
        self.small_print = self.sentence(20)
        self.error = self.random.choice((OTHER_ERRORS if held_out else ERRORS)[self.language])

    def phrase(self, count: int) -> str:
        joint = "" if self.language in SPACELESS else " "
        return joint.join(self.random.choice(self.words) for _ in range(count))

    def sentence(self, count: int = 0) -> str:
        text = self.phrase(count or self.random.randint(8, 18))
        return text[:1].upper() + text[1:] + ("。" if self.language in SPACELESS else ".")

    def paragraphs(self, words: int) -> str:
        made, parts = 0, []
        while made < words:
            size = min(words - made, self.random.randint(30, 60))
            parts.append(f"<p>{self.sentence(size)}</p>")
            made += size
        return "\n".join(parts)

    def page(self, title: str, heading: str, main: str, body_class: str = "") -> bytes:
        menu = "".join(f'<li><a href="/{n}">{name}</a></li>' for n, name in enumerate(self.menu))
        cart = '<div class="mini-cart"><p>No products in the cart.</p></div>' if self.template == 1 else ""
        around = (
            ("<nav><ul>{m}</ul></nav>{c}", "<footer><p>{s}</p></footer>"),
            ('<div class="top"><ul>{m}</ul>{c}</div>', '<div class="bottom"><p>{s}</p></div>'),
            ('<header><img src="/logo.svg"><ul>{m}</ul></header>{c}', "<footer><p>{s}</p><p>© 2026</p></footer>"),
            ("<table><tr><td><ul>{m}</ul>{c}</td><td>", "</td></tr></table><p><small>{s}</small></p>"),
        )[self.template]
        top, bottom = (each.format(m=menu, c=cart, s=self.small_print) for each in around)
        return (
            f'<!doctype html><html lang="{self.language}"><head><meta charset="utf-8"><title>{title} - {self.name}'
            f'</title></head><body class="{body_class}">{top}<h1>{heading}</h1>{main}{bottom}</body></html>'
        ).encode()

    def missing(self, path: str) -> bytes:
        title, heading, text = self.error
        main = f"<p>{text.format(path=path)}</p>"
        if self.template == 2:
            main += "<ul>" + "".join(f"<li>{self.phrase(3)}</li>" for _ in range(4)) + "</ul>"
        return self.page(title, heading, main)

    def pages(self) -> list[Labelled]:
        made = [Labelled("/", self.page(self.phrase(3), self.phrase(2), self.paragraphs(120)), "home")]
        for kind, count in (("article", 8), ("short", 3), ("product", 3), ("list", 2), ("near", 6), ("thin", 3)):
            made += [getattr(self, f"_{kind}")(number) for number in range(count)]
        return made

    def _article(self, number: int) -> Labelled:
        title = self.phrase(4)
        return Labelled(
            f"/a/{number}", self.page(title, title, self.paragraphs(self.random.randint(150, 500))), "article"
        )

    def _short(self, number: int) -> Labelled:
        title = self.phrase(2)
        main = self.paragraphs(self.random.randint(45, 70)) + f"<p>+49 30 {self.random.randint(10000, 99999)}</p>"
        return Labelled(f"/s/{number}", self.page(title, title, main), "short")

    def _product(self, number: int) -> Labelled:
        title = self.phrase(3)
        stock = {"en": "Out of stock", "de": "Zurzeit ausverkauft", "fr": "En rupture de stock"}.get(self.language, "")
        main = f'<img src="/p/{number}.jpg"><p>{number}9,90 €</p><p>{stock}</p>{self.paragraphs(65)}'
        return Labelled(f"/p/{number}", self.page(title, title, main), "product")

    def _list(self, number: int) -> Labelled:
        title = self.phrase(2)
        items = "".join(f'<li><a href="/p/{n}">{self.phrase(4)}</a></li>' for n in range(30))
        return Labelled(f"/c/{number}", self.page(title, title, f"<ul>{items}</ul>"), "list")

    def _thin(self, number: int) -> Labelled:
        title = self.phrase(2)
        words = self.random.choice((0, 3, 6, 9))
        main = f"<p>{self.sentence(words)}</p>" if words else "<div></div>"
        return Labelled(f"/t/{number}", self.page(title, title, main), "thin", thin=True)

    def _near(self, number: int) -> Labelled:
        """Pages that only look missing or thin."""
        title, _heading, text = self.error
        match number:
            case 0:
                name = f"{title}: {self.phrase(5)}"
                return Labelled("/n/about-404", self.page(name, name, self.paragraphs(260)), "article about errors")
            case 1:
                images = "".join(f'<img src="/g/{n}.jpg" alt="">' for n in range(12))
                return Labelled("/n/gallery", self.page(self.phrase(2), self.phrase(2), images), "gallery")
            case 2:
                form = '<form><input name="u"><input type="password" name="p"><button>OK</button></form>'
                return Labelled("/n/login", self.page(self.phrase(1), self.phrase(1), form), "login")
            case 3:
                main = f"{self.paragraphs(130)}<p>{text.format(path='')}</p>{self.paragraphs(60)}"
                return Labelled("/n/quote", self.page(self.phrase(3), self.phrase(3), main), "quotes an error")
            case 4:
                main = f'<iframe src="/v"></iframe><video src="/v.mp4"></video><audio></audio><p>{self.sentence(9)}</p>'
                return Labelled("/n/film", self.page(self.phrase(3), self.phrase(3), main), "player")
            case _:
                main = f'<img src="/404.jpg"><p>{self.paragraphs(60)}</p>'
                return Labelled("/n/peugeot", self.page("Peugeot 404", "Peugeot 404 Coupé", main), "a car named 404")

    def harder(self) -> list[Labelled]:
        """More pages that only look so; not used to set the weights."""
        made = []
        for name, title, main in (
            ("song", "Not Found", f'<time datetime="2020-01-02">2020</time>{self.paragraphs(160)}'),
            ("lost-property", "Lost and found", self.paragraphs(70)),
            ("help", "Help", f"<p>Can't find what you are looking for? Call us.</p>{self.paragraphs(60)}"),
            ("year-410", "410", f"<p>410 {self.paragraphs(90)}</p>"),
            ("legal", self.phrase(2), self.paragraphs(62)),
            ("tool", self.phrase(2), "<input name=a><select><option>1</select><input name=b><button>=</button>"),
            ("discontinued", self.phrase(3), f"<p>This product is no longer available.</p>{self.paragraphs(170)}"),
            ("map", self.phrase(2), f'<iframe src="https://maps.test/"></iframe><p>{self.sentence(6)}</p>'),
            ("no-news", self.phrase(3), f"{self.paragraphs(90)}<p>No results yet from the count, officials say.</p>"),
        ):
            made.append(Labelled(f"/h/{name}", self.page(title, title, main), name))
        return made


def app_shell(seed: int) -> LabelledSite:
    """Every address gives the same empty page, which scripts fill: nothing can be said of any of them."""
    shell = b'<!doctype html><html><head><title>App</title></head><body><div id="root"></div><script src="/a.js">'
    html = shell + b"</script></body></html>"
    pages = tuple(Labelled(f"/v/{number}", html, "shell") for number in range(8))
    return LabelledSite(f"app{seed}.test", "en", 200, (html, html), pages)


def mostly_gone(seed: int) -> LabelledSite:
    """More than half of what is listed is not there any more, so that its error page looks like boilerplate."""
    writer = Writer(seed, held_out=True)
    pages = [writer._article(number) for number in range(6)]
    pages += [Labelled(f"/gone/{n}", writer.missing(f"/gone/{n}"), "error page", missing=True) for n in range(14)]
    return LabelledSite(
        f"g{seed}.test", writer.language, 200, (writer.missing("/q"), writer.missing("/r")), tuple(pages)
    )


def labelled_site(seed: int, *, held_out: bool = False) -> LabelledSite:
    """Every fourth host sends its error page as 200, others as 404, some are bare, some keep the probe out."""
    writer = Writer(seed, held_out=held_out)
    pages = writer.pages() + (writer.harder() if held_out else [])
    manner = ("soft", "proper", "bare", "blocked", "soft")[seed % 5]
    pages += [Labelled(f"/gone/{n}", writer.missing(f"/gone/{n}"), "error page", missing=True) for n in range(4)]
    for number, text in enumerate(EMPTY.get(writer.language, ())):
        title = writer.phrase(2)
        html = writer.page(title, title, f"<p>{text}</p>")
        pages.append(Labelled(f"/empty/{number}", html, "empty list", missing=True))
    bare = b"<html><head><title>404 Not Found</title></head><body><center><h1>404 Not Found</h1></center></body></html>"
    status = {"soft": 200, "proper": 404, "bare": 404, "blocked": None}[manner]
    probes = (bare, bare) if manner == "bare" else (writer.missing("/xqzt"), writer.missing("/a/xqzt"))
    return LabelledSite(f"s{seed}.test", writer.language, status, probes, tuple(pages))
