import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { RunningBinary } from '../support/binary.ts'
import { type FakeUpstream, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { shownModels } from '../support/tollgate-yaml.ts'
import { ask, readUntil, requestIdOf } from './caller.ts'
import { costNano, type Dialect, wholeStream } from './dialects.ts'
import { openLedger } from './ledger.ts'
import { dialectOf, keyOn, pairs, spoken, startTranslating, violations } from './translated.ts'
import { until } from './until.ts'

// Who leaves in the middle of a translated stream: clients, and the gateway itself.

const tokens = { input: 1000, output: 500 }
const words = ['Here is ', 'the beginning ', 'of an answer.']
const begun = (dialect: Dialect) => dialect.first(tokens) + words.map(dialect.piece).join('')

/** A stream that says one thing, and the rest when it may. */
function stepwise(dialect: Dialect, go: Promise<void>): Response {
  const encoder = new TextEncoder()
  async function* body() {
    yield encoder.encode(begun(dialect))
    await go
    yield encoder.encode(dialect.last(tokens))
  }
  const headers = { 'content-type': 'text/event-stream' }
  return new Response(body() as unknown as Bun.BodyInit, { headers })
}

describe.each(['bill_observed', 'drain'] as const)('S7: on_disconnect %s', (policy) => {
  let upstream: FakeUpstream
  let gateway: RunningBinary
  beforeAll(async () => {
    upstream = startFakeUpstream(() => new Response(null, { status: 500 }))
    gateway = await startTranslating(upstream.url, {
      channel: { models: shownModels },
      group: { on_disconnect: policy },
    })
  })
  afterAll(async () => {
    await gateway.stop()
    await upstream.stop()
  })

  test.each(pairs)('$name: charged as declared', async ({ client, upstream: speaks }) => {
    const go = Promise.withResolvers<void>()
    upstream.handle((request) => stepwise(dialectOf(request), go.promise))
    const leaving = new AbortController()
    const { signal } = leaving
    const answer = await ask(gateway.url, client, true, { signal, key: keyOn(speaks) })
    await readUntil(answer, (text) => text.includes('of an answer'))
    leaving.abort()
    const seen = upstream.last()
    if (policy === 'drain')
      await Bun.sleep(100) // time in which it would be closed, if it were
    else await until('the upstream to close', () => seen.abortedAt !== undefined, 1000)
    expect(seen.abortedAt === undefined).toBe(policy === 'drain')
    go.resolve()
    await using ledger = openLedger(gateway.cwd)
    const record = await until('the record', () => ledger.record(requestIdOf(answer)))
    expect(record).toMatchObject({
      client_protocol: client.name,
      charged_nano: -record.amount_nano,
    })
    if (policy === 'drain') {
      const { input, output } = tokens
      expect(record).toMatchObject({ estimated: 0, input_tokens: input, output_tokens: output })
      expect(record.amount_nano).toBe(costNano(tokens))
      return
    }
    expect(record).toMatchObject({ ending: 'client_left', cause: 'client_left', estimated: 1 })
    expect(record.output_tokens).toBeWithin(5, 15)
    if (speaks.name === 'messages') expect(record.input_tokens).toBe(tokens.input)
    else expect(record.input_tokens).toBeWithin(1, 50)
  })

  test.each(pairs)(
    '$name: with everything it is complete',
    async ({ client, upstream: speaks }) => {
      // A stream of gemini has no last event of its own: its end must be waited for.
      const ending = speaks.name === 'gemini' ? 'end' : 'stall'
      upstream.handle((request) =>
        sseAnswer(wholeStream(dialectOf(request), tokens, words), { ending }),
      )
      const leaving = new AbortController()
      const { signal } = leaving
      const answer = await ask(gateway.url, client, true, { signal, key: keyOn(speaks) })
      await readUntil(answer, client.isWhole)
      leaving.abort()
      await using ledger = openLedger(gateway.cwd)
      const record = await until('the record', () => ledger.record(requestIdOf(answer)))
      expect(record).toMatchObject({
        ending: 'complete',
        estimated: 0,
        amount_nano: costNano(tokens),
      })
    },
  )
})

test('a gateway that stops tells every client in its protocol, and charges what came', async () => {
  await using upstream = startFakeUpstream((request) =>
    sseAnswer(begun(dialectOf(request)), { ending: 'stall' }),
  )
  await using gateway = await startTranslating(upstream.url, {
    server: { shutdown_grace: '500ms' },
  })
  const streams = await Promise.all(
    pairs.map(async (pair) => {
      const answer = await ask(gateway.url, pair.client, true, { key: keyOn(pair.upstream) })
      return { ...pair, answer, text: answer.text() }
    }),
  )
  await Bun.sleep(200) // their first words are on the way
  const ended = gateway.kill('SIGTERM')
  for (const { client, name, text } of streams) {
    const came = await text
    expect({ name, said: spoken(client, came), bad: violations(client, came, 'error') }).toEqual({
      ...{ name, said: words.join(''), bad: [] },
    })
    expect(came).toContain('being stopped')
  }
  expect(await ended).toBe(0)
  await using ledger = openLedger(gateway.cwd)
  for (const { answer } of streams) {
    const record = await ledger.record(requestIdOf(answer))
    expect(record).toMatchObject({ ending: 'shutdown', estimated: 1 })
    expect(record?.charged_nano).toBeLessThan(0)
  }
  expect((await ledger.charges()).length).toBe(pairs.length)
  expect(await ledger.reservations()).toEqual([])
})

test('whole answers: a client that leaves is waited for', async () => {
  for (const policy of ['bill_observed', 'drain'] as const) {
    const go = Promise.withResolvers<void>()
    await using upstream = startFakeUpstream(async (request) => {
      await go.promise
      return Response.json(dialectOf(request).body(tokens))
    })
    await using gateway = await startTranslating(upstream.url, {
      group: { on_disconnect: policy },
    })
    const leaving = new AbortController()
    const { signal } = leaving
    const asking = pairs.map((pair) =>
      ask(gateway.url, pair.client, false, { signal, key: keyOn(pair.upstream) }).catch(() => {}),
    )
    await until('all to be asked', () => upstream.requests.length === pairs.length)
    leaving.abort()
    await Promise.all(asking)
    const left = () => upstream.requests.filter(({ abortedAt }) => abortedAt !== undefined).length
    await Bun.sleep(200) // time in which they would be closed, if they were
    expect(left()).toBe(0)
    go.resolve()
    await using ledger = openLedger(gateway.cwd)
    const records = await until('all records', async () => {
      const all = await ledger.records()
      return all.length === pairs.length && all
    })
    expect(records.map(({ amount_nano }) => amount_nano)).toEqual(pairs.map(() => costNano(tokens)))
  }
})
