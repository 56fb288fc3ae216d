import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { acceptedCoding, type Coding } from '../lib/accepted-coding.ts'
import type { Clock } from '../lib/clock.ts'
import { coalesce, createSingleFlight } from '../lib/concurrency.ts'
import type { Logger } from '../lib/log.ts'
import type { DocumentStore, SharedDocument } from '../store/ports/store.ts'

/** A public document, ready to be served from memory under its conditional-request rules. */
export interface Published {
  readonly body: Uint8Array
  readonly gzip: Uint8Array
  /** Strong tags, one for each encoding. */
  readonly etag: string
  readonly gzipEtag: string
  /** HTTP date, in whole seconds. */
  readonly lastModified: string
}

/**
 * Encodes, compresses and hashes a document once; equal bytes return `previous`. `lastModified` is later
 * than that of `previous`, as HTTP dates have whole seconds.
 */
export async function publish(
  json: string,
  previous: Published | undefined,
  nowMs: number,
): Promise<Published> {
  const body = new TextEncoder().encode(json)
  if (previous && Buffer.compare(body, previous.body) === 0) return previous
  // On the thread pool: a large document would delay requests by tens of milliseconds.
  const compressed = await compress(body, { level: constants.Z_BEST_COMPRESSION })
  const earliest = previous ? Date.parse(previous.lastModified) + 1000 : 0
  return {
    ...encoded(body, compressed),
    lastModified: new Date(Math.max(nowMs, earliest)).toUTCString(),
  }
}

const encoded = (body: Uint8Array, gzipped: Uint8Array) => ({
  ...{ body, gzip: gzipped, etag: strongTag(body), gzipEtag: strongTag(gzipped) },
})

/** A version of another node; that of `previous` returns `previous` itself. */
function takeOver(document: SharedDocument, previous: Published | undefined): Published {
  const { body, gzip: compressed, lastModifiedMs } = document
  const lastModified = new Date(lastModifiedMs).toUTCString()
  if (previous?.lastModified === lastModified && !Buffer.compare(body, previous.body))
    return previous
  return { ...encoded(body, compressed), lastModified }
}

const toShared = ({ body, gzip: bytes, lastModified }: Published): SharedDocument => {
  return { body, gzip: bytes, lastModifiedMs: Date.parse(lastModified) }
}

/** Answers a GET or HEAD: 304 or the document, compressed if accepted. No CORS headers. */
export async function respond(request: Request, published: Published): Promise<Response> {
  const coding = acceptedCoding(request)
  const { bytes, etag } = await representation(published, coding)
  const { lastModified } = published
  const headers = new Headers({
    etag,
    'last-modified': lastModified,
    // Caches must revalidate: a 304 is cheap and a stale price is not.
    'cache-control': 'no-cache',
    vary: 'accept-encoding',
  })
  if (isUnchanged(request.headers, etag, lastModified))
    return new Response(null, { status: 304, headers })
  headers.set('content-type', 'application/json; charset=utf-8')
  if (coding) headers.set('content-encoding', coding)
  return new Response(bytes, { headers })
}

async function representation(
  published: Published,
  coding: Coding | undefined,
): Promise<Representation> {
  switch (coding) {
    case 'br':
      return brotliOf(published)
    case 'gzip':
      return { bytes: published.gzip, etag: published.gzipEtag }
    case undefined:
      return { bytes: published.body, etag: published.etag }
  }
}

/** An error in place of a document. */
export const failure = (code: number, message: string): Response =>
  Response.json({ code, message }, { status: code, headers: failureHeaders(code) })

const failureHeaders = (code: number): Record<string, string> => ({
  'cache-control': 'no-store',
  ...(code === 503 && { 'retry-after': '60' }),
})

/** An error in place of a page. */
export function unavailable(type: string, body: string): Response {
  const headers = new Headers({
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-store',
    'retry-after': '60',
  })
  guardPage(headers)
  return new Response(body, { status: 503, headers })
}

/** Answers with the published version, once the first build has ended. */
export async function respondWith(
  request: Request,
  publication: Pick<Publication, 'current' | 'ready'>,
  otherwise: () => Response,
): Promise<Response> {
  if (publication.current() === undefined) await publication.ready()
  const published = publication.current()
  return published ? respond(request, published) : otherwise()
}

const compress = promisify(gzip)
const pack = promisify(brotliCompress)

interface Representation {
  readonly bytes: Uint8Array
  readonly etag: string
}

const packed = new WeakMap<Published, Promise<Representation>>()

/** A document in brotli, made when it is first asked for: the encoder takes megabytes for a moment. */
export function brotliOf(published: Published): Promise<Representation> {
  const known = packed.get(published)
  if (known) return known
  const made = compressBrotli(published.body).then((bytes) => ({ bytes, etag: strongTag(bytes) }))
  packed.set(published, made)
  made.catch(() => packed.delete(published))
  return made
}

/** Larger documents are packed faster, if less: the price feed may have megabytes. */
const largeBytes = 200_000

function compressBrotli(body: Uint8Array): Promise<Uint8Array> {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: body.length > largeBytes ? 5 : 9,
    [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    // The window is what the encoder takes in memory: no larger than the document.
    [constants.BROTLI_PARAM_LGWIN]: Math.min(
      Math.max(Math.ceil(Math.log2(body.length + 1)), 16),
      22,
    ),
  }
  return pack(body, { params })
}

const strongTag = (bytes: Uint8Array) =>
  `"${new Bun.CryptoHasher('sha256').update(bytes).digest('base64url').slice(0, 27)}"`

