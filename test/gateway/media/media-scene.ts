import { expect } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import {
  createMediaFetcher,
  type FetchMedia,
  type MediaFetcher,
  type MediaLimits,
} from '../../../src/gateway/media/fetch-media.ts'
import { MediaError } from '../../../src/gateway/media/media-address.ts'
import { createOutbound } from '../../../src/gateway/outbound/outbound.ts'
import { type FakeHandler, startFakeUpstream } from '../../support/fake-upstream.ts'
import { samples } from './media-samples.ts'

/** A fetcher that may call this machine, with limits made small. */
export function localFetcher(limits: Partial<MediaLimits> = {}): MediaFetcher {
  return createMediaFetcher({ outbound: createOutbound({ env: {} }), allowPrivate: true, limits })
}

/** An answer with a file. */
export function fileAnswer(
  bytes: Uint8Array = samples.png,
  headers: Record<string, string> = { 'content-type': 'image/png' },
): Response {
  return new Response(new Blob([Buffer.from(bytes)]).stream(), { headers })
}

/** What a sample's file is as it comes from the fetcher. */
export const asMedia = (mediaType: string, bytes: Uint8Array) => ({
  mediaType,
  data: Buffer.from(bytes).toString('base64'),
})

/** Fetches with nobody leaving. */
export const fetchBy = (fetchMedia: FetchMedia, url: string) =>
  fetchMedia(url, { signal: new AbortController().signal })

/** The error of a fetch that must fail; its words never tell an address of this machine. */
export async function errorOf(fetching: Promise<unknown>): Promise<MediaError> {
  const error = await fetching.then(
    () => 'it was fetched',
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof MediaError)) throw new Error('It did not fail in words.', { cause: error })
  expect(error.message).toMatch(/^The .*\.$|^Too many .*\.$/)
  expect(error.message).not.toMatch(/127\.0|::1|localhost|\b10\.|ECONN/)
  return error
}

/** The words of that error. */
export const wordsOf = async (fetching: Promise<unknown>) => (await errorOf(fetching)).message

/** What a server that always answers the same comes to. */
export async function fetchFrom(handler: FakeHandler, limits = {}) {
  await using server = startFakeUpstream(handler)
  return await fetchBy(localFetcher(limits).of('a'), `${server.url}/file`)
}

/** A server that says exactly these bytes to whoever asks. */
export async function rawServer(says: (socket: Socket) => void) {
  const closed = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.once('close', closed.resolve)
      says(socket)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`,
    /** The far side has gone. */
    closed: closed.promise,
    [Symbol.dispose]: () => void server.close(),
  }
}
