import { afterEach, beforeEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { type RunningBinary, runBinary, startBinary } from '../support/binary.ts'
import { startFakeUpstream } from '../support/fake-upstream.ts'
import { freePort } from '../support/free-port.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { feedPaths, readFeed, startPricedGateway } from './priced-gateway.ts'
import { until } from './until.ts'

// A mirror is a process of its own, before a gateway that is another.

let folder: TempDir
beforeEach(() => {
  folder = createTempDir()
})
afterEach(() => folder.remove())

async function startMirror(origin: string, ...more: string[]): Promise<RunningBinary> {
  const port = await freePort()
  const options = ['--listen', `127.0.0.1:${port}`, '--dir', folder.path, '--interval', '200ms']
  return startBinary({
    args: ['feed', 'mirror', origin, ...options, '--log', 'json', ...more],
    port,
  })
}

const withPrice = (price: number) => `"input_price":${price},`

/** Waits until the mirror serves that price; gives the feed. */
const priceArrives = (mirror: RunningBinary, price: number) =>
  until(`the price ${price}`, async () => {
    const text = await readFeed(mirror.url).catch(() => '')
    return text.includes(withPrice(price)) && text
  })

const logged = (mirror: RunningBinary, text: string) =>
  until(`a line with ${text}`, () => mirror.stdout.find((line) => line.includes(text)))

test('serves on when the origin is killed, follows when it is back, starts again from its copy', async () => {
  await using gateway = await startPricedGateway('http://127.0.0.1:9')
  const origin = gateway.tollgate.url + feedPaths[0]
  let mirror = await startMirror(origin)
  try {
    const first = await priceArrives(mirror, 0.8)
    expect(first).toBe(await readFeed(gateway.tollgate.url))
    expect(await readFeed(mirror.url, feedPaths[1])).toBe(first)
    const theirs = await fetch(origin, { proxy: false })
    const ours = await fetch(mirror.url + feedPaths[1], {
      proxy: false,
      headers: { 'if-none-match': theirs.headers.get('etag') ?? '' },
    })
    expect(ours.status).toBe(304)
    expect(ours.headers.get('last-modified')).toBe(theirs.headers.get('last-modified'))
    expect(
      (await fetch(mirror.url + feedPaths[0], { method: 'OPTIONS', proxy: false })).status,
    ).toBe(405)
    const elsewhere = await fetch(`${mirror.url}/v1/models`, { proxy: false })
    expect([elsewhere.status, await elsewhere.text()]).toEqual([404, '404 page not found'])

    await gateway.tollgate.kill('SIGKILL')
    await logged(mirror, 'the last good copy is served on')
    expect(await readFeed(mirror.url)).toBe(first)
    expect(await mirror.stop()).toBe(0)
    mirror = await startMirror(origin)
    expect(await readFeed(mirror.url)).toBe(first)

    const file = await Bun.file(gateway.file).text()
    writeFileSync(gateway.file, file.replace('input: 1\n', 'input: 5\n'))
    await gateway.restart()
    const second = await priceArrives(mirror, 4)
    expect(second).toBe(await readFeed(gateway.tollgate.url))
  } finally {
    await mirror.stop()
  }
})

test('refuses and reports broken and foreign documents; --accept-site lets a site move', async () => {
  await using gateway = await startPricedGateway('http://127.0.0.1:9')
  const good = await readFeed(gateway.tollgate.url)
  let text = good
  await using origin = startFakeUpstream(() => new Response(text))
  await using mirror = await startMirror(`${origin.url}/feed`)
  await priceArrives(mirror, 0.8)

  text = good.slice(0, 200)
  await logged(mirror, 'the document is broken')
  const foreign = good.replace('"site_name":"My gateway"', '"site_name":"Other"')
  text = foreign.replace(withPrice(0.8), withPrice(0.1))
  await logged(mirror, 'is of site \\"Other\\"')
  expect(await readFeed(mirror.url)).toBe(good)
  text = good.replace(withPrice(0.8), withPrice(0.9))
  await priceArrives(mirror, 0.9)

  await mirror.kill('SIGTERM')
  text = foreign
  await using moved = await startMirror(`${origin.url}/feed`, '--accept-site', 'Other')
  await until('the other site', async () => (await readFeed(moved.url)) === foreign)
})

test('without a copy and without an origin the answer is 503, until there is one', async () => {
  await using mirror = await startMirror('http://127.0.0.1:9/feed')
  const failed = await fetch(mirror.url + feedPaths[0], { proxy: false })
  expect(failed.status).toBe(503)
  expect(await failed.json()).toMatchObject({ success: false, data: null })
  await logged(mirror, 'there is no copy to serve')
})

test('wrong use is told', async () => {
  const wrong = await runBinary(['feed', 'mirror', 'gateway.example.com/feed'])
  expect([wrong.exitCode, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('begins with https://'),
  ])
  const password = await runBinary(['feed', 'mirror', 'http://user:secret@127.0.0.1/feed'])
  expect([password.exitCode, password.stderr]).toEqual([
    2,
    expect.stringContaining('price feed is public'),
  ])
})
