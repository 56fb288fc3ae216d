import { expect, test } from 'bun:test'
import { until } from '../e2e/until.ts'
import { startFakeUpstream } from '../support/fake-upstream.ts'
import { startServing } from './serving.ts'

const body = { model: 'test-model', messages: [{ role: 'user', content: 'hello' }] }
const answer = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
}

test('a flood of unknown keys is not looked up, and a new key from the same address is good at once', async () => {
  const upstream = startFakeUpstream(() => Response.json(answer))
  await using gateway = await startServing({ upstream: upstream.url })
  const { tokens } = gateway.instance.store
  let lookUps = 0
  const { findByHash } = tokens
  Object.assign(tokens, {
    findByHash(hash: string) {
      lookUps++
      return findByHash(hash)
    },
  })
  let key = 0
  const flood = async (count: number) => {
    const before = lookUps
    const asking = Array.from({ length: count }, () =>
      gateway.ask('/v1/chat/completions', body, `sk-unknown-${key++}`),
    )
    for (const { status, headers } of await Promise.all(asking)) {
      expect([status, headers.get('x-tollgate-reason')]).toEqual([401, 'unknown'])
    }
    return lookUps - before
  }
  await flood(100)
  // The keys that there are get known meanwhile, from another machine where the database is one.
  await until('unknown keys to be refused', async () => (await flood(1)) === 0)
  const since = performance.now()
  const more = await flood(400)
  // One a second may be looked up again.
  expect(more).toBeLessThanOrEqual(2 + (performance.now() - since) / 1_000)
  const flooding = flood(300)
  await gateway.configure({
    moreAccounts: [
      {
        email: 'new@example.com',
        balance: 10,
        tokens: [{ name: 'new', key: 'sk-new-key-0123456789abcdef', group: 'default' }],
      },
    ],
  })
  const good = await gateway.ask('/v1/chat/completions', body, 'sk-new-key-0123456789abcdef')
  expect(good.status).toBe(200)
  expect((await gateway.ask('/v1/chat/completions', body)).status).toBe(200)
  await flooding
  await gateway[Symbol.asyncDispose]()
  // All but the first ten are told in one line.
  const summed = gateway.complaints.filter((line) => line.includes('"requests refused"'))
  expect(summed.length).toBe(1)
  expect(JSON.parse(summed[0] ?? '')).toMatchObject({
    cause: 'unknown',
    count: key - 10,
    addresses: 1,
  })
  await upstream.stop()
})
