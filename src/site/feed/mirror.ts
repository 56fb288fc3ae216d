import type { Clock } from '../../lib/clock.ts'
import { createSingleFlight } from '../../lib/concurrency.ts'
import { messageOf } from '../../lib/failure.ts'
import type { Logger } from '../../lib/log.ts'
import { type Published, publish } from '../published.ts'
import type { MirrorCopy, MirrorFolder } from './files.ts'
import type { FeedDocument } from './schema.ts'
import { describeProblem, type FeedProblem, validateFeed } from './validate.ts'

interface MirrorParts {
  readonly origin: string
  readonly folder: MirrorFolder
  /** Site name or domain to accept; undefined: that of the stored copy. */
  readonly acceptSite?: string | undefined
  readonly fetch: typeof fetch
  readonly clock: Clock
  readonly log: Logger
}

/** A copy of another instance's feed, served even without its origin; starts from the folder's. */
export async function createMirror(parts: MirrorParts) {
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

  async function save(good: MirrorCopy, version: Published): Promise<void> {
    try {
      await folder.save(good, version)
    } catch (error) {
      log.error('the copy could not be kept on disk', { error: String(error) })
    }
  }

  const refresh = createSingleFlight(async () => {
    try {
      await update()
    } catch (error) {
      if (stopping.signal.aborted) return
      const reason = messageOf(error)
      const kept = published ? 'the last good copy is served on' : 'there is no copy to serve'
      log.error(`feed not copied; ${kept}`, { origin, reason })
    }
  })

  return {
    current: () => published,
    /** Asks the origin and takes valid changes; never rejects. Concurrent calls share a request. */
    refresh,
    ready: refresh.idle,
    async stop(): Promise<void> {
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

/** Rejects another site's document at the same address. */
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

/** Validators of the last answer for conditional requests. */
export interface Validators {
  readonly etag: string | null
  readonly lastModified: string | null
}

const timeoutMs = 30_000
const maxBytes = 64 * 1024 * 1024

/** Requests a feed other than `known`. Throws with the cause in words. */
export async function readOrigin(
  url: string,
  known?: Validators,
  { ask = fetch, signal }: { readonly ask?: typeof fetch; readonly signal?: AbortSignal } = {},
) {
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
    return 'unchanged' as const
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
    /** `Last-Modified` in milliseconds since 1970; null: none. */
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
    // Keeps a byte order mark, which is no JSON and must be reported.
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    return decoder.decode(Buffer.concat(chunks))
  } catch (cause) {
    throw new Error('the document is not UTF-8', { cause })
  }
}
