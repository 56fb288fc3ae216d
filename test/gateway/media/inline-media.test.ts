import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../../../src/gateway/errors.ts'
import type { FetchMedia, Media } from '../../../src/gateway/media/fetch-media.ts'
import { inlineMedia } from '../../../src/gateway/media/inline-media.ts'
import { MediaError } from '../../../src/gateway/media/media-address.ts'
import type { CanonicalRequest, ImagePart, Part } from '../../../src/protocols/canonical/request.ts'
import { startFakeUpstream } from '../../support/fake-upstream.ts'
import { samples } from './media-samples.ts'
import { asMedia, fileAnswer, localFetcher } from './media-scene.ts'

const requestOf = (...parts: readonly Part[]): CanonicalRequest => ({
  ...{ model: 'm', stream: false, tools: [], native: [] },
  turns: [{ role: 'user', parts }],
})

const imageAt = (url: string, at?: string): ImagePart => ({
  ...{ type: 'image', source: { type: 'url', url }, detail: 'high', cache: '5m' },
  ...(at === undefined ? {} : { at }),
})

const anImage: Media = { mediaType: 'image/png', data: 'AAAA' }
const all = () => true
const staying = new AbortController().signal

/** Files by their address: what a fetch gives, and which were asked for. */
function library(files: Readonly<Record<string, Media | Error>> = {}) {
  const asked: string[] = []
  const fetchMedia: FetchMedia = async (url) => {
    asked.push(url)
    const file = files[url] ?? anImage
    if (file instanceof Error) throw file
    return file
  }
  return { fetchMedia, asked }
}

const inline = (
  request: CanonicalRequest,
  fetchMedia: FetchMedia,
  needs: (part: Part) => boolean = all,
) => inlineMedia(request, needs, fetchMedia, staying)

/** Kind, message and field of the refusal. */
async function refusal(inlining: Promise<unknown>) {
  const error = await inlining.then(
    () => 'nothing was refused',
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof GatewayError)) throw new Error('No refusal.', { cause: error })
  const { kind, message, status, details } = error
  return { kind, message, status, param: details.param }
}

describe('addresses', () => {
  test('T15: become bytes in every kind of part, also in tool results; all else stays', async () => {
    const pdf = { mediaType: 'application/pdf', data: 'UERG' }
    const sound = { mediaType: 'audio/mpeg', data: 'TVAz' }
    const film = { mediaType: 'video/mp4', data: 'TVA0' }
    const { fetchMedia } = library({ pdf, sound, film })
    const text = { type: 'text', text: 'See:', cache: '1h' } as const
    const result = { type: 'tool-result', callId: 'c', name: 't', kind: 'function' } as const
    const document = { type: 'document', title: 'T', isCited: true } as const
    const request = requestOf(
      text,
      imageAt('image', 'a'),
      { ...document, source: { type: 'url', url: 'pdf' } },
      { type: 'audio', source: { type: 'url', url: 'sound' } },
      { type: 'video', source: { type: 'url', url: 'film', mediaType: 'video/webm' } },
      { ...result, isError: true, parts: [text, imageAt('image', 'b')] },
    )
    const before = structuredClone(request)
    expect(await inline(request, fetchMedia)).toEqual(
      requestOf(
        text,
        { ...imageAt('', 'a'), source: { type: 'data', ...anImage } },
        { ...document, source: { type: 'data', ...pdf } },
        { type: 'audio', source: { type: 'data', ...sound } },
        { type: 'video', source: { type: 'data', ...film } },
        {
          ...{ ...result, isError: true },
          parts: [text, { ...imageAt('', 'b'), source: { type: 'data', ...anImage } }],
        },
      ),
    )
    expect(request).toEqual(before)
  })

  test('are fetched once each, however often they are named', async () => {
    const { fetchMedia, asked } = library()
    const request = requestOf(imageAt('a'), imageAt('b'), imageAt('a'), imageAt('a'))
    const { turns } = await inline(request, fetchMedia)
    expect(asked).toEqual(['a', 'b'])
    const sources = turns[0]?.parts.map((part) => part.type === 'image' && part.source.type)
    expect(sources).toEqual(['data', 'data', 'data', 'data'])
  })

  test('that the upstream fetches by itself stay', async () => {
    const { fetchMedia, asked } = library()
    const films = ['film', 'a'].map(
      (url): Part => ({ type: 'video', source: { type: 'url', url } }),
    )
    const request = requestOf(imageAt('a'), ...films)
    const done = await inline(request, fetchMedia, ({ type }) => type === 'image')
    expect(done.turns[0]?.parts.slice(1)).toEqual(films)
    expect(asked).toEqual(['a'])
  })

  test('in other parts than media, and bytes, are left alone; the request stays the same object', async () => {
    const { fetchMedia, asked } = library()
    const request = requestOf(
      { type: 'text', text: 'https://example.com/a.png' },
      { type: 'image', source: { type: 'data', ...anImage } },
      { type: 'document', source: { type: 'text', text: 'https://example.com/' } },
    )
    expect(await inline(request, fetchMedia)).toBe(request)
    expect(asked).toEqual([])
  })
})

