import { expect, test } from 'bun:test'
import type { RequestBody } from '../../src/gateway/body/body.ts'
import { findFields } from '../../src/gateway/body/json-fields.ts'
import {
  createKeeping,
  findItems,
  itemsOf,
  joinItems,
  replaceItems,
  withItems,
} from '../../src/gateway/own-responses/continue.ts'
import {
  createOwnResponses,
  type OwnResponses,
} from '../../src/gateway/own-responses/own-responses.ts'
import { createLogger } from '../../src/lib/log.ts'
import { createSecretBox } from '../../src/lib/secrets.ts'
import { ownItemId, ownResponseId, ownResponseOf } from '../../src/protocols/responses/wire.ts'

const bodyOf = (text: string) => {
  const bytes = Buffer.from(text)
  return { bytes, fields: findFields(bytes, { maxDepth: 99, maxValues: 99 }) }
}
const items = (text: string) => itemsOf(bodyOf(text)).toString()

test.each([
  ['{"input":"Say \\"one\\"."}', '{"role":"user","content":"Say \\"one\\"."}'],
  ['{"input": [ {"a": 1} , {"b":[2, 3]} ] }', '{"a": 1} , {"b":[2, 3]}'],
  ['{"input":[]}', ''],
  ['{"input":[ ]}', ''],
  ['{"input":null}', ''],
  ['{"model":"m"}', ''],
])('the items of %s', (text, expected) => {
  expect(items(text)).toBe(expected)
})

test('items are joined and put in without a byte of the rest being changed', () => {
  const body = bodyOf('{ "previous_response_id" : "resp_1", "n": 1e400, "input" : "two"}')
  const all = joinItems([Buffer.from('{"one":1}'), Buffer.alloc(0), itemsOf(body)])
  expect(withItems(body, all, { continues: null }).toString()).toBe(
    '{ "previous_response_id" : null, "n": 1e400, "input" : [{"one":1},{"role":"user","content":"two"}]}',
  )
  expect(withItems(bodyOf('{}'), Buffer.from('1'), { continues: null }).toString()).toBe(
    '{"input":[1],"previous_response_id":null}',
  )
})

test('items are replaced by their places', () => {
  const list = Buffer.from('{"a":[1,"]"]} , {"id":"x"},{"c":3}')
  const found = findItems(list)
  const spans = found.next().value ?? []
  expect(spans.map(({ start, end }) => list.toString('utf8', start, end))).toEqual([
    ...['{"a":[1,"]"]}', '{"id":"x"}', '{"c":3}'],
  ])
  const [, second] = spans
  if (second === undefined) throw new Error('no second item')
  expect(replaceItems(list, new Map([[second, '{"b":2}']])).toString()).toBe(
    '{"a":[1,"]"]} , {"b":2},{"c":3}',
  )
  expect(findItems(Buffer.alloc(0)).next().value).toEqual([])
})

test('an id tells its response; an id of a vendor tells none', () => {
  const request = `req_${'0123456789abcdef'.repeat(2)}`
  const id = ownResponseId(request)
  expect(ownResponseOf(id)).toBe(id)
  expect(ownResponseOf(ownItemId('msg', request, 12))).toBe(id)
  for (const other of ['resp_0123', `msg_${request}`, `${id}_1`, `resp_${request}x`, '', 'resp_']) {
    expect(ownResponseOf(other)).toBeUndefined()
  }
})

test('sealed bytes open for their owner alone, with their secret, unchanged', () => {
  const { bytes } = createSecretBox('a secret of the tests')
  const plain = Uint8Array.of(0, 1, 255)
  const sealed = bytes.seal(plain, 'response 1 a')
  expect(sealed).not.toEqual(bytes.seal(plain, 'response 1 a'))
  expect([...(bytes.open(sealed, 'response 1 a') ?? [])]).toEqual([...plain])
  expect(bytes.open(sealed, 'response 2 a')).toBeUndefined()
  expect(createSecretBox('another secret here').bytes.open(sealed, 'response 1 a')).toBeUndefined()
  for (let at = 0; at < sealed.length; at++) {
    const changed = Uint8Array.from(sealed)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(bytes.open(changed, 'response 1 a')).toBeUndefined()
  }
  expect(bytes.open(sealed.subarray(0, 20), 'response 1 a')).toBeUndefined()
})

test('what is still being written is given to its own account alone', async () => {
  const stored = Promise.withResolvers<boolean>()
  const own = createOwnResponses({
    store: {
      put: () => stored.promise,
      find: async () => undefined,
      findResponses: async () => [],
      remove: async () => false,
      sweep: async () => 0,
    },
    sealer: createSecretBox('a secret of the tests').bytes,
    limits: () => ({ keptMs: 60_000, maxBytes: 1_000_000 }),
    isShared: false,
    log: createLogger({ sink: () => {}, pretty: false, clock: () => 0, level: 'info' }),
  })
  const response = { id: 'resp_1', input: Buffer.from('1'), response: Buffer.from('2') }
  void own.keep(1, response)
  expect(await own.find(1, 'resp_1')).toBe(response)
  expect(await Array.fromAsync(own.findResponses(1, ['resp_1']))).toEqual([response.response])
  expect(await own.find(2, 'resp_1')).toBeUndefined()
  expect(await Array.fromAsync(own.findResponses(2, ['resp_1']))).toEqual([])
  stored.resolve(true)
  await own.stop()
})

test.each([
  ['completed', {}, true],
  ['incomplete', {}, true],
  ['failed', {}, false],
  ['completed', { store: false }, false],
])(
  'of a %s response, asked for with %j, all is kept once it is charged: %p',
  async (status, more, isKept) => {
    const kept: string[] = []
    const own = {
      ...{ isOn: () => true, takes: () => true },
      keep: async (_: number, { id }: { readonly id: string }) => void kept.push(id),
    } as unknown as OwnResponses
    const body = bodyOf(JSON.stringify({ model: 'm', input: 'Hi', ...more })) as RequestBody
    const keeping = createKeeping(own, 1, body, null)
    keeping.keep?.({ id: 'resp_1', status })
    expect(kept).toEqual([])
    await keeping.settled()
    expect(kept).toEqual(isKept ? ['resp_1'] : [])
  },
)
