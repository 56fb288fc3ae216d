import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { createSingle } from '../../lib/turns.ts'
import { type Published, publish } from '../published.ts'
import type { MirrorCopy, MirrorFolder } from './files.ts'
import type { FeedDocument } from './schema.ts'
import { describeProblem, type FeedProblem, validateFeed } from './validate.ts'

interface MirrorParts {
  /** Address of the feed that is copied. */
  readonly origin: string
  readonly folder: MirrorFolder
  /** Name or domain of the site whose documents are taken; undefined: the site of the copy. */
  readonly acceptSite?: string | undefined
  readonly fetch: typeof fetch
  readonly clock: Clock
  readonly log: Logger
}

/** A copy of another instance's feed, kept and served whatever becomes of the origin. */
export interface Mirror {
  current(): Published | undefined
  /** Asks the origin and takes what is new and right; never rejects. Calls share one request. */
  refresh(): Promise<void>
  /** Resolves when no request is under way. */
  idle(): Promise<void>
  /** Gives up a request that is under way. */
  stop(): Promise<void>
}

/** Starts from the last good copy in the folder. */
export async function createMirror(parts: MirrorParts): Promise<Mirror> {
  const { origin, folder, clock, log } = parts
  let copy = await loadCopy(parts)
  let published = copy && (await publish(copy.text, undefined, copy.modifiedMs))
  const stopping = new AbortController()

  async function update(): Promise<void> {
    const answer = await readOrigin(origin, copy, { ask: parts.fetch, signal: stopping.signal })
    if (answer === 'unchanged') return
    const report = validateFeed(answer.text)
    if (!report.ok) throw new Error(`the document is broken: ${firstProblems(report.problems)}`)
    const foreign = complainOfSite(report.document, copy, parts.acceptSite)
    if (foreign) throw new Error(foreign)
    const { updated_at, models } = report.document.data
    const version = await publish(answer.text, published, answer.modifiedMs ?? clock())
    const isNew = version !== published
    published = version
    copy = { ...answer, modifiedMs: Date.parse(version.lastModified) }
    await save(copy, version)
    if (isNew) log.info('feed copied', { origin, updated_at, entries: models.length })
  }

  /** A copy that can't be kept on disk is served all the same. */
  async function save(good: MirrorCopy, version: Published): Promise<void> {
    try {
      await folder.save(good, version)
    } catch (error) {
      log.error('the copy could not be kept on disk', { error: String(error) })
    }
  }

  const refresh = createSingle(async () => {
    try {
      await update()
    } catch (error) {
      if (stopping.signal.aborted) return
      const reason = error instanceof Error ? error.message : String(error)
      const kept = published ? 'the last good copy is served on' : 'there is no copy to serve'
      log.error(`feed not copied; ${kept}`, { origin, reason })
    }
  })

  return {
    current: () => published,
    refresh,
    idle: refresh.idle,
    async stop() {
      stopping.abort()
      await refresh.idle()
    },
  }
}

/** A damaged copy is not served: without the origin, no price is better than a wrong one. */
async function loadCopy({ folder, log }: MirrorParts): Promise<MirrorCopy | undefined> {
  const copy = await folder.load()
  if (copy === undefined) return undefined
  const report = validateFeed(copy.text)
  if (report.ok) return copy
  log.error('the copy on disk is broken and not served', {
    reason: firstProblems(report.problems),
  })
  return undefined
}

function firstProblems(problems: readonly FeedProblem[]): string {
  const shown = problems.slice(0, 3).map(describeProblem).join(' ')
  return problems.length > 3 ? `${shown} And ${problems.length - 3} more.` : shown
}

/** A document of another site under the same address is no price of this one. */
function complainOfSite(
  { data }: FeedDocument,
  copy: MirrorCopy | undefined,
  accepted: string | undefined,
): string | undefined {
  const { site_name: name, site_domain: domain } = data
  if (accepted !== undefined) {
    if (name === accepted || domain === accepted) return undefined
    return `the document is of site "${name}" (${domain}), not of "${accepted}"`
  }
  const known = copy && (JSON.parse(copy.text) as FeedDocument).data
  if (!known || (known.site_name === name && known.site_domain === domain)) return undefined
  return (
    `the document is of site "${name}" (${domain}), but the copy is of "${known.site_name}" ` +
    `(${known.site_domain}). If that is right, start once with --accept-site "${name}"`
  )
}

/** What the last answer said, for the next conditional request. */
export interface Validators {
  readonly etag: string | null
  readonly lastModified: string | null
}

/** A document as the origin gave it. */
interface OriginDocument extends Validators {
  readonly text: string
  /** Its `Last-Modified` in milliseconds since 1970; null when there was none. */
  readonly modifiedMs: number | null
}

const timeoutMs = 30_000
const maxBytes = 64 * 1024 * 1024

/** Asks for a feed other than `known`. Throws, with the cause in words, when there is none. */
export async function readOrigin(
  url: string,
  known?: Validators,
  { ask = fetch, signal }: { readonly ask?: typeof fetch; readonly signal?: AbortSignal } = {},
): Promise<OriginDocument | 'unchanged'> {
  const headers = new Headers({ accept: 'application/json' })
  if (known?.etag) headers.set('if-none-match', known.etag)
  if (known?.lastModified) headers.set('if-modified-since', known.lastModified)
  const timeout = AbortSignal.timeout(timeoutMs)
  const response = await ask(url, {
    headers,
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  })
  if (response.status === 304 && known) {
    await response.body?.cancel()
    return 'unchanged'
  }
  const text = await readText(response)
  if (response.status !== 200)
    throw new Error(`the origin answered ${response.status}: ${text.slice(0, 200)}`)
  const lastModified = response.headers.get('last-modified')
  const time = Date.parse(lastModified ?? '')
  return {
    text,
    etag: response.headers.get('etag'),
    lastModified,
    modifiedMs: Number.isNaN(time) ? null : time,
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes) throw new Error(`the document is longer than ${maxBytes} bytes`)
  }
  try {
    // Bytes are passed on as they came: a byte order mark is no part of JSON, and is kept to be told.
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    return decoder.decode(Buffer.concat(chunks))
  } catch (cause) {
    throw new Error('the document is not UTF-8', { cause })
  }
}
