import { beforeAll, describe, expect, test } from 'bun:test'
import { countTokens } from '../../src/app/count-tokens.ts'
import { outcomeNames } from '../../src/gateway/availability/availability.ts'
import { type Dialect, dialects } from '../e2e/dialects.ts'
import { jsonAnswer, sseAnswer } from '../support/fake-upstream.ts'
import { startRawUpstream } from '../support/raw-upstream.ts'
import { testEngine } from '../support/test-store.ts'
import { shownModels, speaksAt } from '../support/tollgate-yaml.ts'
import { type Clocked, startClocked, usual } from './clocked.ts'

// What cools for a failure, whose fault it counts as, and what its record says.

beforeAll(() => countTokens('the tokenizer takes a moment to load'))

const start = (more: Partial<Parameters<typeof startClocked>[0]> = {}) =>
  startClocked({ start: '2026-11-21T10:00:00Z', ...more })

const { chat, responses, messages } = dialects

/** What has cooled, and for how long in milliseconds. */
const coolings = ({ complaints }: Clocked) =>
  complaints
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ message }) => message === 'channel cools')
    .map(({ cause, for_ms }) => [cause, for_ms])

/** How much cools now. */
const coolingNow = ({ tollgate }: Clocked) => [...tollgate.metrics.coolings()].length

/** How requests for the model have counted so far. */
function counted({ tollgate }: Clocked): Record<string, number> {
  const found: Record<string, number> = {}
  for (const { models } of tollgate.metrics.totals().groups.values()) {
    const counts = models.get('test-model') ?? []
    for (const [at, name] of outcomeNames.entries()) if (counts[at]) found[name] = counts[at]
  }
  return found
}

async function receiptOf(gateway: Clocked, answer: Response) {
  await answer.text()
  await gateway.tollgate.settled()
  const receipt = await gateway.store.records.receipt(answer.headers.get('x-request-id') ?? '')
  if (receipt === undefined) throw new Error('The request left no record.')
  return receipt
}

const wholeStream = (dialect: Dialect) =>
  dialect.first(usual) + dialect.piece('hello') + dialect.last(usual)

describe('a count of a request’s input', () => {
  test.each([
    ['an endpoint that is not there', () => jsonAnswer({ detail: 'Not Found' }, 404)],
    ['a page that is not there', () => new Response('404 page not found', { status: 404 })],
    [
      'a limit of counts',
      () =>
        jsonAnswer({ type: 'error', error: { type: 'rate_limit_error', message: 'slow' } }, 429),
    ],
  ])('cools no model for %s', async (_, answer) => {
    await using gateway = await start()
    gateway.upstream.handle(answer)
    for (let asked = 0; asked < 3; asked++) {
      const counting = await gateway.send('/v1/messages/count_tokens', messages.request(false))
      await counting.text()
    }
    expect(gateway.upstream.requests.length).toBe(3)
    expect(coolings(gateway)).toEqual([])
  })

  test('that goes well ends no cooling', async () => {
    await using gateway = await start()
    gateway.upstream.handle(({ path }) =>
      path.endsWith('count_tokens')
        ? jsonAnswer({ input_tokens: 5 })
        : jsonAnswer({ type: 'error', error: { type: 'rate_limit_error', message: 'slow' } }, 429),
    )
    await (await gateway.ask(messages)).text()
    expect(coolingNow(gateway)).toBe(1)
    await (await gateway.send('/v1/messages/count_tokens', messages.request(false))).text()
    expect(coolingNow(gateway)).toBe(1)
  })
})

test('an endpoint that an upstream lacks does not cool the model behind it', async () => {
  await using gateway = await start()
  gateway.upstream.handle(() => jsonAnswer({ detail: 'Not Found' }, 404))
  for (let asked = 0; asked < 3; asked++) {
    await (await gateway.send('/v1/responses/compact', responses.request(false))).text()
  }
  expect(coolings(gateway)).toEqual([])
})

describe('R6: a client’s mistake that is told in an answer', () => {
  const failed = {
    ...{ id: 'resp_1', object: 'response', status: 'failed', output: [] },
    error: { code: 'invalid_prompt', message: 'The prompt was flagged.' },
  }
  const event = `data: ${JSON.stringify({ type: 'response.failed', sequence_number: 1, response: failed })}\n\n`

  test.each([
    ['whole', false, () => jsonAnswer(failed)],
    ['as a stream', true, () => sseAnswer(responses.first(usual) + event)],
  ] as const)('%s changes no channel, and is the client’s', async (_, stream, answer) => {
    await using gateway = await start()
    gateway.upstream.handle(answer)
    for (let asked = 0; asked < 5; asked++) {
      expect(await (await gateway.ask(responses, { stream })).text()).toContain('flagged')
    }
    await gateway.tollgate.settled()
    expect(coolings(gateway)).toEqual([])
    expect(counted(gateway)).toEqual({ client: 5 })
  })

  test('an upstream’s own failure that is told so cools as what it is', async () => {
    await using gateway = await start()
    const error = { code: 'rate_limit_exceeded', message: 'Slow down.' }
    gateway.upstream.handle(() => jsonAnswer({ ...failed, error }))
    await (await gateway.ask(responses)).text()
    expect(coolings(gateway)).toMatchObject([['upstream_rate_limited', 2_000]])
    expect(counted(gateway)).toEqual({ channel: 1 })
  })
})

