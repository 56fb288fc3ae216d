import { modelPath } from '../../look/model-path.ts'
import { docsPaths } from '../docs/library.ts'

/** Search engines: the public pages yes, the console and the API no. */
export const robotsText = (origin: string): string =>
  [
    'User-agent: *',
    ...closed.map((path) => `Disallow: ${path}`),
    ...['', `Sitemap: ${origin}/sitemap.xml`, ''],
  ].join('\n')

const closed = ['/console', '/api/', '/v1/', '/v1beta/']

/** The most addresses that a sitemap may have. */
const mostAddresses = 50_000

/** Addresses of the public pages; each page links its languages. `models`: names of those with a page. */
export function sitemapXml(origin: string, models: readonly string[] | undefined): string {
  const paths = [
    ...['/', '/status', ...docsPaths],
    ...(models === undefined ? [] : ['/models', ...models.map(modelPath)]),
  ].slice(0, mostAddresses)
  const urls = paths.map((path) => `<url><loc>${Bun.escapeHTML(origin + path)}</loc></url>`)
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>\n`
  )
}
