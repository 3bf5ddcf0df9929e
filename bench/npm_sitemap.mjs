// JSON rows → files of 45,000 entries and their index, by the npm package `sitemap`:
// node npm_sitemap.mjs MODULES SOURCE OUT
import { createReadStream, createWriteStream, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const [modules, source, out] = process.argv.slice(2)
const { SitemapAndIndexStream, SitemapStream } = createRequire(`${modules}/`)('sitemap')
const host = 'https://www.example.com'

async function* rows () {
  for await (const line of createInterface({ input: createReadStream(source) })) {
    const { loc, lastmod } = JSON.parse(line)
    yield { url: loc, lastmod }
  }
}

mkdirSync(out, { recursive: true })
const files = new SitemapAndIndexStream({
  limit: 45000,
  getSitemapStream: number => {
    const stream = new SitemapStream({ hostname: host })
    return [`${host}/sitemap-${number}.xml`, stream, stream.pipe(createWriteStream(`${out}/sitemap-${number}.xml`))]
  }
})
await pipeline(Readable.from(rows()), files, createWriteStream(`${out}/sitemap.xml`))
