import { expect, test } from 'bun:test'
import { readErrorBody } from '../../../src/gateway/failures/error-body.ts'

const read = (value: unknown) => {
  const { words, messages, status } = readErrorBody(value)
  return { words: [...words], messages, status }
}

test.each([
  [
    'an object',
    { error: { message: 'No.', type: 'Bad', code: null } },
    ['bad'],
    ['No.'],
    undefined,
  ],
  [
    'itself',
    { message: 'No.', code: 'x', metadata: { raw: 'Why.' } },
    ['x'],
    ['No.', 'Why.'],
    undefined,
  ],
  [
    'an element',
    [{ error: { code: 404, message: 'No.', status: 'NOT_FOUND' } }],
    ['not_found'],
    ['No.'],
    404,
  ],
  ['a text', { error: 'No.' }, [], ['No.'], undefined],
  ['nothing but a text', 'No.', [], ['No.'], undefined],
  ['a text and a code beside it', { code: 'Gone', error: 'No.' }, ['gone'], ['No.'], undefined],
  ['FastAPI’s text', { detail: 'No.' }, [], ['No.'], undefined],
  [
    'FastAPI’s list',
    { detail: [{ type: 'missing', loc: ['x'], msg: 'No.' }] },
    ['missing'],
    ['No.'],
    undefined,
  ],
  [
    'JSON in a message',
    { error: { message: '{"error":{"code":"x","message":"No."}}' } },
    ['x'],
    ['No.'],
    undefined,
  ],
  ['half of it', { error: { message: '{"error":' } }, [], ['{"error":'], undefined],
  ['a status as text', { error: { code: '429', message: 'No.' } }, [], ['No.'], 429],
  ['the outer status', { error: { code: 502, metadata: { raw: '{"code":400}' } } }, [], [], 502],
  [
    'a number',
    { base_resp: { status_code: 1008, status_msg: 'No.' } },
    ['1008'],
    ['No.'],
    undefined,
  ],
  [
    'an event',
    { type: 'error', code: 'x', message: 'No.', param: null },
    ['x', 'error'],
    ['No.'],
    undefined,
  ],
  ['nothing', undefined, [], [], undefined],
] as const)('reads %s', (_name, value, words, messages, status) => {
  expect(read(value)).toEqual({ words: [...words], messages: [...messages], status })
})

test('reads of an answer its error alone, nothing that the request or the model has written', () => {
  const theirs = { code: 'x', type: 'x', message: 'x', error: { message: 'x' } }
  const response = {
    ...{ object: 'response', status: 'failed', error: { code: 'server_error', message: 'No.' } },
    ...{ metadata: theirs, output: [theirs], instructions: 'x', details: theirs, raw: 'x' },
  }
  expect(read({ type: 'response.failed', response })).toEqual({
    ...{ words: ['response.failed', 'server_error'], messages: ['No.'], status: undefined },
  })
  expect(read(response)).toEqual({
    ...{ words: ['failed', 'server_error'], messages: ['No.'], status: undefined },
  })
})

test('reads no more of it than is needed', () => {
  const many = Array.from({ length: 1000 }, (_, index) => ({ message: `m${index}` }))
  expect(read({ error: many }).messages.length).toBeLessThanOrEqual(10)
  const wide = Object.fromEntries(['detail', 'details', 'errors'].map((key) => [key, many]))
  expect(read({ error: [wide, wide, wide, wide] }).messages.length).toBeLessThanOrEqual(64)
  const [long] = read({ error: 'x'.repeat(1_000_000) }).messages
  expect(long?.length).toBe(8192)
  expect(read({ error: { code: 'x'.repeat(101) } }).words).toEqual([])
})