describe('a refusal', () => {
  const reason = 'The host of the file answered with status 404.'

  test('T15: names the field and says what went wrong, in a 400', async () => {
    const { fetchMedia } = library({ gone: new MediaError(reason) })
    const part = imageAt('gone', 'messages[2].content[0].image_url')
    expect(await refusal(inline(requestOf(part), fetchMedia))).toEqual({
      ...{ kind: 'invalid_value', status: 400 },
      message: `messages[2].content[0].image_url: ${reason}`,
      param: 'messages[2].content[0].image_url',
    })
    expect(await refusal(inline(requestOf(imageAt('gone')), fetchMedia))).toMatchObject({
      ...{ message: reason, param: undefined },
    })
  })

  test('names the first of several fields with the same address', async () => {
    const { fetchMedia } = library({ gone: new MediaError(reason) })
    const request = requestOf(imageAt('gone', 'first'), imageAt('gone', 'second'))
    expect((await refusal(inline(request, fetchMedia))).param).toBe('first')
  })

  test('for want of a place is no fault of the request: 429', async () => {
    const { fetchMedia } = library({ a: new MediaError('Too many.', { isBusy: true }) })
    expect(await refusal(inline(requestOf(imageAt('a', 'x')), fetchMedia))).toMatchObject({
      ...{ kind: 'channels_busy', status: 429, message: 'Too many.' },
    })
  })

  const kinds: readonly (readonly [
    'image' | 'document' | 'audio' | 'video',
    string,
    string | undefined,
  ])[] = [
    ['image', 'image/webp', undefined],
    ['image', 'application/pdf', 'The file is application/pdf, not an image.'],
    ['image', 'video/mp4', 'The file is video/mp4, not an image.'],
    ['document', 'application/pdf', undefined],
    ['document', 'image/png', 'The file is image/png, not a PDF.'],
    ['audio', 'audio/wav', undefined],
    ['audio', 'video/mp4', undefined],
    ['audio', 'image/png', 'The file is image/png, not a sound.'],
    ['video', 'audio/mp4', undefined],
    ['video', 'application/pdf', 'The file is application/pdf, not a film.'],
  ]
  test.each(kinds)('of %s that is %s: %s', async (type, mediaType, words) => {
    const { fetchMedia } = library({ a: { mediaType, data: 'AAAA' } })
    const source = { type: 'url', url: 'a' } as const
    const request = requestOf({ type, source, at: 'here' })
    if (words === undefined) {
      expect((await inline(request, fetchMedia)).turns[0]?.parts[0]).toMatchObject({
        source: { type: 'data', mediaType },
      })
    } else {
      expect((await refusal(inline(request, fetchMedia))).message).toBe(`here: ${words}`)
    }
  })

  test('20 addresses are fetched, one more is too many', async () => {
    const parts = Array.from({ length: 21 }, (_, index) => imageAt(`${index}`, `parts[${index}]`))
    const { fetchMedia, asked } = library()
    await inline(requestOf(...parts.slice(0, 20), imageAt('0')), fetchMedia)
    expect(asked.length).toBe(20)
    expect(await refusal(inline(requestOf(...parts), fetchMedia))).toMatchObject({
      message: 'parts[20]: A request may name at most 20 files by their address.',
      param: 'parts[20]',
    })
    expect(asked.length).toBe(20)
  })

  test('the files of a request are bounded together', async () => {
    const large = { mediaType: 'image/png', data: 'A'.repeat(16 * 1_048_576) }
    const { fetchMedia } = library({ a: large, b: large, c: large, d: large })
    const parts = ['a', 'b', 'c', 'd'].map((url) => imageAt(url))
    await inline(requestOf(...parts), fetchMedia)
    expect(await refusal(inline(requestOf(...parts, imageAt('e')), fetchMedia))).toMatchObject({
      ...{ kind: 'body_too_large', status: 413 },
    })
  })

  test('what is no refusal is passed on as it is', async () => {
    const bug = new RangeError('a bug')
    await expect(inline(requestOf(imageAt('a')), library({ a: bug }).fetchMedia)).rejects.toBe(bug)
  })
})

