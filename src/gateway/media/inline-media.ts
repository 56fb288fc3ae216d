import type {
  AudioPart,
  CanonicalRequest,
  DocumentPart,
  ImagePart,
  Part,
  VideoPart,
} from '../../protocols/canonical/request.ts'
import { GatewayError } from '../errors.ts'
import type { FetchMedia, Media, MediaFetcher } from './fetch-media.ts'
import { MediaError } from './media-address.ts'

export type MediaPart = ImagePart | DocumentPart | AudioPart | VideoPart

const maxAddresses = 20
const maxAtOnce = 8
/** Base64 of all files of a request together, in bytes: as much as a body may have by default. */
const maxTotalBytes = 64 * 1024 * 1024

/** Inlines the files that `needs` selects. Throws the `GatewayError` of the first failing field. */
export async function inlineMedia(
  request: CanonicalRequest,
  needs: (part: Part) => boolean,
  fetchMedia: FetchMedia,
  signal: AbortSignal,
): Promise<CanonicalRequest> {
  const wanted = new Map(
    wantedMedia(request, needs).map((part) => [addressOf(part) ?? '', part] as const),
  )
  if (wanted.size === 0) return request
  const oneTooMany = [...wanted.values()][maxAddresses]
  if (oneTooMany !== undefined) {
    throw refuse(oneTooMany, `A request may name at most ${maxAddresses} files by their address.`)
  }
  const found = await fetchAll(wanted, fetchMedia, signal)

  const inline = <P extends Part>(part: P): P => {
    if (part.type === 'tool-result') return { ...part, parts: part.parts.map(inline) }
    if (!isMedia(part)) return part
    const media = found.get(addressOf(part) ?? '')
    return media !== undefined && needs(part) ? withBytes(part, media) : part
  }
  const turns = request.turns.map((turn) => ({ ...turn, parts: turn.parts.map(inline) }))
  return { ...request, turns }
}

/** The distinct files of a request that have to be fetched. */
export function wantedMedia(
  { turns }: Pick<CanonicalRequest, 'turns'>,
  needs: (part: Part) => boolean,
): readonly MediaPart[] {
  const wanted = new Map<string, MediaPart>()
  for (const part of turns.flatMap((turn) => turn.parts).flatMap(mediaOf)) {
    const url = addressOf(part)
    if (url !== undefined && needs(part) && !wanted.has(url)) wanted.set(url, part)
  }
  return [...wanted.values()]
}

function mediaOf(part: Part): readonly MediaPart[] {
  if (part.type === 'tool-result') return part.parts.flatMap(mediaOf)
  return isMedia(part) ? [part] : []
}

function isMedia<P extends Part>(part: P): part is P & MediaPart {
  return part.type in kinds
}

function addressOf({ source }: MediaPart): string | undefined {
  return source.type === 'url' ? source.url : undefined
}

const kinds: { readonly [type in MediaPart['type']]: readonly [name: string, pattern: RegExp] } = {
  image: ['an image', /^image\//],
  document: ['a PDF', /^application\/pdf$/],
  audio: ['a sound', /^(audio|video)\//],
  video: ['a film', /^(audio|video)\//],
}

function withBytes<P extends MediaPart>(part: P, { mediaType, data }: Media): P {
  const [name, pattern] = kinds[part.type]
  if (!pattern.test(mediaType)) throw refuse(part, `The file is ${mediaType}, not ${name}.`)
  return { ...part, source: { type: 'data', mediaType, data } }
}

async function fetchAll(
  wanted: ReadonlyMap<string, MediaPart>,
  fetchMedia: FetchMedia,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Media>> {
  const found = new Map<string, Media>()
  const stopped = new AbortController()
  const either = AbortSignal.any([signal, stopped.signal])
  let totalBytes = 0

  const queue = wanted.entries()
  const work = async () => {
    for (const [url, part] of queue) {
      const media = await fetchMedia(url, { signal: either }).catch((error: unknown) => {
        throw error instanceof MediaError ? refusalFor(part, error) : error
      })
      totalBytes += media.data.length
      if (totalBytes > maxTotalBytes) throw tooMuch()
      found.set(url, media)
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(maxAtOnce, wanted.size) }, work))
  } finally {
    stopped.abort()
  }
  return found
}

function refusalFor(part: MediaPart, { message, isBusy }: MediaError): GatewayError {
  if (isBusy) return new GatewayError('channels_busy', message, { retryAfter: busySeconds })
  return refuse(part, message)
}

function refuse({ at }: MediaPart, message: string): GatewayError {
  if (at === undefined) return new GatewayError('invalid_value', message)
  return new GatewayError('invalid_value', `${at}: ${message}`, { param: at })
}

const busySeconds = 5

const tooMuch = () =>
  new GatewayError(
    'body_too_large',
    `The files that the request has the addresses of are larger than ${maxTotalBytes / 1024 / 1024} MiB together, in base64.`,
  )

/** A fetcher for one request: a failed file is not tried again for its next channel. */
export function rememberFailures(media: MediaFetcher): MediaFetcher {
  const failed = new Map<string, MediaError>()
  return {
    of(owner) {
      const fetchMedia = media.of(owner)
      return async (url, options) => {
        const failure = failed.get(url)
        if (failure !== undefined) throw failure
        try {
          return await fetchMedia(url, options)
        } catch (error) {
          if (error instanceof MediaError) failed.set(url, error)
          throw error
        }
      }
    },
  }
}
