"""Sources of sitemap templates as projects keep them, and XML files of other formats: none of them is a sitemap."""

from __future__ import annotations

from tests.recall.shapes import DECLARATION, NS, SHOP

_OPEN = f'<urlset xmlns="{NS}">'

TEMPLATES: dict[str, str] = {
    "jekyll": f"""---
layout: null
permalink: /sitemap.xml
---
{DECLARATION}{_OPEN}
  {{% for post in site.posts %}}
  <url>
    <loc>{{{{ post.url | absolute_url | xml_escape }}}}</loc>
    {{% if post.last_modified_at %}}<lastmod>{{{{ post.last_modified_at | date: '%Y-%m-%d' }}}}</lastmod>{{% endif %}}
  </url>
  {{% endfor %}}
</urlset>
""",
    "jekyll without a loop": f"---\n---\n{DECLARATION}{_OPEN}<url><loc>{SHOP}/</loc></url></urlset>\n",
    "toml front matter": f'+++\ntitle = "map"\n+++\n{_OPEN}<url><loc>{SHOP}/</loc></url></urlset>\n',
    "jekyll index": f"""---
layout: none
---
<sitemapindex xmlns="{NS}">
{{% for name in site.data.maps %}}<sitemap><loc>{{{{ site.url }}}}/{{{{ name }}}}.xml</loc></sitemap>{{% endfor %}}
</sitemapindex>
""",
    "liquid in a shop": f"""{_OPEN}
{{%- for product in collections.all.products -%}}
<url><loc>{SHOP}{{{{ product.url }}}}</loc><changefreq>daily</changefreq></url>
{{%- endfor -%}}
</urlset>
""",
    "hugo": f"""{{{{ printf "<?xml version=\\"1.0\\" encoding=\\"utf-8\\"?>" | safeHTML }}}}
{_OPEN}
  {{{{ range where .Pages "Sitemap.Disable" "ne" true }}}}
  <url>
    <loc>{{{{ .Permalink }}}}</loc>{{{{ if not .Lastmod.IsZero }}}}
    <lastmod>{{{{ .Lastmod.Format "2006-01-02" }}}}</lastmod>{{{{ end }}}}
  </url>
  {{{{ end }}}}
</urlset>
""",
    "go with variables": f"""{_OPEN}
{{{{- $base := .Site.BaseURL -}}}}
<url><loc>{{{{ $base }}}}/a</loc></url>
</urlset>
""",
    "eleventy nunjucks": f"""---
permalink: /sitemap.xml
eleventyExcludeFromCollections: true
---
{DECLARATION}{_OPEN}
{{%- for page in collections.all %}}
  {{% set url %}}{{{{ site.url }}}}{{{{ page.url }}}}{{% endset %}}
  <url><loc>{{{{ url }}}}</loc><lastmod>{{{{ page.date.toISOString() }}}}</lastmod></url>
{{%- endfor %}}
</urlset>
""",
    "twig": f"""{DECLARATION}{_OPEN}
{{# all routes #}}
{{% for route in routes %}}
    <url><loc>{{{{ url(route.name) }}}}</loc><priority>{{{{ route.priority|default(0.5) }}}}</priority></url>
{{% endfor %}}
</urlset>
""",
    "jinja with a static part": f"""{_OPEN}
<url><loc>{SHOP}/</loc></url>
<url><loc>{SHOP}/about</loc></url>
{{% for slug, date in articles if date < now %}}
<url><loc>{SHOP}/{{{{ slug }}}}</loc><lastmod>{{{{ date }}}}</lastmod></url>
{{% endfor %}}
</urlset>
""",
    "django": f"""{DECLARATION}{_OPEN}
{{% spaceless %}}
{{% for url in urlset %}}
  <url><loc>{{{{ url.location }}}}</loc>
  {{% if url.lastmod %}}<lastmod>{{{{ url.lastmod|date:"Y-m-d" }}}}</lastmod>{{% endif %}}</url>
{{% endfor %}}
{{% endspaceless %}}
</urlset>
""",
    "django with tags in values only": f"{_OPEN}<url><loc>{{% url 'home' %}}</loc></url></urlset>\n",
    "erb": f"""{DECLARATION}{_OPEN}
  <% @posts.each do |post| %>
  <url><loc><%= post_url(post) %></loc><lastmod><%= post.updated_at.xmlschema %></lastmod></url>
  <% end %>
</urlset>
""",
    "ejs": f"""{_OPEN}
<%_ posts.filter(p => p.date > 0).forEach((post) => {{ _%>
<url><loc><%- encodeURI(url + post.path) %></loc></url>
<%_ }}) _%>
</urlset>
""",
    "hexo": f"""{DECLARATION}{_OPEN}
  {{% for post in posts %}}
  <url><loc>{{{{ post.permalink | uriencode }}}}</loc>{{% if post.updated %}}<lastmod>x</lastmod>{{% endif %}}</url>
  {{% endfor %}}
</urlset>
""",
    "php": f"""<?php header('Content-Type: application/xml; charset=utf-8');
echo '<?xml version="1.0" encoding="UTF-8"?>'; ?>
{_OPEN}
<?php foreach ($pages as $page): ?>
  <url><loc><?= htmlspecialchars($page['url']) ?></loc></url>
<?php endforeach; ?>
</urlset>
""",
    "php that never closes": f"""{_OPEN}
<url><loc>{SHOP}/</loc></url>
</urlset>
<?php
  $db->close();
""",
    "blade": f"""{_OPEN}
@foreach ($posts as $post)
    <url><loc>{{{{ url($post->slug) }}}}</loc><lastmod>{{{{ $post->updated_at->tz('UTC') }}}}</lastmod></url>
@endforeach
</urlset>
""",
    "razor": f"""@model IEnumerable<Page>
{_OPEN}
@foreach (var page in Model) {{
  <url><loc>@page.Url</loc></url>
}}
</urlset>
""",
    "handlebars": f"""{_OPEN}
{{{{#each pages}}}}
  <url><loc>{{{{../siteUrl}}}}{{{{this.path}}}}</loc>
  {{{{#if this.date}}}}<lastmod>{{{{this.date}}}}</lastmod>{{{{/if}}}}</url>
{{{{/each}}}}
</urlset>
""",
    "mustache": f"{_OPEN}{{{{#urls}}}}<url><loc>{{{{loc}}}}</loc></url>{{{{/urls}}}}</urlset>\n",
    "smarty": f"""{_OPEN}
{{foreach from=$pages item=page}}
<url><loc>{{$page.url|escape}}</loc></url>
{{/foreach}}
</urlset>
""",
    "freemarker": f"""{_OPEN}
<#list pages as page>
<url><loc>${{page.url}}</loc></url>
</#list>
</urlset>
""",
    "velocity": f"""{_OPEN}
#foreach( $page in $pages )
<url><loc>$page.url</loc></url>
#end
</urlset>
""",
    "template toolkit": f"{_OPEN}[% FOREACH page IN pages %]<url><loc>[% page.url %]</loc></url>[% END %]</urlset>\n",
    "jsp": f"""<%@ page contentType="text/xml" %><%@ taglib prefix="c" uri="http://java.sun.com/jsp/jstl/core" %>
{_OPEN}<c:forEach items="${{pages}}" var="page"><url><loc>${{page}}</loc></url></c:forEach></urlset>
""",
    "thymeleaf": f'<urlset xmlns="{NS}" xmlns:th="http://www.thymeleaf.org">'
    '<url th:each="page : ${pages}"><loc th:text="${page.url}">https://a.test/</loc></url></urlset>\n',
    "xsl in a literal result": f'<urlset xmlns="{NS}" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" '
    'xsl:version="1.0"><xsl:for-each select="//page"><url><loc><xsl:value-of select="@u"/></loc></url></xsl:for-each>'
    "</urlset>\n",
    "javascript": f"{_OPEN}<url><loc>${{baseUrl}}/</loc></url><url><loc>${{baseUrl}}/a</loc></url></urlset>\n",
    "feed of jekyll": '---\nlayout: null\n---\n<rss version="2.0"><channel>{% for post in site.posts %}'
    "<item><link>{{ post.url }}</link></item>{% endfor %}</channel></rss>\n",
    "list of jekyll": f"---\nlayout: null\n---\n{SHOP}/\n{SHOP}/a\n",
    "list with a loop": "https://a.test/\n{% for page in site.pages %}\n{{ site.url }}{{ page.url }}\n{% endfor %}\n",
    "only an include": "---\npermalink: /sitemap.xml\n---\n{% include sitemap.xml %}\n",
}