/** RFC 9110, 13.2.2: with `If-None-Match`, `If-Modified-Since` does not count. */
function isUnchanged(headers: Headers, etag: string, lastModified: string): boolean {
  const tags = headers.get('if-none-match')
  if (tags !== null) return tags.trim() === '*' || opaqueTags(tags).includes(etag)
  const since = headers.get('if-modified-since')
  // An invalid date is NaN, which compares as false.
  return since !== null && parseHttpDate(since) >= Date.parse(lastModified)
}

/** Tags of a list without their `W/`: the comparison is the weak one. */
const opaqueTags = (list: string): readonly string[] => list.match(/"[^"]*"/g) ?? []

const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /

/** Milliseconds since 1970; the three forms of RFC 9110 begin with the day, other dates do not. */
function parseHttpDate(text: string): number {
  const trimmed = text.trim()
  if (!httpDate.test(trimmed)) return Number.NaN
  // The old asctime form names no zone; all HTTP dates are UTC.
  return Date.parse(trimmed.endsWith('GMT') ? trimmed : `${trimmed} GMT`)
}

export type Publication = ReturnType<typeof createPublication>

interface PublicationParts {
  readonly name: string
  /** Builds the document as JSON text; `inForce`: another node's version. Long work uses `inSlices`. */
  readonly build: (inForce?: string) => string | Promise<string>
  /** Where all nodes find one version, and its name there; absent: of this node alone. */
  readonly shared?: { readonly documents: DocumentStore; readonly name: string } | undefined
  readonly clock: Clock
  readonly log: Logger
}

/** A document that is rebuilt and served from memory. A failed build is logged, and changes nothing. */
export function createPublication(parts: PublicationParts) {
  const { name, build, clock, log, shared } = parts
  const followOrLead = shared && createFollowing(parts, shared)
  let published: Published | undefined
  const rebuild = coalesce(async () => {
    try {
      published = followOrLead
        ? await followOrLead(published)
        : await publish(await build(), published, clock())
    } catch (error) {
      const kept = published ? 'the last good one is served on' : 'there is none to serve'
      log.error(`${name} not built; ${kept}`, { error })
    }
  })
  let last: Promise<void> | undefined
  return {
    /** The last good version; undefined before the first. */
    current: () => published,
    /** Rebuilds; never rejects. Unchanged text keeps its version; concurrent calls share a build. */
    refresh(): Promise<void> {
      last = rebuild()
      return last
    },
    /** Resolves when a build has ended; begins the first one where nobody has. */
    ready(): Promise<void> {
      last ??= rebuild()
      return last
    },
    idle: async () => last,
  }
}

/** One node builds and stores, the others follow; until then each serves its own. */
function createFollowing(
  { build, clock }: PublicationParts,
  { documents, name }: NonNullable<PublicationParts['shared']>,
) {
  /** Stored or read version: one built here may have the same date. */
  let inForce: Published | undefined

  async function readShared(): Promise<Published | undefined> {
    const storedMs = await documents.lastModifiedMs(name)
    if (storedMs === undefined) return undefined
    if (inForce && storedMs === Date.parse(inForce.lastModified)) return inForce
    const document = await documents.read(name)
    return document && takeOver(document, inForce)
  }

  return async (served: Published | undefined): Promise<Published> => {
    const isLeader = await documents.leads()
    inForce = await readShared()
    if (inForce && !isLeader) return inForce
    const text = await build(inForce && new TextDecoder().decode(inForce.body))
    const built = await publish(text, inForce ?? served, clock())
    if (!isLeader || built === inForce) return built
    await documents.write(name, toShared(built))
    inForce = built
    return built
  }
}

const succeedMs = 2_000

/** A start is over by then; a document that is asked for earlier is built at once. */
const firstBuildMs = 500

/** Builds soon, and every `intervalMs`. `documents`: one of several nodes builds. */
export function createSnapshots(
  publications: readonly Publication[],
  intervalMs: number,
  documents?: DocumentStore,
) {
  const refresh = async () => {
    await Promise.all(publications.map((one) => one.refresh()))
  }
  let currentMs = intervalMs
  let timer = setInterval(refresh, currentMs).unref()
  const first = setTimeout(refresh, firstBuildMs).unref()
  /** Takes over when the former leader ended before building the last change. */
  const succeed = createSingleFlight(async () => {
    if (!documents || documents.isLeading()) return
    const isLeader = await documents.leads().catch(() => false) // unavailable: checked again soon
    if (isLeader) await refresh()
  })
  const watch = documents && setInterval(succeed, succeedMs).unref()

  return {
    refresh,
    setInterval(changedMs: number): void {
      if (changedMs === currentMs) return
      currentMs = changedMs
      clearInterval(timer)
      timer = setInterval(refresh, currentMs).unref()
    },
    async stop(): Promise<void> {
      clearTimeout(first)
      clearInterval(timer)
      clearInterval(watch)
      await succeed.idle()
      await Promise.all(publications.map((one) => one.idle()))
    },
  }
}

/** No script, nothing from elsewhere, no frame around it. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action "

/**
 * Restricts a page of plain HTML in the browser, old ones included. `more`: what it may load besides; `forms`:
 * where its forms may lead.
 */
export function guardPage(
  headers: Headers,
  more = '',
  forms: "'none'" | "'self'" = "'none'",
): void {
  headers.set('content-security-policy', policy + forms + more)
  headers.set('referrer-policy', 'no-referrer')
  headers.set('x-content-type-options', 'nosniff')
  headers.set('x-frame-options', 'DENY')
}
