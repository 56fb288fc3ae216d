import { describe, expect, test } from 'bun:test'
import { describeProblem, validateFeed } from '../../../src/site/feed/validate.ts'

const tokenEntry = {
  model_name: 'gpt-5-mini',
  group_name: '默认【官转·稳定】',
  input_price: 0.2,
  output_price: 1.6,
  cache_input_price: 0.02,
  cache_create_price: 0.2,
  cache_create_price_1h: 0.2,
  enabled: true,
  note: '',
}
const callEntry = {
  model_name: 'painter',
  group_name: '默认【官转·稳定】',
  price_unit: 'per_call',
  unit_price: 0.032,
  enabled: false,
  note: '每次',
}
const document = {
  schema_version: '1.0',
  success: true,
  message: '',
  data: {
    currency: 'CNY',
    price_unit: 'per_1m_tokens',
    site_name: 'My gateway',
    site_domain: 'gateway.example.com',
    updated_at: '2026-11-21T12:00:00Z',
    models: [tokenEntry, callEntry],
  },
}
const withData = (changes: object) => ({ ...document, data: { ...document.data, ...changes } })
const withEntries = (...models: unknown[]) => withData({ models })
const without = (from: object, name: string) =>
  Object.fromEntries(Object.entries(from).filter(([key]) => key !== name))

function complaints(value: unknown): readonly string[] {
  const report = validateFeed(typeof value === 'string' ? value : JSON.stringify(value))
  return report.ok ? [] : report.problems.map(describeProblem)
}

describe('a feed that is right', () => {
  test.each([
    ['of both shapes', document],
    ['without entries', withEntries()],
    ['with fields that are new', withEntries({ ...tokenEntry, max_output: 5 })],
    [
      'that names the unit of each entry',
      withEntries({ ...tokenEntry, price_unit: 'per_1m_tokens' }),
    ],
    ['of a later minor version', { ...document, schema_version: '1.12' }],
    ['with milliseconds', withData({ updated_at: '2026-11-21T12:00:00.123Z' })],
    ['with an offset of zero', withData({ updated_at: '2026-11-21T12:00:00+00:00' })],
    ['in dollars', withData({ currency: 'USD' })],
  ])('%s', (_, value) => {
    expect(complaints(value)).toEqual([])
  })
})

const usd = 'should be a number of USD, 0 or more.'
const problems: [string, unknown, string[]][] = [
  [
    'version of another structure',
    { ...document, schema_version: '2.0' },
    ['schema_version: "2.0" should be a version that begins with "1.", such as "1.0".'],
  ],
  [
    'version as a number',
    { ...document, schema_version: 1 },
    ['schema_version: 1 should be a version that begins with "1.", such as "1.0".'],
  ],
  [
    'failure document',
    { schema_version: '1.0', success: false, message: 'broken', data: null },
    ['success: false should be true.', 'message: "broken" should be empty.'],
  ],
  ['no data', without(document, 'data'), ['data: nothing should be an object.']],
  ['models not a list', withData({ models: {} }), ['data.models: {} should be an array.']],
  [
    'local time',
    withData({ updated_at: '2026-11-21T20:00:00+08:00' }),
    [
      'data.updated_at: "2026-11-21T20:00:00+08:00" should be a time in UTC such as "2026-11-21T08:00:00Z".',
    ],
  ],
  [
    'no such date',
    withData({ updated_at: '2026-13-41T00:00:00Z' }),
    ['data.updated_at: "2026-13-41T00:00:00Z" should be a date that exists.'],
  ],
  [
    'another unit',
    withData({ price_unit: 'per_1k_tokens' }),
    ['data.price_unit: "per_1k_tokens" should be "per_1m_tokens".'],
  ],
  [
    'price as text',
    withEntries(callEntry, { ...tokenEntry, input_price: '0.2' }),
    [`data.models[1].input_price: "0.2" ${usd}`],
  ],
  [
    'price below zero',
    withEntries({ ...tokenEntry, output_price: -1 }),
    [`data.models[0].output_price: -1 ${usd}`],
  ],
  [
    'price missing',
    withEntries(without(tokenEntry, 'cache_create_price_1h')),
    [`data.models[0].cache_create_price_1h: nothing ${usd}`],
  ],
  [
    'price per call missing',
    withEntries(without(callEntry, 'unit_price')),
    [`data.models[0].unit_price: nothing ${usd}`],
  ],
  [
    'both shapes in one',
    withEntries({ ...tokenEntry, ...callEntry }),
    [
      'data.models[0].input_price: 0.2 should be left out of an entry that is billed per call.',
      'data.models[0].output_price: 1.6 should be left out of an entry that is billed per call.',
    ],
  ],
  [
    'unknown unit of an entry',
    withEntries({ ...callEntry, price_unit: 'per_image' }),
    [
      'data.models[0].price_unit: "per_image" should be "per_1m_tokens", "per_call" or left out.',
      ...[
        'input_price',
        'output_price',
        'cache_input_price',
        'cache_create_price',
        'cache_create_price_1h',
      ].map((name) => `data.models[0].${name}: nothing ${usd}`),
    ],
  ],
  [
    'entry twice',
    withEntries(tokenEntry, callEntry, tokenEntry),
    [
      'data.models[2]: ["默认【官转·稳定】","gpt-5-mini"] should be there once, but is data.models[0] too.',
    ],
  ],
  ['entry that is none', withEntries(null), ['data.models[0]: null should be an object.']],
  [
    'names and flags',
    withEntries({ ...callEntry, model_name: '', enabled: 'yes', note: null }),
    [
      'data.models[0].model_name: "" should be a string that is not empty.',
      'data.models[0].enabled: "yes" should be true or false.',
      'data.models[0].note: null should be a string.',
    ],
  ],
  [
    'a page instead of a feed',
    '<html>404</html>',
    [expect.stringMatching(/^The document: "<html>404<\/html>" should be JSON \(.+\)\.$/)],
  ],
  ['not an object', '[]', [expect.stringContaining('The document: [] should be an object.')]],
]

test.each(problems)('%s', (_, value, expected) => {
  const told = [...complaints(value)].sort()
  for (const line of expected) expect(told).toContainEqual(line)
  if (value === '[]') return // every field is missing, too
  expect(told.length).toBe(expected.length)
})

test('a long value is shown in short', () => {
  const [line = ''] = complaints(withEntries({ ...tokenEntry, input_price: 'x'.repeat(500) }))
  expect(line.length).toBeLessThan(160)
  expect(line).toContain('x…')
})
