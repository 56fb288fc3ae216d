import { describe, expect, test } from 'bun:test'
import { createMediaFetcher } from '../../../src/gateway/media/fetch-media.ts'
import { createMemoryBudget, Lease } from '../../../src/gateway/memory/memory-budget.ts'
import { createOutbound, type Outbound } from '../../../src/gateway/outbound/outbound.ts'
import { type FakeHandler, startFakeUpstream } from '../../support/fake-upstream.ts'
import { startTwoHosts } from '../outbound/two-hosts.ts'
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

describe('a file', () => {
  test('comes as base64, with what its bytes say that it is', async () => {
    const headers = { 'content-type': 'text/plain' }
    expect(await fetchFrom(() => fileAnswer(samples.webp, headers))).toEqual(
      asMedia('image/webp', samples.webp),
    )
  })

  test('may be a sound or a film, as its header says', async () => {
    const headers = { 'content-type': 'audio/mp3' }
    expect(await fetchFrom(() => fileAnswer(samples.mp3, headers))).toEqual(
      asMedia('audio/mpeg', samples.mp3),
    )
  })

  test('X1: a page or a record is not passed on, whatever its header says', async () => {
    const secret = new TextEncoder().encode('{"AccessKeyId":"AKIA"}')
    for (const type of ['image/png', 'application/json', 'text/html', 'application/pdf', '<b>']) {
      const words = await wordsOf(fetchFrom(() => fileAnswer(secret, { 'content-type': type })))
      const said = type === '<b>' ? '' : ` Its host calls it ${type}.`
      expect(words).toBe(`The file is no image, PDF, sound or film of a known kind.${said}`)
    }
  })

  test('that is empty is of no known kind', async () => {
    expect(await wordsOf(fetchFrom(() => fileAnswer(samples.empty)))).toContain('of a known kind')
  })

  test.each([204, 206, 304, 400, 403, 404, 500, 503])('with status %d is none', async (status) => {
    const body = status === 204 || status === 304 ? null : Buffer.from(samples.png)
    expect(await wordsOf(fetchFrom(() => new Response(body, { status })))).toBe(
      `The host of the file answered with status ${status}.`,
    )
  })

  test('that is cut off is not passed on', async () => {
    using server = await rawServer((socket) => {
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n\x89PNG\r\n\x1a\n')
    })
    const words = await wordsOf(fetchBy(localFetcher().of('a'), server.url))
    expect(words).toBe('The connection to the host of the file failed.')
  })
})

describe('the request', () => {
  test('X1: is a GET with nothing of the client’s, and cookies are not given back', async () => {
    await using server = startFakeUpstream(({ path, method }) => {
      if (method !== 'GET') return new Response(null, { status: 405 })
      const headers = { location: '/there', 'set-cookie': 'id=1' }
      return path === '/' ? new Response(null, { status: 302, headers }) : fileAnswer()
    })
    expect(await fetchBy(localFetcher().of('a'), server.url)).toEqual(png)
    for (const request of server.requests) {
      expect(Object.fromEntries(request.headers)).toEqual({
        accept: 'image/*, application/pdf, audio/*, video/*',
        'accept-encoding': 'identity',
        connection: 'keep-alive',
        host: server.url.slice('http://'.length),
        'user-agent': 'Tollgate',
      })
    }
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /',
      'GET /there',
    ])
  })
})