FOREIGN: dict[str, tuple[str, str]] = {
    "asp.net": (
        (
            '<?xml version="1.0" encoding="utf-8"?>\n<siteMap xmlns="http://schemas.microsoft.com/AspNet/SiteMap-File-1.0">'
            '<siteMapNode url="~/Default.aspx" title="Home"><siteMapNode url="~/A" title="A"/></siteMapNode></siteMap>'
        ),
        "ASP.NET site map",
    ),
    "asp.net without namespace": ('<siteMap><siteMapNode url="~/" title="Home"/></siteMap>', "ASP.NET site map"),
    "dynamics": (
        '<SiteMap><Area Id="SFA"><Group Id="Work"><SubArea Id="nav" Url="/home.aspx"/></Group></Area></SiteMap>',
        "Dynamics 365 site map",
    ),
    "sitecore item": (
        '<item name="Home"><version n="1"><field key="title">Home</field></version></item>',
        "Sitecore item",
    ),
    "sitecore configuration": (
        "<configuration><sitecore><sitemap><url>/a</url></sitemap></sitecore></configuration>",
        "Sitecore configuration",
    ),
    "svg": ('<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>', "SVG image"),
    "svg with metadata": (
        (
            '<svg xmlns="http://www.w3.org/2000/svg"><metadata><rdf:RDF xmlns:rdf="'
            'http://www.w3.org/1999/02/22-rdf-syntax-ns#"><a rdf:about=""/></rdf:RDF></metadata><path d="M0 0"/></svg>'
        ),
        "SVG image",
    ),
    "rdf": (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="x"/></rdf:RDF>',
        "RDF document",
    ),
    "xslt": (
        (
            '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/">'
            f'<urlset xmlns="{NS}"><url><loc><xsl:value-of select="u"/></loc></url></urlset>'
            "</xsl:template></xsl:stylesheet>"
        ),
        "XSLT stylesheet",
    ),
    "xsd": (
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="loc"/></xs:schema>',
        "XML schema",
    ),
    "plist": ('<plist version="1.0"><dict><key>url</key><string>x</string></dict></plist>', "property list"),
    "maven": (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><url>https://a.test</url></project>',
        "Maven project",
    ),
    "opml": ('<opml version="2.0"><body><outline xmlUrl="https://a.test/feed"/></body></opml>', "OPML outline"),
    "kml": ('<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>a</name></Document></kml>', "KML map"),
    "android": ('<resources><string name="url">https://a.test</string></resources>', "Android resources"),
    "web.config": ("<configuration><appSettings><add key='a' value='b'/></appSettings></configuration>", ".NET"),
    "bucket": ("<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>", "error message"),
    "soap": (
        (
            '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>'
            f'<urlset xmlns="{NS}"><url><loc>{SHOP}/</loc></url></urlset></s:Body></s:Envelope>'
        ),
        "SOAP message",
    ),
    "settings with a feed": ("<config><feed><url>https://a.test/f</url></feed><keep>1</keep></config>", "<config"),
    "feed of products": ('<feed><product><link href="https://a.test/"/></product></feed>', "<feed"),
    "feed of another format": (
        '<feed xmlns="urn:shop:1"><entry><link href="https://a.test/"/></entry></feed>',
        "<feed",
    ),
    "dictionary entry": ("<entry><form>loc</form><sense>place</sense></entry>", "<entry"),
    "own format": ("<sites><site><url>https://a.test/</url><loc>Paris</loc></site></sites>", "<sites"),
    "own sitemap": ("<sitemap><page><loc>https://a.test/</loc></page></sitemap>", "<sitemap"),
    "url of a service": ("<url><address>https://a.test/</address></url>", "<url"),
}
