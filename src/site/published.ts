import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { isGzipAccepted } from '../lib/connections.ts'
import type { SharedDocument } from '../store/ports/documents.ts'

/** A public document, ready to be served from memory under its conditional-request rules. */
export interface Published {
  readonly body: Uint8Array
  readonly gzip: Uint8Array
  /** Strong tags, of either encoding its own. */
  readonly etag: string
  readonly gzipEtag: string
  /** HTTP date, in whole seconds. */
  readonly lastModified: string
}

/**
 * Makes a document ready: encoded, compressed and hashed once. The bytes of `previous` give
 * `previous` itself. `lastModified` is always later than that of `previous`: HTTP dates have whole
 * seconds, and two versions within one must not look the same to `If-Modified-Since`.
 */
export async function publish(
  json: string,
  previous: Published | undefined,
  nowMs: number,
): Promise<Published> {
  const body = new TextEncoder().encode(json)
  if (previous && Buffer.compare(body, previous.body) === 0) return previous
  // On a thread of the pool: a large document would hold up requests for tens of milliseconds.
  const compressed = await compress(body, { level: constants.Z_BEST_COMPRESSION })
  const earliest = previous ? Date.parse(previous.lastModified) + 1000 : 0
  return {
    body,
    gzip: compressed,
    etag: strongTag(body),
    gzipEtag: strongTag(compressed),
    lastModified: new Date(Math.max(nowMs, earliest)).toUTCString(),
  }
}

/** A version that another node has made: the very bytes. That of `previous` gives `previous` itself. */
export function takeOver(document: SharedDocument, previous: Published | undefined): Published {
  const { body, gzip: compressed, lastModifiedMs } = document
  const lastModified = new Date(lastModifiedMs).toUTCString()
  if (previous?.lastModified === lastModified && !Buffer.compare(body, previous.body))
    return previous
  const etags = { etag: strongTag(body), gzipEtag: strongTag(compressed) }
  return { body, gzip: compressed, ...etags, lastModified }
}

/** The same for other nodes. */
export const toShared = ({ body, gzip: compressed, lastModified }: Published): SharedDocument => ({
  ...{ body, gzip: compressed, lastModifiedMs: Date.parse(lastModified) },
})

/**
 * Answers a GET or HEAD: 304 when the client has this version, else the document, compressed for a
 * client that takes it. The server leaves the body out for HEAD. There are no CORS headers.
 */
export function respond(request: Request, published: Published): Response {
  const isGzip = isGzipAccepted(request)
  const headers: Record<string, string> = {
    etag: isGzip ? published.gzipEtag : published.etag,
    'last-modified': published.lastModified,
    // May be kept, but is asked for again each time: a 304 is cheap and a stale price is not.
    'cache-control': 'no-cache',
    vary: 'accept-encoding',
  }
  if (isUnchanged(request.headers, headers.etag ?? '', published.lastModified))
    return new Response(null, { status: 304, headers })
  headers['content-type'] = 'application/json; charset=utf-8'
  if (isGzip) headers['content-encoding'] = 'gzip'
  return new Response(isGzip ? published.gzip : published.body, { headers })
}

const compress = promisify(gzip)

const strongTag = (bytes: Uint8Array) =>
  `"${new Bun.CryptoHasher('sha256').update(bytes).digest('base64url').slice(0, 27)}"`

/** RFC 9110, 13.2.2: with `If-None-Match`, `If-Modified-Since` does not count. */
function isUnchanged(headers: Headers, etag: string, lastModified: string): boolean {
  const tags = headers.get('if-none-match')
  if (tags !== null) return tags.trim() === '*' || opaqueTags(tags).includes(etag)
  const since = headers.get('if-modified-since')
  // A date that can't be read is NaN, and never the same or later.
  return since !== null && parseHttpDate(since) >= Date.parse(lastModified)
}

/** The tags of a list, without their `W/`: the comparison is the weak one. */
const opaqueTags = (list: string): readonly string[] => list.match(/"[^"]*"/g) ?? []

const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /

/** Milliseconds since 1970; the three forms of RFC 9110 begin with the day, other dates do not. */
function parseHttpDate(text: string): number {
  const trimmed = text.trim()
  if (!httpDate.test(trimmed)) return Number.NaN
  // The old asctime form names no zone; all HTTP dates are UTC.
  return Date.parse(trimmed.endsWith('GMT') ? trimmed : `${trimmed} GMT`)
}
