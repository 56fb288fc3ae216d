import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { until } from '../e2e/until.ts'
import { testEngine } from '../support/test-store.ts'
import { testKey, upstreamKey } from '../support/tollgate-yaml.ts'
import {
  disabledKey,
  ownKey,
  type Receipt,
  siblingKey,
  startReceiptScene,
} from './receipt-scene.ts'

// Receipts through the whole app: who may read which, in what form, and what stands in them.

let scene: Awaited<ReturnType<typeof startReceiptScene>>
beforeAll(async () => {
  scene = await startReceiptScene()
})
afterAll(() => scene[Symbol.asyncDispose]())

describe('a receipt can be read', () => {
  test('by the token that made the request, and by any token of its account', async () => {
    const id = await scene.chat('hello')
    const own = await scene.read(id)
    expect(own.status).toBe(200)
    expect(own.headers.get('content-type')).toBe('application/json')
    expect(own.headers.get('vary')).toBe('Accept')
    expect(own.headers.get('cache-control')).toBe('private, no-store')
    const receipt = (await own.json()) as Receipt
    expect(receipt).toMatchObject({
      request_id: id,
      account: 'own@example.com',
      token: 'own',
      status: 200,
      ending: 'complete',
      usage_raw: { prompt_tokens: 12, completion_tokens: 5 },
      formula: '(12 × 1000000 + 5 × 2000000) × 0.8 / 1000 = 17600 nano-USD',
      amount_nano: 17_600,
      differences: [],
    })
    const sibling = await scene.read(id, { key: siblingKey })
    expect(await sibling.json()).toEqual(receipt)
  })

  test('by nobody else: another account gets the answer of an id that is unknown', async () => {
    const id = await scene.chat('hello')
    const unknown = id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    const answers = await Promise.all([
      scene.read(id, { key: testKey }),
      scene.read(unknown, { key: testKey }),
      scene.read(unknown),
    ])
    const told = await Promise.all(
      answers.map(async (response) => ({
        status: response.status,
        reason: response.headers.get('x-tollgate-reason'),
        body: (await response.text()).replace(/req_[^\\"]+/, 'ID'),
      })),
    )
    expect(told[0]).toMatchObject({ status: 404, reason: 'receipt_not_found' })
    expect(told[1]).toEqual(told[0] as (typeof told)[0])
    expect(told[2]).toEqual(told[0] as (typeof told)[0])
    expect(JSON.parse(told[0]?.body ?? '')).toEqual({
      error: {
        message: expect.stringMatching(
          /no receipt of a request "ID" here.*once the request has ended/,
        ),
        type: 'invalid_request_error',
        param: null,
        code: 'receipt_not_found',
      },
    })
  })

  test('not without a good key', async () => {
    const id = await scene.chat('hello')
    const statuses = await Promise.all(
      [null, 'sk-unknown', disabledKey].map(async (key) => {
        const response = await scene.read(id, { key })
        return [response.status, response.headers.get('x-tollgate-reason')]
      }),
    )
    expect(statuses).toEqual([
      [401, 'missing'],
      [401, 'unknown'],
      [401, 'disabled'],
    ])
  })

  test('not by another method', async () => {
    const id = await scene.chat('hello')
    const response = await scene.read(id, { method: 'POST' })
    expect([response.status, await response.text()]).toEqual([404, '404 page not found'])
    expect((await scene.read(id, { method: 'HEAD' })).status).toBe(200)
  })

  test('once the request has ended, not before', async () => {
    const response = await scene.running.ask(
      '/v1/chat/completions',
      { model: 'test-model', stream: true, messages: [{ role: 'user', content: 'wait' }] },
      ownKey,
    )
    const id = response.headers.get('x-request-id') ?? ''
    const early = await scene.read(id)
    expect(early.status).toBe(404)
    expect(await early.text()).toContain('a receipt exists once the request has ended')
    scene.release()
    await response.text()
    expect(await scene.receipt(id)).toMatchObject({ ending: 'complete', stream: true })
  })
})

test('Accept chooses between JSON and text', async () => {
  const id = await scene.chat('hello')
  const typeFor = async (accept: string) => {
    const response = await scene.read(id, { accept })
    await response.text()
    return response.headers.get('content-type')
  }
  expect(await typeFor('*/*')).toBe('application/json')
  expect(await typeFor('application/json')).toBe('application/json')
  const text = await scene.read(id, { accept: 'text/plain' })
  expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(text.headers.get('vary')).toBe('Accept')
  const lines = (await text.text()).split('\n')
  expect(lines[0]).toBe(`Request    ${id}`)
  expect(lines).toContain('= 0.0000176 USD')
  expect(lines.at(-1)).toBe('')
})

test('a streamed request has its receipt, with the usage of its last chunk', async () => {
  const id = await scene.chat('stream', { stream: true })
  expect(await scene.receipt(id)).toMatchObject({
    stream: true,
    ending: 'complete',
    estimated: false,
    usage_raw: { prompt_tokens: 12, completion_tokens: 5 },
    amount_nano: 17_600,
    differences: [],
  })
})

test('free models, prices per call and refusals have theirs, too', async () => {
  const free = await scene.receipt(await scene.chat('hello', { model: 'house-llm' }))
  expect(free).toMatchObject({ amount_nano: 0, formula: 'free = 0 nano-USD', ledger_id: null })
  const painted = await scene.ask('/v1/images/generations', { model: 'painter', prompt: 'a', n: 3 })
  expect(await scene.receipt(painted)).toMatchObject({
    calls: 3,
    formula: '3 × 40000000 × 0.8 = 96000000 nano-USD',
    amount_nano: 96_000_000,
  })
  const refusedId = await scene.chat('hello', { model: 'nobody-has-it' })
  // A refusal is not held up by its record.
  await until('the record', async () => (await scene.read(refusedId)).status === 200)
  const refused = await scene.receipt(refusedId)
  expect(refused).toMatchObject({
    status: 404,
    ending: 'refused',
    cause: 'model_not_found',
    price: null,
    formula: null,
    attempts: [],
    differences: [],
  })
})

test('B11: usage beyond the model’s window is shown beside what was charged', async () => {
  const id = await scene.chat('absurd', { model: 'narrow' })
  expect(await scene.receipt(id)).toMatchObject({
    clamped: true,
    usage_raw: { prompt_tokens: 5_000_000, completion_tokens: 20 },
    input_tokens: 100,
    output_tokens: 20,
    formula: '(100 × 1000000 + 20 × 2000000) × 0.8 / 1000 = 112000 nano-USD',
    amount_nano: 112_000,
    differences: [],
  })
  const text = await (await scene.read(id, { accept: 'text/plain' })).text()
  expect(text).toContain('\nUsage      reported by the upstream: {"prompt_tokens":5000000,')
  expect(text).toContain(' Charged is what fits: 100 tokens of context and 20 of output.\n')
})

describe('U2: attempts are visible', () => {
  const brief = ({ attempts }: Receipt) => attempts.map(({ status, cause }) => [status, cause])

  test('where the second channel answered', async () => {
    const receipt = await scene.receipt(await scene.chat('hello', { model: 'fragile' }))
    expect(receipt).toMatchObject({ status: 200, amount_nano: 17_600 })
    expect(brief(receipt)).toEqual([
      [503, 'upstream_failed'],
      [200, null],
    ])
  })

  test('where both failed', async () => {
    const id = await scene.chat('fail', { model: 'fragile' })
    // What costs nothing is stored beside its answer: on a server that takes some milliseconds.
    if (testEngine !== 'sqlite')
      await until('the receipt', async () => (await scene.read(id)).status === 200)
    const receipt = await scene.receipt(id)
    expect(receipt).toMatchObject({ status: 502, ending: 'failed', amount_nano: 0 })
    expect(brief(receipt)).toEqual([
      [503, 'upstream_failed'],
      [500, 'upstream_failed'],
    ])
    const text = await (await scene.read(id, { accept: 'text/plain' })).text()
    expect(text).toContain('\nAttempt 1  503, upstream_failed, ')
    expect(text).toContain('\nAttempt 2  500, upstream_failed, ')
    expect(text).toContain('\nNothing was used, so nothing was charged.\nNo ledger entry.\n')
  })
})

describe('B7: a failed attempt that had usage leaves a row with it', () => {
  for (const stream of [false, true]) {
    test(stream ? 'in a stream' : 'in a body', async () => {
      const id = await scene.ask('/v1/responses', {
        input: stream ? 'failed stream' : 'failed body',
        stream,
      })
      const receipt = await scene.receipt(id)
      expect(receipt).toMatchObject({
        ending: 'failed',
        cause: 'upstream_error',
        cause_text: 'it broke',
        usage_raw: { input_tokens: 7, output_tokens: 3 },
        differences: [],
      })
      expect(receipt.attempts).toMatchObject([
        {
          status: 200,
          cause: 'upstream_error',
          usage: { input_tokens: 7, output_tokens: 3 },
        },
      ])
    })
  }
})

test('X3: no receipt shows the upstream’s key, host, account, model or request id', async () => {
  const ids = [
    await scene.chat('hello'),
    await scene.chat('fail'),
    await scene.ask('/v1/responses', { input: 'failed body' }),
  ]
  const secrets = [
    upstreamKey,
    new URL(scene.upstream.url).host,
    'secret-model',
    'upstream-request-1',
  ]
  for (const id of ids) {
    for (const accept of ['application/json', 'text/plain']) {
      const shown = await (await scene.read(id, { accept })).text()
      expect(shown).toContain(id)
      for (const secret of secrets) expect(shown).not.toContain(secret)
    }
  }
  // The operator's own view has what the client's leaves out.
  const stored = await scene.running.instance.store.records.receipt(ids[0] ?? '')
  expect(stored?.request.upstreamModel).toBe('secret-model')
  expect(stored?.attempts[0]?.upstreamRequestId).toBe('upstream-request-1')
})

test('works with a balance that is used up', async () => {
  const id = await scene.chat('hello')
  const { store } = scene.running.instance
  await store.admin.adjust({
    account: 'own@example.com',
    kind: 'debit',
    amountNano: 1_000_000_000,
    reason: 'test',
    idempotencyKey: null,
    actor: 'test',
    mayOverdraw: true,
  })
  await scene.running.configure({})
  const refused = await scene.running.ask(
    '/v1/chat/completions',
    { model: 'test-model', messages: [{ role: 'user', content: 'hello' }] },
    ownKey,
  )
  expect(refused.status).toBe(401)
  expect((await scene.read(id)).status).toBe(200)
})
