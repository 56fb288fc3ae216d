import { describe, expect, test } from 'bun:test'
import { findColumns, hasIdColumn, type NamedColumns } from '../../../src/app/reconcile/columns.ts'

/** Names of the columns that were found. */
function found(columns: readonly string[], named?: NamedColumns) {
  const places = findColumns('usage.csv', columns, named)
  return Object.fromEntries(
    Object.entries(places).flatMap(([field, at]) =>
      at === undefined ? [] : [[field, columns[at]]],
    ),
  )
}

describe('usual names are known', () => {
  const cases: readonly (readonly [string, readonly string[], object])[] = [
    [
      'a dashboard',
      ['Date', 'Request ID', 'Model', 'Input Tokens', 'Output Tokens', 'Cost (USD)'],
      {
        id: 'Request ID',
        input: 'Input Tokens',
        output: 'Output Tokens',
        cost: 'Cost (USD)',
        time: 'Date',
      },
    ],
    [
      'a router',
      ['generation_id', 'created_at', 'tokens_prompt', 'tokens_completion', 'cost_total'],
      {
        id: 'generation_id',
        input: 'tokens_prompt',
        output: 'tokens_completion',
        cost: 'cost_total',
        time: 'created_at',
      },
    ],
    [
      'JSON with usage inside',
      ['id', 'created', 'usage.prompt_tokens', 'usage.prompt_tokens_details.cached_tokens'],
      {
        id: 'id',
        time: 'created',
        input: 'usage.prompt_tokens',
        cached: 'usage.prompt_tokens_details.cached_tokens',
      },
    ],
    [
      'an export of this program',
      ['request_id', 'created_at', 'input_tokens', 'cache_read_tokens', 'amount_nano'],
      {
        id: 'request_id',
        time: 'created_at',
        input: 'input_tokens',
        cached: 'cache_read_tokens',
        cost: 'amount_nano',
      },
    ],
    ['the surest of several', ['id', 'x-request-id', 'requestId'], { id: 'requestId' }],
  ]
  for (const [name, columns, expected] of cases) {
    test(name, () => expect<object>(found(columns)).toEqual(expected))
  }
})

test('a name that is given counts, to the letter first, then without case and punctuation', () => {
  expect(found(['id', 'call', 'Call'], { id: 'Call' })).toMatchObject({ id: 'Call' })
  expect(found(['id', 'Call No.'], { id: 'call_no' })).toMatchObject({ id: 'Call No.' })
  const named = { id: 'a', input: 'b', output: 'c', cached: 'd', cost: 'e', time: 'f' }
  expect(found(['f', 'e', 'd', 'c', 'b', 'a'], named)).toEqual(named)
})

test('a name that is not there is an error with the columns that are', () => {
  expect(() => found(['request_id', 'cost'], { input: 'costs' })).toThrow(
    'usage.csv has no column "costs" (--input-column). Did you mean "cost"? ' +
      'It has: "request_id", "cost".',
  )
})

test('without an id column: an error with the columns that there are, and the way out', () => {
  expect(() => found(['model', 'trace', 'user.id'])).toThrow(
    `No column of usage.csv is known to hold the upstream's request id. ` +
      'It has: "model", "trace", "user.id". Name it with --id-column.',
  )
  expect(() => found([])).toThrow('It has: none.')
})

test('an id inside of something else is that one’s', () => {
  expect(hasIdColumn(['model.id'])).toBeFalse()
  expect(hasIdColumn(['ID'])).toBeTrue()
})
