import { type Static, Type } from '@sinclair/typebox'

/** Structure version of the documents written here. Readers check it before anything else. */
export const schemaVersion = '1.0'

/** A unit price in USD; `expected` ends the sentence "should be …" of `validateFeed`. */
const usd = (description: string) =>
  Type.Number({ minimum: 0, description, expected: 'a number of USD, 0 or more' })
const name = (description: string) =>
  Type.String({ minLength: 1, description, expected: 'a string that is not empty' })
const text = (description: string) => Type.String({ description, expected: 'a string' })
const flag = (description: string) => Type.Boolean({ description, expected: 'true or false' })

const entry = {
  model_name: name('Model id, exactly as clients send it.'),
  group_name: name('Group, to be compared byte for byte.'),
  enabled: flag('Whether requests are taken at present.'),
  note: text('Remark, usually empty.'),
}

/** Billed by LLM tokens. */
export const TokenEntry = Type.Object(
  {
    ...entry,
    price_unit: Type.Optional(
      Type.Literal('per_1m_tokens', { expected: '"per_1m_tokens", "per_call" or left out' }),
    ),
    input_price: usd('USD per 1M input tokens, final.'),
    output_price: usd('USD per 1M output tokens, final.'),
    cache_input_price: usd('USD per 1M tokens read from a cache, final.'),
    cache_create_price: usd('USD per 1M tokens written to a cache, final.'),
    cache_create_price_1h: usd('USD per 1M tokens written to a cache for one hour, final.'),
  },
  { description: 'A model in a group, billed by tokens.', expected: 'an object' },
)

/** Billed by call. */
export const CallEntry = Type.Object(
  {
    ...entry,
    price_unit: Type.Literal('per_call', { expected: '"per_call"' }),
    unit_price: usd('USD per call, final.'),
  },
  { description: 'A model in a group, billed by calls.', expected: 'an object' },
)

const head = {
  currency: name('Declared currency; the numbers are USD whatever it says.'),
  price_unit: Type.Literal('per_1m_tokens', {
    description: 'Unit of entries that name none.',
    expected: '"per_1m_tokens"',
  }),
  site_name: text('Site that the prices belong to.'),
  site_domain: text('Domain of that site.'),
  updated_at: Type.String({
    description: 'ISO 8601 time, UTC, of the snapshot that changed the data last.',
    pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+]00:00)$',
    expected: 'a time in UTC such as "2026-11-21T08:00:00Z"',
  }),
}

const version = Type.String({
  pattern: '^1\\.\\d+$',
  description: 'Structure version: two numbers. Another first number is another structure.',
  expected: 'a version that begins with "1.", such as "1.0"',
})

/** The public price feed. */
export const FeedDocument = Type.Object(
  {
    schema_version: version,
    success: Type.Literal(true, { expected: 'true' }),
    message: text('Empty on success.'),
    data: Type.Object(
      {
        ...head,
        models: Type.Array(Type.Union([TokenEntry, CallEntry]), {
          description: 'One entry per model and group.',
          expected: 'an array',
        }),
      },
      { expected: 'an object' },
    ),
  },
  { title: 'Price feed', description: 'Final prices per model and group.', expected: 'an object' },
)
export type FeedDocument = Static<typeof FeedDocument>

/** Without checks of entries, whose two shapes have complaints of their own. */
export const FeedFrame = Type.Object(
  {
    ...FeedDocument.properties,
    data: Type.Object(
      { ...head, models: Type.Array(Type.Unknown(), { expected: 'an array' }) },
      { expected: 'an object' },
    ),
  },
  { expected: 'an object' },
)

/** Served with status 503 while there are no prices. */
export const FeedFailure = Type.Object(
  {
    schema_version: version,
    success: Type.Literal(false),
    message: name('What is wrong.'),
    data: Type.Null(),
  },
  { title: 'Price feed, failed', description: 'No prices at present.' },
)
export type FeedFailure = Static<typeof FeedFailure>