describe('how long an upstream asks to wait holds, wherever it says so', () => {
  const words = 'Rate limit reached. Please try again in 11.054s.'
  const error = { code: 'rate_limit_exceeded', message: words }

  test('in the last words of a stream', async () => {
    await using gateway = await start()
    gateway.upstream.handle(() =>
      sseAnswer(`${chat.first(usual)}${chat.piece('a')}data: ${JSON.stringify({ error })}\n\n`),
    )
    expect(await (await gateway.ask(chat, { stream: true })).text()).toContain(words)
    await gateway.tollgate.settled()
    expect(coolings(gateway)).toEqual([['upstream_rate_limited', 11_054]])
  })

  test('in a body in place of a stream, which is an error like any other', async () => {
    await using gateway = await start()
    gateway.upstream.handle(() => jsonAnswer({ error }))
    const answer = await gateway.ask(chat, { stream: true })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '12'])
    expect(coolings(gateway)).toEqual([['upstream_rate_limited', 11_054]])
  })
})

test('a model that the upstream lacks is told in its words, and is the model’s fault', async () => {
  await using gateway = await start()
  const error = { code: 'model_not_found', message: 'The model `test-model` does not exist' }
  gateway.upstream.handle(() => jsonAnswer({ error }, 404))
  expect((await gateway.ask(chat)).status).toBe(404)
  expect(counted(gateway)).toEqual({ model: 1 })
})

test('limits of a key that are used up cool no model for another reason', async () => {
  await using gateway = await start({
    channel: { api_key: undefined, api_keys: ['first-key-012345', 'second-key-012345'] },
  })
  const usedUp = { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6m0s' }
  gateway.upstream.handle(() => jsonAnswer({ error: { message: 'boom' } }, 500, usedUp))
  await (await gateway.ask(chat)).text()
  expect(coolings(gateway)).toEqual([['upstream_failed', 2_000]])
})

describe('the record of an attempt', () => {
  test('has the time of the first byte, not of a head that comes long before', async () => {
    await using upstream = await startRawUpstream(async (socket) => {
      socket.write(
        'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n',
      )
      await Bun.sleep(400)
      socket.end(wholeStream(chat))
    })
    await using gateway = await start({ channel: { speaks: speaksAt(upstream.url) } })
    const { request, attempts } = await receiptOf(
      gateway,
      await gateway.ask(chat, { stream: true }),
    )
    expect(attempts[0]?.firstByteMs).toBeGreaterThanOrEqual(350)
    expect(attempts[0]?.firstByteMs ?? 0).toBeLessThanOrEqual(request.firstByteMs ?? 0)
  })

  test('says when it was the client that left', async () => {
    await using gateway = await start({ models: shownModels })
    const leaving = new AbortController()
    gateway.upstream.handle(() => {
      leaving.abort()
      return sseAnswer(chat.first(usual) + chat.piece('hello'), { ending: 'stall' })
    })
    const asking = gateway.ask(chat, { stream: true, signal: leaving.signal })
    const { request, attempts } = await receiptOf(gateway, await asking)
    expect(request).toMatchObject({ ending: 'client_left' })
    expect(attempts).toMatchObject([{ cause: 'client_left', status: 200 }])
  })

  test('says what went wrong when it was read on for a client that had left', async () => {
    await using gateway = await start({ group: { on_disconnect: 'drain' } })
    const leaving = new AbortController()
    gateway.upstream.handle(async () => {
      leaving.abort()
      await Bun.sleep(20)
      return jsonAnswer({ error: { message: 'slow down', code: 'rate_limit_exceeded' } }, 429)
    })
    const asking = gateway.ask(chat, { signal: leaving.signal })
    const { attempts } = await receiptOf(gateway, await asking)
    expect(attempts).toMatchObject([{ cause: 'upstream_rate_limited', status: 429 }])
    expect(coolings(gateway)).toHaveLength(1)
  })

  test('is there when the money turned out to be gone before its stream went out', async () => {
    await using gateway = await start()
    gateway.upstream.handle(() => sseAnswer(wholeStream(chat)))
    await (await gateway.ask(chat, { stream: true })).text()
    await gateway.tollgate.settled()
    // Another process takes it, and this one has not seen it yet.
    await gateway.store.admin.adjust({
      ...{ account: 'user@example.com', kind: 'debit', amountNano: 99_990_000_000 },
      ...{ reason: 'test', actor: 'test', idempotencyKey: null },
    })
    const answer = await gateway.ask(chat, { stream: true, maxTokens: 6_000 })
    expect(answer.status).toBe(401)
    const { attempts } = await receiptOf(gateway, answer)
    // A database on a server may say so before the upstream has begun to answer.
    const status = testEngine === 'sqlite' ? 200 : (attempts[0]?.status ?? null)
    expect([200, null]).toContain(status)
    expect(attempts).toMatchObject([{ cause: 'abandoned', status }])
    expect(coolings(gateway)).toEqual([])
  })
})

test('an answer that can’t be stored counts once, as the gateway’s failure', async () => {
  await using gateway = await start()
  const { records } = gateway.store
  const commit = records.commit
  Object.assign(records, {
    async commit(batch: Parameters<typeof commit>[0]) {
      if (!batch.settle?.length) return commit.call(records, batch)
      throw Object.assign(new Error('database is locked'), { name: 'StoreError' })
    },
  })
  expect((await gateway.ask(chat)).status).toBe(500)
  Object.assign(records, { commit })
  expect(counted(gateway)).toEqual({ gateway: 1 })
})