describe('at the same time', () => {
  /** A fetch that lasts until it is ended, unless its address is known. */
  function patient(files: Readonly<Record<string, Media | Error>> = {}) {
    const under: Record<string, AbortSignal> = {}
    const fetchMedia: FetchMedia = (url, { signal }) => {
      under[url] = signal
      const file = files[url]
      if (file instanceof Error) return Promise.reject(file)
      if (file !== undefined) return Promise.resolve(file)
      const { promise, reject } = Promise.withResolvers<Media>()
      signal.addEventListener('abort', () => reject(signal.reason))
      return promise
    }
    return { fetchMedia, under }
  }
  const twenty = Array.from({ length: 20 }, (_, index) => imageAt(`${index}`, `at ${index}`))

  test('at most 8 files of one request are fetched', async () => {
    const { fetchMedia, under } = patient({ 0: anImage })
    const leaving = new AbortController()
    const inlining = inlineMedia(requestOf(...twenty), all, fetchMedia, leaving.signal)
    await Bun.sleep(0)
    expect(Object.keys(under)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8'])
    leaving.abort(new Error('left'))
    await expect(inlining).rejects.toThrow('left')
  })

  test('the first failure ends all others, and none begins after it', async () => {
    const { fetchMedia, under } = patient({ 5: new MediaError('The file is gone.') })
    const inlining = inline(requestOf(...twenty), fetchMedia)
    expect((await refusal(inlining)).message).toBe('at 5: The file is gone.')
    await Bun.sleep(0)
    expect(Object.keys(under).length).toBe(8)
    expect(Object.values(under).every(({ aborted }) => aborted)).toBe(true)
  })

  test('a client that leaves ends all, with its own reason', async () => {
    const { fetchMedia, under } = patient()
    const leaving = new AbortController()
    const inlining = inlineMedia(requestOf(...twenty), all, fetchMedia, leaving.signal)
    leaving.abort(new Error('left'))
    await expect(inlining).rejects.toThrow('left')
    expect(Object.values(under).every(({ aborted }) => aborted)).toBe(true)
  })
})

test('X1: with the real fetcher: the files of a server, and a refusal without its address', async () => {
  await using server = startFakeUpstream(({ path }) =>
    path === '/gone' ? new Response(null, { status: 404 }) : fileAnswer(),
  )
  const fetchMedia = localFetcher().of('a')
  const done = await inline(requestOf(imageAt(`${server.url}/a`)), fetchMedia)
  expect(done.turns[0]?.parts[0]).toMatchObject({
    source: { type: 'data', ...asMedia('image/png', samples.png) },
  })
  const parts = ['a', 'b', 'gone', 'c'].map((path) => imageAt(`${server.url}/${path}`, path))
  expect((await refusal(inline(requestOf(...parts), fetchMedia))).message).toBe(
    'gone: The host of the file answered with status 404.',
  )
})
