import { LRUCache } from 'lru-cache'

const joined = new LRUCache<string, string>({ max: 1_000 })

/** An upstream URL: appends `path` to the path of `base`. Both queries are kept, that of `base` first. */
export function joinUrl(base: string, path: string): string {
  const parts = `${base}\n${path}`
  const known = joined.get(parts)
  if (known !== undefined) return known
  const url = join(base, path)
  joined.set(parts, url)
  return url
}

function join(base: string, path: string): string {
  const url = new URL(base)
  const mark = path.indexOf('?')
  const pathname = mark === -1 ? path : path.slice(0, mark)
  const query = mark === -1 ? '' : path.slice(mark + 1)
  url.hash = ''
  url.pathname = url.pathname.replace(/\/+$/, '') + pathname
  url.search = [url.search.slice(1), query].filter((part) => part !== '').join('&')
  return url.href
}

/** The path segments of a base URL, to avoid repeating them. */
export function pathSegments(base: string): string[] {
  return new URL(base).pathname.split('/').filter((segment) => segment !== '')
}

/** A model id as part of a path. Slashes stay, unless a segment would climb up the path. */
export function modelPath(model: string): string {
  const segments = model.toWellFormed().split('/')
  const climbs = segments.some((segment) => segment === '.' || segment === '..' || segment === '')
  return climbs ? encodeURIComponent(segments.join('/')) : segments.map(encodeSegment).join('/')
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replaceAll('%40', '@').replaceAll('%3A', ':')
}

/** The key header of OpenAI, and of every vendor with its protocols. */
export function bearerHeaders(key: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` }
}
