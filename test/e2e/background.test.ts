import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  type BackgroundUpstream,
  backgroundNano,
  startBackgroundUpstream,
} from '../support/background-upstream.ts'
import { type RunningBinary, runBinary, startBinary } from '../support/binary.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { releaseDatabaseOf } from '../support/test-store.ts'
import { testKey, tollgateYaml } from '../support/tollgate-yaml.ts'
import { until } from './until.ts'

// The process is killed while an upstream works on answers that nobody will fetch.

const strangerKey = 'sk-stranger-0123456789abcdefghijkl'
const folder = createTempDir('tollgate-background')
let upstream: BackgroundUpstream
let gateway: RunningBinary

const start = () =>
  startBinary({
    cwd: folder.path,
    config: (listen) =>
      tollgateYaml({
        ...{ listen, upstream: upstream.url, balance: 1 },
        moreAccounts: [
          {
            ...{ email: 'stranger@example.com', balance: 1 },
            tokens: [{ name: 'stranger', key: strangerKey, group: 'default' }],
          },
        ],
      }),
  })

beforeAll(async () => {
  upstream = startBackgroundUpstream()
  gateway = await start()
})
afterAll(async () => {
  await gateway.stop()
  await upstream[Symbol.asyncDispose]()
  await releaseDatabaseOf(folder.path)
  folder.remove()
})

async function create(more: object, key = testKey) {
  const answer = await fetch(`${gateway.url}/v1/responses`, {
    ...{ method: 'POST', proxy: false },
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'test-model', input: 'Think.', ...more }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, never> }
}

async function run<Result>(...args: string[]): Promise<Result> {
  const config = ['--config', folder.join('tollgate.yaml'), '--json']
  const { stdout, stderr, exitCode } = await runBinary([...args, ...config], { cwd: folder.path })
  if (exitCode !== 0) throw new Error(stdout + stderr)
  return JSON.parse(stdout) as Result
}
const account = () =>
  run<{ balance_nano: number; reserved_nano: number }>('account', 'show', 'user@example.com')
const status = () =>
  run<{ background: { answers: number; reserved_nano: number } }>('status').then(
    ({ background }) => background,
  )

test('A2: a kill loses no answer in the background: it is held, and charged when it ends', async () => {
  const begun = []
  for (const stream of [false, false]) begun.push(await create({ background: true, stream }))
  expect(begun.map(({ status }) => status)).toEqual([200, 200])
  const held = (await account()).reserved_nano
  expect(held).toBeGreaterThan(0)
  expect(await status()).toMatchObject({ answers: 2, reserved_nano: held })
  await gateway.kill('SIGKILL')
  expect(await account()).toMatchObject({ balance_nano: 1_000_000_000, reserved_nano: held })
  gateway = await start()
  expect(await account()).toMatchObject({ balance_nano: 1_000_000_000, reserved_nano: held })
  upstream.finish()
  const spent = { balance_nano: 1_000_000_000 - 2 * backgroundNano, reserved_nano: 0 }
  await until(
    'both to be charged',
    async () => (await account()).balance_nano === spent.balance_nano,
    // One that was asked for at the moment of the kill is left alone until its lease has ended.
    20_000,
  )
  expect(await account()).toMatchObject(spent)
  expect(await status()).toMatchObject({ answers: 0, reserved_nano: 0 })
  expect(await run('verify')).toMatchObject({ valid: true })
})

test('A10: who has got an answer is known after a kill; nobody else continues it, nor one that nobody has got', async () => {
  const { body } = await create({})
  await gateway.kill('SIGKILL')
  gateway = await start()
  const continued = { previous_response_id: String(body.id) }
  expect((await create(continued)).status).toBe(200)
  const item = { input: [{ type: 'item_reference', id: `msg_${body.id}` }] }
  expect((await create(item)).status).toBe(200)
  const asked = upstream.requests.length
  for (const [more, key] of [
    [continued, strangerKey],
    [item, strangerKey],
    [{ previous_response_id: 'resp_of_nobody' }, testKey],
    [{ conversation: 'conv_of_nobody' }, testKey],
  ] as const) {
    const refused = await create(more, key)
    expect(refused.status).toBe(404)
    expect(refused.body.error).toMatchObject({ code: 'previous_response_not_found' })
  }
  expect(upstream.requests).toHaveLength(asked)
})
