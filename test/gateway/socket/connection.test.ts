import { expect, test } from 'bun:test'
import { GatewayError } from '../../../src/gateway/errors.ts'
import { type ConnectionParts, createConnection } from '../../../src/gateway/socket/connection.ts'
import { createSocketMemory } from '../../../src/gateway/socket/socket-memory.ts'

const plenty = { ofOne: 1_000_000, ofAccount: 1_000_000, ofAll: 1_000_000 }

/** A connection whose far side takes what the test lets it take. */
function scene(more: Partial<ConnectionParts> = {}) {
  const sent: string[] = []
  const closes: number[] = []
  const state = { isFull: false }
  const connection = createConnection({
    ...{ accountId: 1, memory: createSocketMemory(plenty), maxBytes: () => 1_000, clock: () => 0 },
    ask: async () => new Response(events(1)),
    admit: async () => ({}),
    onClose() {},
    onFault() {},
    ...more,
  })
  const wire = {
    send(text: string) {
      sent.push(text)
      return state.isFull ? -1 : text.length
    },
    close: (code = 0) => closes.push(code),
    terminate: () => closes.push(-1),
  }
  connection.open(wire)
  const types = () => sent.map((text) => JSON.parse(text).type as string)
  const create = () => connection.message(wire, '{"type":"response.create","input":"a"}')
  return { connection, wire, sent, types, closes, state, create }
}

const frame = (type: string) => `event: ${type}\ndata: {"type":"${type}"}\n\n`
const events = (count: number) => frame('piece').repeat(count) + frame('response.completed')
const turns = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('who is slow to read holds back the answer', async () => {
  let pulled = 0
  const large = `data: ${JSON.stringify({ type: 'piece', delta: 'a'.repeat(100_000) })}\n\n`
  async function* body() {
    for (; pulled < 100; pulled++) yield large
  }
  const { create, state, sent, connection } = scene({
    ask: async () => new Response(body() as never),
  })
  state.isFull = true
  create()
  await turns()
  expect(sent).toHaveLength(1)
  const before = pulled
  expect(before).toBeLessThan(10)
  connection.drain()
  await turns()
  expect(sent).toHaveLength(2)
  expect(pulled - before).toBeLessThanOrEqual(2)
  state.isFull = false
  connection.drain()
  await turns()
  expect(sent).toHaveLength(100)
})

test('who writes and does not read is let go; one word too early harms nothing', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { create, state, types, closes, connection } = scene({
    async ask() {
      await promise
      return new Response(events(1))
    },
  })
  create()
  create()
  expect(types()).toEqual(['error'])
  state.isFull = true
  create()
  expect(closes).toEqual([])
  create()
  expect(closes).toEqual([-1])
  expect(types()).toHaveLength(2)
  state.isFull = false
  connection.drain()
  resolve()
  await turns()
  expect(types().slice(2)).toEqual(['piece', 'response.completed'])
})

test('so many are refused while one is under way, and no more', async () => {
  const { create, types, closes } = scene({ ask: () => new Promise(() => {}) })
  for (let at = 0; at < 34; at++) create()
  await turns()
  expect(types()).toHaveLength(33)
  expect(closes).toEqual([1008])
})

test('who leaves while it is waited for ends the answer', async () => {
  let signal: AbortSignal | undefined
  let isCancelled = false
  async function* body() {
    try {
      for (;;) yield frame('piece')
    } finally {
      isCancelled = true
    }
  }
  let ended = 0
  const { create, state, connection } = scene({
    async ask(_, given) {
      signal = given
      return new Response(body() as never)
    },
    onClose: () => ended++,
  })
  state.isFull = true
  create()
  await turns()
  connection.close()
  await turns()
  expect([signal?.aborted, isCancelled, ended]).toEqual([true, true, 1])
})

test('the end of its time comes behind the response that is under way, with its reason', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { create, connection, types, closes } = scene({
    async ask() {
      await promise
      return new Response(events(1))
    },
  })
  create()
  connection.end(1001, 'Lifetime', { type: 'error' })
  await turns()
  expect([types(), closes]).toEqual([[], []])
  resolve()
  await turns()
  expect(types()).toEqual(['piece', 'response.completed', 'error'])
  expect(closes).toEqual([1001])
  create()
  await turns()
  expect(types()).toHaveLength(3)
})

test('a message, or a conversation, that is too large is refused', async () => {
  const { connection, wire, types, sent } = scene()
  connection.message(wire, `{"type":"response.create","input":"${'a'.repeat(1_000)}"}`)
  await turns()
  expect(types()).toEqual(['error'])
  const half = `{"type":"response.create","generate":false,"input":"${'a'.repeat(600)}"`
  connection.message(wire, `${half}}`)
  await turns()
  const { response } = JSON.parse(String(sent.at(-1)))
  connection.message(wire, `${half},"previous_response_id":"${response.id}"}`)
  await turns()
  expect(JSON.parse(String(sent.at(-1)))).toMatchObject({ type: 'error', status: 413 })
})

