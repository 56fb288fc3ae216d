import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { until } from '../e2e/until.ts'
import {
  type BackgroundUpstream,
  backgroundNano,
  startBackgroundUpstream,
} from '../support/background-upstream.ts'
import { createDatabase, hasPostgres } from '../support/postgres.ts'
import { type Running, startServing } from './serving.ts'

// Answers that upstreams make in the background: nobody need fetch one for it to be charged.

const users = [
  'left',
  'never',
  'deletes',
  'goes-on',
  'many',
  'failing',
  'fetches',
  'nameless',
  'unread',
  'hurries',
] as const
type User = (typeof users)[number]
const keyOf = (user: User) => `sk-${user}-0123456789abcdefghijklmnop`
const emailOf = (user: User) => `${user}@example.com`
/** In USD; the answers cost a fifth of it. */
const balance = 0.01
const balanceNano = 10_000_000

const engines = [
  { name: 'SQLite', skip: false, open: async () => ({ store: ':memory:', close: async () => {} }) },
  {
    name: 'PostgreSQL',
    skip: !hasPostgres,
    async open() {
      const database = await createDatabase()
      return { store: database.url, close: () => database[Symbol.asyncDispose]() }
    },
  },
]

for (const { name, skip, open } of engines) {
  describe.skipIf(skip)(`answers made in the background, on ${name}`, () => {
    let place: Awaited<ReturnType<typeof open>>
    let upstream: BackgroundUpstream
    let gateway: Running

    beforeAll(async () => {
      place = await open()
      upstream = startBackgroundUpstream()
      gateway = await startServing({
        ...{ upstream: upstream.url, store: place.store },
        moreAccounts: users.map((user) => ({
          ...{ email: emailOf(user), balance },
          tokens: [{ name: 'key', key: keyOf(user), group: 'default' }],
        })),
      })
    })
    afterAll(async () => {
      await gateway[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
      await place.close()
    })

    const accountOf = async (user: User) => {
      const found = await gateway.instance.store.admin.account(emailOf(user))
      if (found === undefined) throw new Error(`There is no ${user}.`)
      return found
    }
    const spentBy = async (user: User) => balanceNano - (await accountOf(user)).balanceNano
    const untilSpent = (user: User, nano: number) =>
      until(`${user} to have spent ${nano}`, async () => (await spentBy(user)) === nano)
    const create = async (user: User, more: object = {}) => {
      const asked = { model: 'test-model', input: 'Think.', max_output_tokens: 2_000, ...more }
      const answer = await gateway.ask('/v1/responses', asked, keyOf(user))
      return { status: answer.status, body: (await answer.json()) as Record<string, never> }
    }
    const begin = async (user: User) => {
      const { status, body } = await create(user, { background: true })
      expect(status).toBe(200)
      return String(body.id)
    }
    const stored = (user: User, id: string, method = 'GET') =>
      fetch(`${gateway.serving.url}/v1/responses/${id}`, {
        ...{ method, proxy: false, headers: { authorization: `Bearer ${keyOf(user)}` } },
      })
    const records = async (user: User) => {
      const rows = await Array.fromAsync(gateway.instance.store.records.exportRequests({}))
      return rows.filter(({ account }) => account === emailOf(user))
    }

    /** Asks for a stream, and leaves as soon as the upstream is asked. */
    async function leaveAtOnce(user: User): Promise<void> {
      const left = new AbortController()
      const asked = { model: 'test-model', input: `I am ${user}.`, background: true, stream: true }
      const coming = fetch(`${gateway.serving.url}/v1/responses`, {
        ...{ method: 'POST', body: JSON.stringify(asked), proxy: false, signal: left.signal },
        headers: { authorization: `Bearer ${keyOf(user)}`, 'content-type': 'application/json' },
      }).catch(() => {})
      await until('the upstream to be asked', () =>
        upstream.requests.some((seen) => seen.text().includes(asked.input)),
      )
      left.abort()
      await coming
    }

    /** Reads a stream up to the end of its text, and leaves. */
    async function leaveAfterText(user: User): Promise<void> {
      const asked = { model: 'test-model', input: 'Think.', background: true, stream: true }
      const left = new AbortController()
      const answer = await fetch(`${gateway.serving.url}/v1/responses`, {
        ...{ method: 'POST', body: JSON.stringify(asked), proxy: false, signal: left.signal },
        headers: { authorization: `Bearer ${keyOf(user)}`, 'content-type': 'application/json' },
      })
      let text = ''
      for await (const chunk of answer.body ?? []) {
        text += new TextDecoder().decode(chunk)
        if (text.includes('output_text.done')) break
      }
      left.abort()
    }

    test('A1, A2: is charged when it ends, though its stream was left and it is never fetched', async () => {
      upstream.work()
      const id = await begin('never')
      await Promise.all([leaveAfterText('left'), leaveAtOnce('unread')])
      const held = (await accountOf('never')).reservedNano
      expect(held).toBeGreaterThanOrEqual(2_000 * 2_000)
      expect(await spentBy('never')).toBe(0)
      const [asked] = await records('never')
      expect(asked).toMatchObject({ ending: 'background', amountNano: 0, cause: null, status: 200 })
      expect(asked?.causeText).toContain(
        `charged when it ends, by the request ${asked?.requestId}_fetched`,
      )
      upstream.finish()
      await untilSpent('never', backgroundNano)
      for (const user of ['left', 'unread'] as const) await untilSpent(user, backgroundNano)
      expect((await accountOf('left')).reservedNano).toBe(0)
      expect((await accountOf('never')).reservedNano).toBe(0)
      const charges = (await records('never')).slice(1)
      expect(charges).toMatchObject([
        { requestId: `${asked?.requestId}_fetched`, estimated: false, upstreamModel: 'test-model' },
      ])
      expect((await stored('never', id)).status).toBe(200)
      expect(await spentBy('never')).toBe(backgroundNano)
    })

    test('A2: is refused to be deleted, or continued, before it is charged', async () => {
      upstream.work()
      const [deleted, continued] = [await begin('deletes'), await begin('goes-on')]
      const refusal = await stored('deletes', deleted, 'DELETE')
      expect([refusal.status, await refusal.text()]).toEqual([
        409,
        expect.stringContaining('still being made in the background'),
      ])
      const early = await create('goes-on', { previous_response_id: continued })
      expect(early.status).toBe(409)
      upstream.finish()
      expect((await stored('deletes', deleted, 'DELETE')).status).toBe(200)
      expect(await spentBy('deletes')).toBe(backgroundNano)
      const next = await create('goes-on', {
        previous_response_id: continued,
        max_output_tokens: 16,
      })
      expect(next.status).toBe(200)
      expect(await spentBy('goes-on')).toBe(2 * backgroundNano)
      const known = async (id: string) =>
        (await gateway.instance.store.answers.find((await accountOf('goes-on')).id, [id]))[0]
          ?.contextTokens
      expect(await known(continued)).toBe(1_010)
      expect(await known(`msg_${continued}`)).toBe(1_010)
    })

    test('is charged once, however many fetch it at once, and all get it', async () => {
      upstream.work()
      const id = await begin('fetches')
      upstream.finish()
      const fetched = await Promise.all(Array.from({ length: 20 }, () => stored('fetches', id)))
      expect(new Set(fetched.map(({ status }) => status))).toEqual(new Set([200]))
      expect(await spentBy('fetches')).toBe(backgroundNano)
    })

    test('is charged by the tier that was asked for, where its end tells none', async () => {
      upstream.work()
      const { status } = await create('hurries', { background: true, service_tier: 'priority' })
      expect(status).toBe(200)
      upstream.finish()
      await untilSpent('hurries', 2 * backgroundNano)
    })

    test('A3: many that are fetched at once never take more than the balance', async () => {
      upstream.work()
      const begun = []
      for (let at = 0; at < 10; at++) begun.push(await create('many', { background: true }))
      const ids = begun.filter(({ status }) => status === 200).map(({ body }) => String(body.id))
      expect(ids.length).toBeGreaterThanOrEqual(1)
      upstream.finish()
      await Promise.all(ids.map((id) => stored('many', id)))
      expect(await spentBy('many')).toBe(ids.length * backgroundNano)
      expect((await accountOf('many')).balanceNano).toBeGreaterThanOrEqual(0)
    })

    test('what has no id to ask for is charged as it was reckoned', async () => {
      upstream.work()
      await create('nameless', { background: true, user: 'nameless', max_output_tokens: 500 })
      expect(await records('nameless')).toMatchObject([{ estimated: true, status: 200 }])
      expect(await spentBy('nameless')).toBeGreaterThan(0.99 * 500 * 2_000)
      expect((await accountOf('nameless')).reservedNano).toBe(0)
    })

    test('costs nothing when it failed', async () => {
      upstream.work()
      const id = await begin('failing')
      upstream.finish('failed')
      expect((await stored('failing', id)).status).toBe(200)
      expect(await records('failing')).toMatchObject([
        { ending: 'background' },
        { ending: 'failed', amountNano: 0 },
      ])
      expect((await accountOf('failing')).reservedNano).toBe(0)
    })
  })
}