describe('an address', () => {
  const noCall: Outbound = () => Promise.reject(new Error('It was called.'))
  const portWords = (port: number) =>
    `The port ${port} of the address belongs to another protocol than HTTP.`
  const refused: readonly (readonly [url: string, words: string])[] = [
    ['file:///etc/passwd', 'The address must begin with http:// or https://.'],
    ['data:image/png;base64,AAAA', 'The address must begin with http:// or https://.'],
    ['gs://bucket/file.png', 'The address must begin with http:// or https://.'],
    ['ftp://example.com/a.png', 'The address must begin with http:// or https://.'],
    ['blob:https://example.com/1', 'The address must begin with http:// or https://.'],
    ['javascript:1', 'The address must begin with http:// or https://.'],
    ['example.com/a.png', 'The address is not a URL.'],
    ['//example.com/a.png', 'The address is not a URL.'],
    ['', 'The address is not a URL.'],
    ['http://', 'The address is not a URL.'],
    ['http://1.2.3.4.5/', 'The address is not a URL.'],
    ['https://me@example.com/', 'The address must not hold a user name or password.'],
    ['https://:word@example.com/', 'The address must not hold a user name or password.'],
    ['http://example.com@127.0.0.1/', 'The address must not hold a user name or password.'],
    ['http://example.com:0/', portWords(0)],
    ['https://example.com:22/', portWords(22)],
    ['http://example.com:0025/', portWords(25)],
    ['http://example.com:10080/a.png', portWords(10_080)],
    ['http://example.com:65536/', 'The address is not a URL.'],
    [`https://example.com/${'a'.repeat(8_192)}`, 'The address is longer than 8192 characters.'],
  ]
  test.each(refused)('X1: %.40s is refused before any call', async (url, words) => {
    const fetcher = createMediaFetcher({ outbound: noCall, allowPrivate: true })
    expect(await wordsOf(fetchBy(fetcher.of('a'), url))).toBe(words)
  })

  const names = ['127.0.0.1', 'localhost', '2130706433', '0177.0.0.1', '127.0.0.1.', '①②⑦.0.0.1']
  const sixes = ['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::127.0.0.1]']
  test.each([...names, '0', ...sixes])('X1: http://%s is not called by default', async (host) => {
    await using server = startFakeUpstream(() => fileAnswer())
    const fetcher = createMediaFetcher({ outbound: createOutbound({ env: {} }) })
    const url = `http://${host}:${new URL(server.url).port}/`
    const words = await wordsOf(fetchBy(fetcher.of('a'), url))
    expect(words).toBe('The host of the file has no public address.')
    expect(server.requests).toEqual([])
  })

  test('X1: DNS rebinding: the file comes from the address that was checked', async () => {
    await using hosts = await startTwoHosts(() => fileAnswer())
    const answers = [[hosts.publicAddress], [hosts.privateAddress]]
    const resolve = async () => answers.shift() ?? []
    const outbound = createOutbound({ resolve, isPublic: hosts.isPublic, env: {} })
    const fetchMedia = createMediaFetcher({ outbound }).of('a')
    expect(await fetchBy(fetchMedia, `http://localhost:${hosts.port}/`)).toEqual(png)
    expect(hosts.privateConnections()).toBe(0)
  })

  test('of an unknown host, or a closed port, is told as that', async () => {
    const unknown = createOutbound({ resolve: async () => [], env: {} })
    const fetchMedia = createMediaFetcher({ outbound: unknown }).of('a')
    expect(await wordsOf(fetchBy(fetchMedia, 'https://nowhere.test/'))).toBe(
      'The host of the file could not be found.',
    )
    const { url, [Symbol.dispose]: close } = await rawServer(() => {})
    close()
    expect(await wordsOf(fetchBy(localFetcher().of('a'), url))).toBe(
      'The connection to the host of the file failed.',
    )
  })

  test('of a host that is silent when it is looked up or called, is told as that', async () => {
    const silent = createOutbound({ resolve: () => new Promise(() => {}), env: {} })
    const fetcher = createMediaFetcher({ outbound: silent, limits: { connectMs: 20 } })
    expect(await wordsOf(fetchBy(fetcher.of('a'), 'https://slow.test/'))).toBe(
      'The host of the file could not be reached in time.',
    )
  })
})

describe('a redirect', () => {
  const sendTo = (location: string | null, status = 302) =>
    new Response(null, { status, headers: location === null ? {} : { location } })

  test.each([301, 302, 303, 307, 308])('%d within the same origin is followed', async (status) => {
    await using server = startFakeUpstream(({ path }) =>
      path === '/b?c' ? fileAnswer() : sendTo('b?c#d', status),
    )
    expect(await fetchBy(localFetcher().of('a'), `${server.url}/a`)).toEqual(png)
  })

  test('is followed three times, and not a fourth time', async () => {
    const steps = (count: number): FakeHandler => {
      return ({ path }) =>
        path === `/${count}` ? fileAnswer() : sendTo(`/${Number(path.slice(1)) + 1}`)
    }
    await using three = startFakeUpstream(steps(3))
    expect(await fetchBy(localFetcher().of('a'), `${three.url}/0`)).toEqual(png)
    await using four = startFakeUpstream(steps(4))
    expect(await wordsOf(fetchBy(localFetcher().of('a'), `${four.url}/0`))).toBe(
      'The address redirects more than 3 times.',
    )
    expect(four.requests.length).toBe(4)
  })

  const elsewhere = 'The address redirects to another host or scheme, which is not followed:'
  const places: readonly (readonly [place: string, words: string])[] = [
    ['http://169.254.169.254/latest/meta-data/', elsewhere],
    ['http://10.0.0.1/', elsewhere],
    ['//example.com/', elsewhere],
    ['https://127.0.0.1:{port}/', elsewhere],
    ['http://localhost:{port}/', elsewhere],
    ['http://127.0.0.1:{other}/', elsewhere],
    ['file:///etc/passwd', elsewhere],
    ['data:image/png;base64,AAAA', elsewhere],
    ['http://me:word@127.0.0.1:{port}/', 'The address must not hold a user name'],
    ['http://[', 'The address redirects to nowhere.'],
  ]
  test.each(places)('X1: to %s is refused, and the place not told', async (place, words) => {
    await using other = startFakeUpstream(() => fileAnswer())
    const otherPort = new URL(other.url).port
    await using server = startFakeUpstream(({ headers }) => {
      const port = headers.get('host')?.split(':')[1] ?? ''
      return sendTo(place.replace('{port}', port).replace('{other}', otherPort))
    })
    const message = await wordsOf(fetchBy(localFetcher().of('a'), server.url))
    expect(message).toStartWith(words)
    expect(message).not.toMatch(/169\.254|example|etc|word@/)
    expect([server.requests.length, other.requests.length]).toEqual([1, 0])
  })

  test('without a place is refused', async () => {
    const words = await wordsOf(fetchFrom(() => sendTo(null)))
    expect(words).toBe('The address redirects to nowhere.')
  })

  test('X1: is checked anew: the host may have moved to a private address', async () => {
    await using hosts = await startTwoHosts(async () => {
      await Bun.sleep(5)
      return sendTo('/next')
    })
    const answers = [[hosts.publicAddress], [hosts.privateAddress]]
    const resolve = async () => answers.shift() ?? []
    const parts = { resolve, isPublic: hosts.isPublic, env: {}, verdictMs: 1 }
    const fetchMedia = createMediaFetcher({ outbound: createOutbound(parts) }).of('a')
    const words = await wordsOf(fetchBy(fetchMedia, `http://localhost:${hosts.port}/`))
    expect(words).toBe('The host of the file has no public address.')
    expect([hosts.asked.length, hosts.privateConnections()]).toEqual([1, 0])
  })
})

