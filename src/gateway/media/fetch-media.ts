import { LRUCache } from 'lru-cache'
import { afterRunning } from '../../lib/clock.ts'
import { readBounded } from '../body/bounded-bytes.ts'
import { GatewayError } from '../errors.ts'
import { type BodyMemory, fileCost, Lease, type MemoryBudget } from '../memory/memory-budget.ts'
import type { Outbound } from '../outbound/outbound.ts'
import {
  asMediaError,
  bareType,
  isRedirect,
  MediaError,
  mediaTypeOf,
  readAddress,
  redirectTarget,
} from './media-address.ts'

/** A file's bytes in base64 and their kind: image, PDF, audio or video. */
export interface Media {
  readonly mediaType: string
  readonly data: string
}

export type FetchMedia = (url: string, options: { signal: AbortSignal }) => Promise<Media>

export interface MediaFetcher {
  /** A fetcher of one owner: cache timing reveals no other owner's files. */
  of(owner: string): FetchMedia
}

export interface MediaLimits {
  readonly fileBytes: number
  readonly waitMs: number
  readonly fetchMs: number
  readonly connectMs: number
  readonly atOnce: number
  readonly cacheBytes: number
  readonly cacheMs: number
}

const usualLimits: MediaLimits = {
  fileBytes: 20 * 1024 * 1024,
  waitMs: 5_000,
  fetchMs: 10_000,
  connectMs: 5_000,
  atOnce: 32,
  cacheBytes: 64 * 1024 * 1024,
  cacheMs: 5 * 60_000,
}

const maxRedirects = 3

interface MediaFetcherParts {
  readonly outbound: Outbound
  readonly allowPrivate?: boolean | undefined
  readonly limits?: Partial<MediaLimits> | undefined
  readonly memory?: MemoryBudget | undefined
}

const ownHeaders = {
  'user-agent': 'Tollgate',
  accept: 'image/*, application/pdf, audio/*, video/*',
  'accept-encoding': 'identity',
}

/** Fetches known file types by GET from public addresses, with bounds of size and time. */
export function createMediaFetcher(parts: MediaFetcherParts): MediaFetcher {
  const { outbound, allowPrivate = false } = parts
  const limits = { ...usualLimits, ...parts.limits }
  const slots = createSlots(limits.atOnce)
  const cache = new LRUCache<string, Media>({
    maxSize: limits.cacheBytes,
    ttl: limits.cacheMs,
    sizeCalculation: ({ data }, key) => data.length + key.length,
  })

  const send = (url: URL, signal: AbortSignal) =>
    outbound({
      url: url.href,
      method: 'GET',
      headers: ownHeaders,
      body: undefined,
      signal,
      allowPrivate,
      connectMs: limits.connectMs,
      isForeign: true,
    })

  async function load(
    url: URL,
    signal: AbortSignal,
    { owner, key }: { readonly owner: string; readonly key: string },
  ): Promise<Media> {
    const response = await follow(url, (next) => send(next, signal))
    if (response.status !== 200) {
      throw new MediaError(`The host of the file answered with status ${response.status}.`)
    }
    const lease = new Lease(owner)
    const announced = Number(response.headers.get('content-length')) || limits.fileBytes
    const cost = fileCost(Math.min(announced, limits.fileBytes))
    try {
      await parts.memory?.take(lease, cost, { waitMs: limits.waitMs, signal })
      return await read(response, key)
    } finally {
      parts.memory?.end(lease)
    }
  }

  async function read(response: Response, key: string): Promise<Media> {
    const bytes = await readBounded(response, limits.fileBytes)
    const header = response.headers.get('content-type')
    const mediaType = mediaTypeOf(bytes, header)
    if (mediaType === undefined) throw new MediaError(wrongType(header))
    const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
    const media = { mediaType, data }
    if (!/\bno-store\b/i.test(response.headers.get('cache-control') ?? '')) cache.set(key, media)
    return media
  }

  async function fetchMedia(owner: string, text: string, signal: AbortSignal): Promise<Media> {
    signal.throwIfAborted()
    const url = readAddress(text)
    const key = `${owner}\n${url.href}`
    const kept = cache.get(key)
    if (kept !== undefined) return kept
    const release = await slots.take(signal, limits.waitMs)
    if (release === undefined) throw new MediaError(busy, { isBusy: true })
    try {
      return await within(limits.fetchMs, signal, (ending) => load(url, ending, { owner, key }))
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof GatewayError) throw error
      throw asMediaError(error, limits.fileBytes)
    } finally {
      release()
    }
  }

  return {
    of:
      (owner) =>
      (url, { signal }) =>
        fetchMedia(owner, url, signal),
  }
}

async function follow(first: URL, send: (url: URL) => Promise<Response>): Promise<Response> {
  let url = first
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await send(url)
    if (!isRedirect(response.status)) return response
    await response.body?.cancel()
    url = redirectTarget(url, response.headers.get('location'))
  }
  throw new MediaError(`The address redirects more than ${maxRedirects} times.`)
}

const busy = 'Too many files are being fetched at present. Try again later.'

function wrongType(header: string | null): string {
  const type = bareType(header)
  const said = /^[\w.+-]{1,40}\/[\w.+-]{1,40}$/.test(type) ? ` Its host calls it ${type}.` : ''
  return `The file is no image, PDF, sound or film of a known kind.${said}`
}

/** Runs with a time limit, or until the caller aborts. */
async function within<T>(
  limitMs: number,
  signal: AbortSignal,
  run: (ending: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const leave = () => reject(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  const late = () =>
    reject(new MediaError(`The file could not be fetched within ${limitMs / 1000} s.`))
  const callOff = afterRunning(limitMs, late)
  try {
    return await Promise.race([run(controller.signal), ended])
  } finally {
    callOff()
    signal.removeEventListener('abort', leave)
    controller.abort()
  }
}

/** A fetcher for one request, which holds its files in memory until it ends. */
export const countMedia = (media: MediaFetcher, memory: BodyMemory | undefined): MediaFetcher => ({
  of(owner) {
    const fetchMedia = media.of(owner)
    return async (url, options) => {
      const file = await fetchMedia(url, options)
      await memory?.take(file.data.length)
      return file
    }
  },
})

function createSlots(count: number) {
  let free = count
  const waiting = new Set<() => void>()

  function release(): void {
    const [next] = waiting
    if (next === undefined) {
      free++
    } else {
      waiting.delete(next)
      next()
    }
  }

  return {
    /** Waits for a slot; undefined: none in time. Call the result to release it. */
    async take(signal: AbortSignal, limitMs: number): Promise<(() => void) | undefined> {
      signal.throwIfAborted()
      if (free > 0) {
        free--
        return release
      }
      const { promise, resolve, reject } = Promise.withResolvers<(() => void) | undefined>()
      const enter = () => resolve(release)
      // An admitted waiter keeps its slot if it aborts at the same moment.
      const leave = () => waiting.delete(enter) && reject(signal.reason)
      const timer = setTimeout(() => waiting.delete(enter) && resolve(undefined), limitMs)
      signal.addEventListener('abort', leave, { once: true })
      waiting.add(enter)
      try {
        return await promise
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', leave)
      }
    },
  }
}
