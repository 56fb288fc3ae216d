/** Columns of `request` with their names in code: what is written and what is read. */
export const requestColumns = [
  'request.request_id as requestId',
  'request.created_at as createdAt',
  'request.account_id as accountId',
  'request.token_id as tokenId',
  'request.group_id as groupId',
  'request.model as model',
  'request.upstream_model as upstreamModel',
  'request.channel_id as channelId',
  'request.client_protocol as clientProtocol',
  'request.upstream_protocol as upstreamProtocol',
  'request.operation as operation',
  'request.stream as stream',
  'request.status as status',
  'request.cause as cause',
  'request.cause_text as causeText',
  'request.ending as ending',
  'request.input_tokens as inputTokens',
  'request.output_tokens as outputTokens',
  'request.reasoning_tokens as reasoningTokens',
  'request.cache_read_tokens as cacheReadTokens',
  'request.cache_write_tokens as cacheWriteTokens',
  'request.cache_write_1h_tokens as cacheWrite1hTokens',
  'request.calls as calls',
  'request.estimated as estimated',
  'request.clamped as clamped',
  'request.usage_raw as usageRaw',
  'request.price_id as priceId',
  'request.tier_above as tierAbove',
  'request.long_context_pricing as longContextPricing',
  'request.multiplier_millionths as multiplierMillionths',
  'request.amount_nano as amountNano',
  'request.first_byte_ms as firstByteMs',
  'request.duration_ms as durationMs',
] as const

/** The same for `attempt`. */
export const attemptColumns = [
  'attempt.channel_id as channelId',
  'attempt.started_at as startedAt',
  'attempt.status as status',
  'attempt.cause as cause',
  'attempt.first_byte_ms as firstByteMs',
  'attempt.duration_ms as durationMs',
  'attempt.upstream_request_id as upstreamRequestId',
  'attempt.usage_raw as usageRaw',
] as const

/** The same for `reservation`. */
export const reservationColumns = [
  'reservation.request_id as requestId',
  'reservation.created_at as createdAt',
  'reservation.account_id as accountId',
  'reservation.token_id as tokenId',
  'reservation.group_id as groupId',
  'reservation.model as model',
  'reservation.client_protocol as clientProtocol',
  'reservation.operation as operation',
  'reservation.stream as stream',
  'reservation.price_id as priceId',
  'reservation.multiplier_millionths as multiplierMillionths',
  'reservation.amount_nano as amountNano',
] as const

/** `INSERT` text for a column list; its parameters carry the names in code (`$requestId`). */
export function insertText(
  table: string,
  columns: readonly string[],
  extra: readonly string[] = [],
): string {
  const pairs = [...columns, ...extra].map((column) => {
    const [name = '', alias = name] = column.slice(column.indexOf('.') + 1).split(' as ')
    return { name, alias }
  })
  const names = pairs.map(({ name }) => name).join(', ')
  const values = pairs.map(({ alias }) => `$${alias}`).join(', ')
  return `INSERT INTO ${table} (${names}) VALUES (${values})`
}