describe('what was fetched', () => {
  async function counting(limits = {}, headers: Record<string, string> = {}) {
    const server = startFakeUpstream(() => fileAnswer(samples.png, headers))
    const fetcher = localFetcher(limits)
    return {
      times: () => server.requests.length,
      get: (owner: string, path: string) => fetchBy(fetcher.of(owner), server.url + path),
      [Symbol.asyncDispose]: () => server.stop(),
    }
  }

  test('is kept for the next turn of the conversation', async () => {
    await using scene = await counting()
    for (const path of ['/a', '/a', '/a#fragment']) expect(await scene.get('a', path)).toEqual(png)
    expect(scene.times()).toBe(1)
    await scene.get('a', '/a?other')
    expect(scene.times()).toBe(2)
  })

  test('is kept for nobody else: no customer learns what another one has sent', async () => {
    await using scene = await counting()
    await scene.get('a', '/a')
    await scene.get('b', '/a')
    expect(scene.times()).toBe(2)
  })

  test('is not kept when its host forbids it', async () => {
    await using scene = await counting({}, { 'cache-control': 'private, No-Store' })
    await scene.get('a', '/a')
    await scene.get('a', '/a')
    expect(scene.times()).toBe(2)
  })

  test('is not kept for longer than it may be', async () => {
    await using scene = await counting({ cacheMs: 1 })
    await scene.get('a', '/a')
    await Bun.sleep(5)
    await scene.get('a', '/a')
    expect(scene.times()).toBe(2)
  })

  test('takes no more memory than it may', async () => {
    await using scene = await counting({ cacheBytes: 2 * png.data.length + 60 })
    for (const path of ['/a', '/b', '/a', '/c', '/a', '/b']) await scene.get('a', path)
    expect(scene.times()).toBeGreaterThan(3)
    await using roomy = await counting()
    for (const path of ['/a', '/b', '/a', '/c', '/a', '/b']) await roomy.get('a', path)
    expect(roomy.times()).toBe(3)
  })

  test('a failure is not kept', async () => {
    let status = 500
    await using server = startFakeUpstream(() =>
      status === 200 ? fileAnswer() : new Response(null, { status }),
    )
    const fetchMedia = localFetcher().of('a')
    await errorOf(fetchBy(fetchMedia, server.url))
    status = 200
    expect(await fetchBy(fetchMedia, server.url)).toEqual(png)
  })
})

test('while there is no memory for a file nothing of it is read, and it is no fault of the file’s', async () => {
  const memory = createMemoryBudget({ totalBytes: 100_000 })
  const taken = new Lease('b')
  memory.tryTake(taken, 100_000)
  await using server = startFakeUpstream(() => fileAnswer())
  const limits = { waitMs: 100 }
  const { of } = createMediaFetcher({
    ...{ outbound: createOutbound(), allowPrivate: true, limits, memory },
  })
  const refused = of('a')(server.url, { signal: new AbortController().signal })
  expect(await refused.catch((error) => error)).toMatchObject({ kind: 'overloaded', status: 429 })
  memory.end(taken)
  expect(await of('a')(server.url, { signal: new AbortController().signal })).toEqual(png)
  expect(memory.usedBytes()).toBe(0)
})
