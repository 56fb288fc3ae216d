import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { schemas } from '../../../src/app/schemas.ts'
import { inSlices } from '../../../src/lib/slices.ts'
import { encodeEntries, encodeFailure, encodeFeed } from '../../../src/site/feed/document.ts'
import { encodePlaza } from '../../../src/site/plaza/document.ts'
import { toSchemaDocument } from '../../../src/site/schemas.ts'
import { encodeSettings } from '../../../src/site/settings/settings.ts'
import type { PriceTerms } from '../../../src/store/ports/catalog.ts'
import { catalogOf, largeCatalog, tokenTerms } from '../feed/catalogs.ts'
import { createValidator } from './ajv.ts'

test('keeps what JSON Schema knows and drops the rest', () => {
  const schema = Type.Object(
    {
      word: Type.Union([Type.Literal('a'), Type.Literal('b')], { description: 'A word.' }),
      secret: Type.Optional(Type.String({ reads: 'key', writeOnly: true, expected: 'text' })),
      reads: Type.Array(Type.Integer({ minimum: 1 }), { expected: 'a list' }),
      more: Type.Record(Type.String(), Type.Null()),
    },
    { additionalProperties: false, expected: 'a map' },
  )
  expect(JSON.parse(JSON.stringify(toSchemaDocument('test', schema)))).toEqual({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:tollgate:schema:test',
    type: 'object',
    additionalProperties: false,
    required: ['word', 'reads', 'more'],
    properties: {
      word: { enum: ['a', 'b'], description: 'A word.' },
      secret: { type: 'string', writeOnly: true },
      reads: { type: 'array', items: { type: 'integer', minimum: 1 } },
      more: { type: 'object', patternProperties: { '^(.*)$': { type: 'null' } } },
    },
  })
})

/** Each schema, with every object in it. */
function objectsOf(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(objectsOf)
  return Array.isArray(value) ? inner : [{ ...value }, ...inner]
}

describe.each(Object.entries(schemas))('the schema "%s"', (_, { content }) => {
  test('is valid, names itself and describes each of its fields', () => {
    const schema = content()
    createValidator(schema)
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
    expect(schema.$id).toMatch(/^urn:tollgate:schema:[a-z.]+$/)
    expect(schema).toMatchObject({ title: expect.any(String), description: expect.any(String) })
    const fields = objectsOf(schema).flatMap(({ properties }) =>
      Object.entries(Object(properties)).map(([name, field]) => ({ name, ...Object(field) })),
    )
    expect(fields.length).toBeGreaterThan(15)
    const unsaid = fields.filter(
      ({ description, const: fixed, type, properties }) =>
        !description && fixed === undefined && type !== 'null' && !properties,
    )
    expect(unsaid).toEqual([])
  })
})

const unset = { cacheRead: null, cacheWrite: null, cacheWrite1h: null }
const tiered: PriceTerms = {
  unit: 'tokens',
  base: { input: 1_250_000, output: 10_000_000, ...unset },
  tiers: [{ above: 200_000, input: 2_500_000, output: 15_000_000, ...unset }],
}
const catalogs = {
  'all kinds of prices': catalogOf(
    [{ name: '默认【官转·稳定】' }, { name: 'off', status: 'disabled' }],
    [
      { id: 'long', terms: tiered },
      { id: 'gpt-5-mini', terms: tokenTerms(1, 2) },
      { id: 'painter', terms: { unit: 'call', perCallNano: 1 } },
      { id: 'house-llm', terms: { unit: 'free' } },
    ],
  ),
  'nothing to sell': catalogOf([], []),
  '10,000 entries': largeCatalog(),
}

describe.each(Object.entries(catalogs))('with %s', (_, catalog) => {
  test('the feed is as its schema says', async () => {
    const validate = createValidator(schemas.feed.content())
    const site = { name: 'My gateway', domain: '', currency: 'CNY' }
    const text = encodeFeed(site, await inSlices(encodeEntries(catalog)), 0)
    expect(validate(JSON.parse(text))).toEqual([])
    expect(validate(JSON.parse(text.replace('"data":', '"dada":')))).not.toEqual([])
  })

  test('the plaza is as its schema says', async () => {
    const validate = createValidator(schemas.plaza.content())
    const text = await inSlices(encodePlaza(catalog, ''))
    expect(validate(JSON.parse(text))).toEqual([])
    expect(validate(JSON.parse(text.replace('"code":0', '"code":1')))).not.toEqual([])
  })
})

test('a price that is a text, and a field that is missing, are not as the schemas say', async () => {
  const catalog = catalogs['all kinds of prices']
  const plaza = await inSlices(encodePlaza(catalog, ''))
  const validate = createValidator(schemas.plaza.content())
  const wrong = (from: RegExp, to: string) => validate(JSON.parse(plaza.replace(from, to)))
  expect(wrong(/"input_price":([\d.]+)/, '"input_price":"$1"')).not.toEqual([])
  expect(wrong(/"tier_label":"[^"]*",/, '')).not.toEqual([])
  expect(wrong(/"official_pricing":null/, '"official_pricing":0')).not.toEqual([])
})

test('the document of a feed that failed is as the schema of the feed says', () => {
  const validate = createValidator(schemas.feed.content())
  expect(validate(JSON.parse(encodeFailure('No prices.')))).toEqual([])
})

test('the settings are as their schema says, known or not', () => {
  const validate = createValidator(schemas.settings.content())
  const url = 'https://gw.example.com'
  const sites = [
    { text: null, customEndpoints: [] },
    { text: url, customEndpoints: [{ name: 'n', endpoint: url, description: '' }] },
  ]
  for (const { text, customEndpoints } of sites) {
    const source = {
      version: '1.0.0',
      site: {
        name: 'n',
        subtitle: text,
        logoUrl: text,
        accent: null,
        baseUrl: text,
        overseasBaseUrl: text,
        statusUrl: text,
        priceBackupUrl: text,
        docUrl: text,
        contact: text,
        customEndpoints,
      },
      registrationEnabled: true,
      modelPlazaEnabled: true,
      modelPlazaRequireAuth: true,
      balanceLowThresholdNano: 1,
    }
    const document = JSON.parse(encodeSettings(source, 0))
    expect(validate(document)).toEqual([])
    expect(validate({ ...document, data: { ...document.data, status_url: 'no url' } })).toEqual([
      '/data/status_url must match format "uri"',
      '/data/status_url must be null',
      '/data/status_url must match a schema in anyOf',
    ])
  }
})