test('a fault of the gateway is told without its details, and logged', async () => {
  const faults: unknown[] = []
  const fault = new Error('secret')
  const { create, sent } = scene({
    ask: () => Promise.reject(fault),
    onFault: (error) => faults.push(error),
  })
  create()
  await turns()
  expect(faults).toEqual([fault])
  expect(sent.join()).not.toContain('secret')
  expect(JSON.parse(String(sent[0]))).toMatchObject({ status: 500, error: { code: 'internal' } })
})

test('what is refused for its key ends the connection', async () => {
  const refused = new GatewayError('unauthenticated', 'Invalid API key', { reason: 'disabled' })
  const { connection, wire, types, closes } = scene({ admit: () => Promise.reject(refused) })
  connection.message(wire, '{"type":"response.create","generate":false,"input":"a"}')
  await turns()
  expect([types(), closes]).toEqual([['error'], [1008]])
})

test('memory is shared fairly: who has much loses its oldest, and nobody else anything', () => {
  const memory = createSocketMemory({ ofOne: 50, ofAccount: 100, ofAll: 150 })
  const response = (id: string, bytes: number) => {
    return { id, previousId: null, items: Buffer.alloc(bytes) }
  }
  const [a, b, c, other] = [{}, {}, {}, {}]
  memory.remember(a, 1, response('a', 51))
  expect(memory.find(a, 'a')).toBeUndefined()
  for (const [at, one] of [a, b, c].entries()) memory.remember(one, 1, response(String(at), 50))
  expect([a, b, c].map((one, at) => memory.find(one, String(at)) !== undefined)).toEqual([
    ...[false, true, true],
  ])
  memory.remember(other, 2, response('other', 50))
  expect(memory.find(other, 'other')).toBeDefined()
  expect(memory.find(other, 'another')).toBeUndefined()
  memory.remember({}, 3, response('third', 50))
  expect([b, c].map((one, at) => memory.find(one, String(at + 1)) !== undefined)).toEqual([
    ...[false, true],
  ])
  expect(memory.find(other, 'other')).toBeDefined()
  memory.forget(other)
  expect(memory.find(other, 'other')).toBeUndefined()
})

test('of a warm-up no more is kept than its items, be the message as large as it may', () => {
  const memory = createSocketMemory(plenty)
  const message = Buffer.alloc(1_000_000, 'a')
  const connection = {}
  memory.remember(connection, 1, { id: 'a', previousId: null, items: message.subarray(0, 10) })
  const items = memory.find(connection, 'a')?.items
  expect(items?.toString()).toBe('a'.repeat(10))
  expect(items?.buffer.byteLength).toBeLessThan(message.byteLength / 10)
})

test('who does not read gets no more, not even what is free of charge', async () => {
  let admitted = 0
  const { connection, wire, state, types, closes } = scene({
    async admit() {
      admitted++
      return {}
    },
  })
  const warmUp = () =>
    connection.message(wire, '{"type":"response.create","generate":false,"input":"a"}')
  state.isFull = true
  warmUp()
  await turns()
  expect(types()).toEqual(['response.created'])
  state.isFull = false
  connection.drain()
  await turns()
  const all = types().length
  expect(types().at(-1)).toBe('response.completed')
  state.isFull = true
  connection.message(wire, 'none')
  await turns()
  expect(types().slice(all)).toEqual(['error'])
  warmUp()
  await turns()
  expect([types().length, admitted, closes]).toEqual([all + 1, 1, []])
  state.isFull = false
  connection.drain()
  await turns()
  expect([types().length, admitted, closes]).toEqual([2 * all + 1, 2, []])
})

test('who has missed an event is let go', async () => {
  const { connection, create, closes } = scene()
  connection.open({
    send: () => 0,
    close() {},
    terminate: () => closes.push(-1),
  })
  create()
  await turns()
  expect(closes).toEqual([-1])
})

test('an event without any field is JSON beside what is told with it', async () => {
  const { create, sent } = scene({
    ask: async () =>
      new Response('data: {}\n\ndata: { }\n\n', { headers: { 'x-request-id': 'a' } }),
  })
  create()
  await turns()
  expect(sent.map((text) => JSON.parse(text))).toEqual([{ headers: { 'x-request-id': 'a' } }, {}])
})

test('an idle one can be dropped, with half a message that may have come; one that answers goes on', async () => {
  const { connection, create, closes, types } = scene()
  create()
  expect(connection.dropIdle()).toBeFalse()
  await turns()
  expect(types().at(-1)).toBe('response.completed')
  expect(connection.dropIdle()).toBeTrue()
  expect(closes).toEqual([-1])
})
