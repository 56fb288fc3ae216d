import { type Static, Type } from '@sinclair/typebox'
import { PageQuery, QueryInteger, SearchedListOf } from '../envelope.ts'
import { ExportFormat, Outcome, oneOf, orNull, SortBy } from '../shapes.ts'

const name = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))
const count = Type.Integer({ minimum: 0 })

/** Filters, combined by AND; names are compared byte for byte. */
export const RequestsWanted = Type.Object({
  token: Type.Optional(QueryInteger('token', { minimum: 1, description: 'Id of the token.' })),
  group: name('Name of the group.'),
  model: name('As the client wrote it.'),
  outcome: Type.Optional(Outcome),
  cause: name('Machine word, such as model_not_found.'),
  status: Type.Optional(
    QueryInteger('status', {
      minimum: 100,
      maximum: 999,
      description: 'HTTP status that the client got.',
    }),
  ),
  protocol: name('What the client spoke: chat, responses, messages, gemini.'),
  since: name('From this time on, ISO 8601.'),
  until: name('Before this time, ISO 8601.'),
  request_id: name('Exactly this request.'),
})

export const AllRequestsWanted = Type.Composite([
  RequestsWanted,
  Type.Object({ account: name('E-mail of the account.'), channel: name('Name of the channel.') }),
])
export type AllRequestsWanted = Static<typeof AllRequestsWanted>

const Order = Type.Object({ sort: SortBy(['created_at'], 'what ended last is first') })
export const RequestsQuery = Type.Composite([RequestsWanted, PageQuery, Order])
export const AllRequestsQuery = Type.Composite([AllRequestsWanted, PageQuery, Order])
export type AllRequestsQuery = Static<typeof AllRequestsQuery>

const format = Type.Optional(ExportFormat)
export const ExportQuery = Type.Composite([RequestsWanted, Type.Object({ format })])
export const AllExportQuery = Type.Composite([AllRequestsWanted, Type.Object({ format })])
export type AllExportQuery = Static<typeof AllExportQuery>

const fields = {
  request_id: Type.String(),
  created_at: Type.String(),
  account: Type.String(),
  token: Type.String(),
  group: Type.String(),
  model: orNull(Type.String({ description: 'As the client wrote it.' })),
  client_protocol: Type.String(),
  upstream_protocol: orNull(Type.String()),
  operation: Type.String(),
  stream: Type.Boolean(),
  status: Type.Integer(),
  cause: orNull(Type.String({ description: 'Machine word; null: it succeeded.' })),
  cause_text: orNull(Type.String()),
  ending: Type.String(),
  input_tokens: count,
  output_tokens: count,
  reasoning_tokens: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
  cache_write_1h_tokens: count,
  calls: count,
  estimated: Type.Boolean(),
  clamped: Type.Boolean(),
  amount: Type.String({ description: 'USD, exact.' }),
  amount_nano: Type.Integer(),
  first_byte_ms: orNull(Type.Integer()),
  duration_ms: Type.Integer(),
}

export const RequestItem = Type.Object({ ...fields, attempts: count })
export type RequestItem = Static<typeof RequestItem>

/** What administrators see besides. */
const upstream = { channel: orNull(Type.String()), upstream_model: orNull(Type.String()) }
const AnyRequestItem = Type.Object({ ...fields, ...upstream, attempts: count })
export type AnyRequestItem = Static<typeof AnyRequestItem>

export const RequestList = SearchedListOf(RequestItem)
export const AnyRequestList = SearchedListOf(AnyRequestItem)

/** How an amount was calculated, line by line; exact, in USD. */
const Bill = Type.Object({
  unit: oneOf(['tokens', 'call', 'free']),
  lines: Type.Array(
    Type.Object({
      name: Type.String(),
      unit: oneOf(['tokens', 'call', 'use']),
      count,
      price: Type.String({
        description: 'USD per 1M tokens, per call, or per use of a tool; service tiers included.',
      }),
      amount: Type.String(),
    }),
  ),
  service_tiers: Type.Array(Type.Object({ name: Type.String(), factor: Type.String() }), {
    description: 'By what tokens and calls cost more, or less; empty: the standard tier.',
  }),
  sum: Type.String(),
  multiplier: Type.String(),
  amount: Type.String(),
})
export type Bill = Static<typeof Bill>

const attempt = {
  started_at: Type.String(),
  status: orNull(Type.Integer()),
  cause: orNull(Type.String()),
  first_byte_ms: orNull(Type.Integer()),
  duration_ms: Type.Integer(),
  usage: Type.Unknown(),
}

const receipt = {
  ...fields,
  token_id: Type.Integer(),
  estimated_reason: orNull(Type.String()),
  clamped_reason: orNull(Type.String()),
  usage_raw: Type.Unknown(),
  extras: Type.Unknown({
    description: 'Tokens that are no text, uses of tools, service tier; null: none of it.',
  }),
  price: Type.Unknown(),
  context_tokens: count,
  long_context_pricing: Type.Boolean(),
  tier_above: orNull(Type.Integer()),
  tier_reason: orNull(Type.String()),
  multiplier: Type.Number(),
  multiplier_millionths: Type.Integer(),
  formula: orNull(Type.String()),
  ledger_id: orNull(Type.Integer()),
  balance_after_nano: orNull(Type.Integer()),
  differences: Type.Array(Type.String()),
  bill: orNull(Bill),
}

/** A request and its charge, and the bill in USD. */
export const Receipt = Type.Object({ ...receipt, attempts: Type.Array(Type.Object(attempt)) })
export type Receipt = Static<typeof Receipt>

/** The same for administrators. */
export const AnyReceipt = Type.Object({
  ...receipt,
  ...upstream,
  attempts: Type.Array(
    Type.Object({
      ...{ channel: Type.String(), ...attempt },
      upstream_request_id: orNull(Type.String()),
      key_hint: orNull(
        Type.String(),
        'Which of its channel’s keys was used; empty: the channel has it no more, null: not known.',
      ),
    }),
  ),
})
export type AnyReceipt = Static<typeof AnyReceipt>
