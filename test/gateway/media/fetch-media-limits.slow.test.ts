import { describe, expect, test } from 'bun:test'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { stall, startFakeUpstream } from '../../support/fake-upstream.ts'
import { samples } from './media-samples.ts'
import {
  asMedia,
  errorOf,
  fetchBy,
  fetchFrom,
  fileAnswer,
  localFetcher,
  rawServer,
  wordsOf,
} from './media-scene.ts'

const png = asMedia('image/png', samples.png)

describe('size', () => {
  const limits = { fileBytes: 1_048_576 }
  const tooLarge = 'The file is larger than 1 MiB.'
  const sized = (bytes: number) => Buffer.concat([samples.png, Buffer.alloc(bytes)], bytes)

  test('a file that is just as large as it may be is fetched', async () => {
    const media = await fetchFrom(() => new Response(sized(1_048_576)), limits)
    expect(media).toEqual(asMedia('image/png', sized(1_048_576)))
    const undeclared = await fetchFrom(() => fileAnswer(sized(1_048_576)), limits)
    expect(undeclared).toEqual(media)
  })

  test('a file that is declared too large is not read', async () => {
    using server = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1048577\r\n\r\n')
    })
    expect(await wordsOf(fetchBy(localFetcher(limits).of('a'), server.url))).toBe(tooLarge)
    await server.closed
  })

  test('a file that is too large without a word of it is given up when that shows', async () => {
    using server = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n')
      const more = () => {
        while (socket.writable && socket.write(Buffer.alloc(65_536)));
      }
      socket.on('drain', more)
      more()
    })
    expect(await wordsOf(fetchBy(localFetcher(limits).of('a'), server.url))).toBe(tooLarge)
    await server.closed
  })

  const packers = [
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['Identity', (bytes: Uint8Array) => bytes],
  ] as const
  test.each(packers)('a body in %s counts as it is unpacked', async (encoding, pack) => {
    const answer = (bytes: Buffer) => () =>
      fileAnswer(pack(bytes), { 'content-encoding': encoding })
    expect(await fetchFrom(answer(sized(1_048_576)), limits)).toEqual(
      asMedia('image/png', sized(1_048_576)),
    )
    expect(await wordsOf(fetchFrom(answer(sized(1_048_577)), limits))).toBe(tooLarge)
  })

  test.each(['gzip', 'br', 'gzip, gzip', 'zstd', 'constructor'])(
    'a body that is not the %s it says is refused',
    async (encoding) => {
      const headers = { 'content-encoding': encoding }
      expect(await wordsOf(fetchFrom(() => fileAnswer(samples.png, headers)))).toBe(
        'The file came compressed in an unknown or broken way.',
      )
    },
  )
})

describe('time', () => {
  const limits = { fetchMs: 1_000 }
  const late = 'The file could not be fetched within 1 s.'

  test('a host that does not answer is given up', async () => {
    await using server = startFakeUpstream(stall)
    expect(await wordsOf(fetchBy(localFetcher(limits).of('a'), server.url))).toBe(late)
    await server.last().aborted
  })

  test('X1: a body in drops is given up, although something always comes', async () => {
    using server = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n')
      const drops = setInterval(() => socket.write('x'), 5)
      socket.once('close', () => clearInterval(drops))
    })
    expect(await wordsOf(fetchBy(localFetcher(limits).of('a'), server.url))).toBe(late)
    await server.closed
  })

  test('redirects have one limit together', async () => {
    await using server = startFakeUpstream(async ({ path }) => {
      await Bun.sleep(400)
      return new Response(null, { status: 307, headers: { location: `${path}0` } })
    })
    expect(await wordsOf(fetchBy(localFetcher(limits).of('a'), server.url))).toBe(late)
  })
})

describe('a client that leaves', () => {
  test('ends the fetch at once, with its own reason', async () => {
    const leaving = new AbortController()
    await using server = startFakeUpstream(() => {
      queueMicrotask(() => leaving.abort(new Error('left')))
      return stall()
    })
    const { signal } = leaving
    const fetching = localFetcher().of('a')(server.url, { signal })
    await expect(fetching).rejects.toThrow('left')
    await server.last().aborted
  })

  test('before anything began, costs no call', async () => {
    await using server = startFakeUpstream(() => fileAnswer())
    const signal = AbortSignal.abort(new Error('left'))
    await expect(localFetcher().of('a')(server.url, { signal })).rejects.toThrow('left')
    expect(server.requests).toEqual([])
  })
})

describe('at the same time', () => {
  test('no more files are fetched than may be', async () => {
    let now = 0
    let most = 0
    await using server = startFakeUpstream(async () => {
      most = Math.max(most, ++now)
      await Bun.sleep(5)
      now--
      return fileAnswer()
    })
    const fetcher = localFetcher({ atOnce: 2 })
    const urls = Array.from({ length: 7 }, (_, index) => `${server.url}/${index}`)
    const media = await Promise.all(
      urls.map((url, index) => fetchBy(fetcher.of(`owner ${index}`), url)),
    )
    expect(media).toEqual(urls.map(() => png))
    expect(most).toBe(2)
  })

  test('who leaves the line takes no place, and places are given on', async () => {
    const answer = Promise.withResolvers<void>()
    await using server = startFakeUpstream(async () => {
      await answer.promise
      return fileAnswer()
    })
    const fetcher = localFetcher({ atOnce: 1 })
    const leaving = new AbortController()
    const { signal } = leaving
    const first = fetchBy(fetcher.of('a'), `${server.url}/first`)
    const waiting = fetcher.of('a')(`${server.url}/left`, { signal })
    leaving.abort(new Error('left'))
    await expect(waiting).rejects.toThrow('left')
    answer.resolve()
    expect(await first).toEqual(png)
    expect(await fetchBy(fetcher.of('a'), `${server.url}/second`)).toEqual(png)
    expect(server.requests.map(({ path }) => path)).toEqual(['/first', '/second'])
  })

  test('the time for a place is bounded, and its end is no fault of the file', async () => {
    await using server = startFakeUpstream(stall)
    const fetcher = localFetcher({ atOnce: 1, waitMs: 20, fetchMs: 1_000 })
    const [first, second] = await Promise.all([
      errorOf(fetchBy(fetcher.of('a'), `${server.url}/first`)),
      errorOf(fetchBy(fetcher.of('a'), `${server.url}/second`)),
    ])
    expect([first.isBusy, second.isBusy]).toEqual([false, true])
    expect(second.message).toBe('Too many files are being fetched at present. Try again later.')
    expect(server.requests.length).toBe(1)
  })
})
