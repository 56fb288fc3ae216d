import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { runBinary } from '../support/binary.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { ask, requestIdOf } from './caller.ts'
import { dialects } from './dialects.ts'
import { openLedger } from './ledger.ts'
import {
  feedPaths,
  groupName,
  type PricedGateway,
  readFeed,
  startPricedGateway,
} from './priced-gateway.ts'
import { until } from './until.ts'

const tokens = { input: 1234, output: 567 }
let upstream: FakeUpstream
let gateway: PricedGateway

beforeAll(async () => {
  upstream = startFakeUpstream(() => jsonAnswer(dialects.chat.body(tokens)))
  gateway = await startPricedGateway(upstream.url, {
    name: 'My gateway',
    domain: 'gateway.example.com',
    base_url: 'https://gateway.example.com',
    status_url: 'https://status.example.com',
    price_backup_url: 'https://backup.example.com/api/provider/pricing',
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream.stop()
})

const get = (path: string, init: BunFetchRequestInit = {}) =>
  fetch(gateway.tollgate.url + path, { ...init, proxy: false })

/** The input price of the model as a feed's text has it. */
const inputPrice = (feed: string) => /"input_price":([\d.]+),"output_price":[1-9]/.exec(feed)?.[1]

test('the first request after the start gets the prices, and both addresses the same bytes', async () => {
  const text = await readFeed(gateway.tollgate.url)
  expect(await readFeed(gateway.tollgate.url, feedPaths[1])).toBe(text)
  const { data } = JSON.parse(text)
  expect(data).toMatchObject({ currency: 'CNY', site_name: 'My gateway' })
  expect(data.models.map((entry: { model_name: string }) => entry.model_name)).toEqual([
    'house-llm',
    'painter',
    'test-model',
  ])
})

test('the name of a group is the same bytes in YAML, feed and commands', async () => {
  const name = Buffer.from(groupName)
  const feed = Buffer.from(await readFeed(gateway.tollgate.url))
  expect(
    feed.includes(Buffer.concat([Buffer.from('"group_name":"'), name, Buffer.from('"')])),
  ).toBe(true)
  const list = await runBinary(['group', 'list', '--json', '--config', gateway.file])
  expect(JSON.parse(list.stdout)[0].name).toBe(groupName)
  const answer = await ask(gateway.tollgate.url, dialects.chat, false)
  await answer.text()
  const exported = await runBinary(['export', 'requests', '--config', gateway.file])
  const record = JSON.parse(exported.stdout.trim().split('\n').at(-1) ?? '')
  expect(record.group).toBe(groupName)
})

test('no snapshot without a change makes another version: over intervals all headers stay', async () => {
  const before = await get(feedPaths[0])
  const text = await before.text()
  await Bun.sleep(2500) // two intervals
  const after = await get(feedPaths[1])
  expect(await after.text()).toBe(text)
  for (const name of ['etag', 'last-modified'])
    expect(after.headers.get(name)).toBe(before.headers.get(name))
})

test('a changed price is in the feed within a second, and is what is charged', async () => {
  const before = await get(feedPaths[0])
  await gateway.setPrice(3.000001, 1.234567)
  const feed = await until(
    'the new price',
    async () => {
      const text = await readFeed(gateway.tollgate.url)
      return inputPrice(text) === '3.703702234567' && text
    },
    2000,
  )
  const after = await get(feedPaths[0])
  for (const name of ['etag', 'last-modified'])
    expect(after.headers.get(name)).not.toBe(before.headers.get(name))
  const { data } = JSON.parse(feed)
  expect(data.updated_at).not.toBe(
    ((await before.json()) as { data: { updated_at: string } }).data.updated_at,
  )
  const answer = await ask(gateway.tollgate.url, dialects.chat, false)
  await answer.text()
  await using ledger = openLedger(gateway.tollgate.cwd)
  // 3.703702234567 × 1234 + 2.469134 × 567 USD per million, in nano-USD, by hand:
  expect((await ledger.record(requestIdOf(answer)))?.amount_nano).toBe(5_970_368)
})

test('a site renamed in the configuration is renamed in the feed, without a restart', async () => {
  const text = await Bun.file(gateway.file).text()
  await Bun.write(gateway.file, text.replace('name: My gateway', 'name: 我的网关'))
  process.kill(gateway.tollgate.pid, 'SIGHUP')
  await until('the new name', async () =>
    (await readFeed(gateway.tollgate.url)).includes('"site_name":"我的网关"'),
  )
})

describe('other sites', () => {
  test('a page of another origin is told nothing that lets it read', async () => {
    const origin = 'https://other.example.com'
    const asked = { origin, 'access-control-request-method': 'GET' }
    for (const path of feedPaths) {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE']) {
        const response = await get(path, { method, headers: asked })
        expect(response.status).toBe(method === 'GET' || method === 'HEAD' ? 200 : 405)
        expect([...response.headers.keys()].join()).not.toContain('access-control')
      }
    }
  })

  test.each([
    ['status.example.com', 200],
    ['backup.example.com:443', 404],
  ])('%s serves the feed and the status only, the latter at / by %d', async (host, front) => {
    for (const path of feedPaths) expect((await get(path, { headers: { host } })).status).toBe(200)
    const page = await get('/', { headers: { host } })
    expect(page.status).toBe(front)
    expect((await page.text()) === '404 page not found').toBe(front === 404)
    for (const path of ['/docs', '/v1/models', '/api/v1/model-plaza', '/api/v1/settings/public']) {
      const response = await get(path, { headers: { host } })
      expect(response.status).toBe(404)
      expect(await response.text()).toBe('404 page not found')
    }
    expect((await get('/v1/models', { headers: { host: 'gateway.example.com' } })).status).toBe(401)
  })
})

describe('feed validate', () => {
  const validate = (...args: string[]) => runBinary(['feed', 'validate', ...args])

  test('says that a feed is right', async () => {
    const { stdout, exitCode } = await validate(gateway.tollgate.url + feedPaths[1])
    expect(stdout).toMatch(/^Valid: 3 rows in 1 group, updated at 20\d\d-.+Z\.\n$/)
    expect(exitCode).toBe(0)
  })

  test('says what is wrong, where, and what was expected', async () => {
    const text = (await readFeed(gateway.tollgate.url))
      .replace('"unit_price":', '"price":')
      .replace('"success":true', '"success":1')
    const file = `${gateway.tollgate.cwd}/bad.json`
    await Bun.write(file, text)
    const { stdout, stderr, exitCode } = await validate(file)
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 })
    expect(stderr).toBe(
      `tollgate: ${file} is no valid price feed: 2 problems.\n` +
        'tollgate:   success: 1 should be true.\n' +
        'tollgate:   data.models[1].unit_price: nothing should be a number of USD, 0 or more.\n',
    )
    const machine = await validate(file, '--json')
    expect(JSON.parse(machine.stdout).problems[1]).toEqual({
      path: 'data.models[1].unit_price',
      value: 'nothing',
      expected: 'a number of USD, 0 or more',
    })
    expect(machine.exitCode).toBe(1)
  })

  test('says that there is nothing to read', async () => {
    const gone = await validate('http://127.0.0.1:9/feed')
    expect([gone.exitCode, gone.stderr]).toEqual([
      1,
      expect.stringContaining("http://127.0.0.1:9/feed can't be read: "),
    ])
    const other = await validate(`${gateway.tollgate.url}/v1/models`)
    expect(other.stderr).toContain('the origin answered 401')
    expect((await validate('nowhere.json')).stderr).toContain("nowhere.json can't be read")
    expect((await validate()).exitCode).toBe(2)
  })
})
