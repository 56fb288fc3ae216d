import type { AttemptRow, RequestRow, Settlement } from '../ports/records.ts'

/**
 * Settlements on the link: rows as arrays of their values, for their names are most of the bytes, which the
 * keeper has to read.
 */
export type SentSettlement = readonly [
  request: SentRequest,
  attempts: readonly SentAttempt[],
  rest: Omit<Settlement, 'request' | 'attempts'>,
]
type SentRequest = ReturnType<typeof packRequest>
type SentAttempt = ReturnType<typeof packAttempt>

export const packSettlement = ({ request, attempts, ...rest }: Settlement): SentSettlement => [
  packRequest(request),
  attempts.map(packAttempt),
  rest,
]

export const unpackSettlement = ([request, attempts, rest]: SentSettlement): Settlement => ({
  request: unpackRequest(request),
  attempts: attempts.map(unpackAttempt),
  ...rest,
})

const packRequest = (row: RequestRow) =>
  [
    row.requestId,
    row.createdAt,
    row.accountId,
    row.tokenId,
    row.groupId,
    row.model,
    row.upstreamModel,
    row.channelId,
    row.clientProtocol,
    row.upstreamProtocol,
    row.operation,
    row.stream,
    row.status,
    row.cause,
    row.causeText,
    row.ending,
    row.inputTokens,
    row.outputTokens,
    row.reasoningTokens,
    row.cacheReadTokens,
    row.cacheWriteTokens,
    row.cacheWrite1hTokens,
    row.calls,
    row.estimated,
    row.clamped,
    row.usageRaw,
    row.extrasJson ?? null,
    row.priceId,
    row.tierAbove,
    row.longContextPricing,
    row.multiplierMillionths,
    row.amountNano,
    row.firstByteMs,
    row.durationMs,
    row.stateJson ?? null,
  ] as const

const unpackRequest = (row: SentRequest): RequestRow => ({
  requestId: row[0],
  createdAt: row[1],
  accountId: row[2],
  tokenId: row[3],
  groupId: row[4],
  model: row[5],
  upstreamModel: row[6],
  channelId: row[7],
  clientProtocol: row[8],
  upstreamProtocol: row[9],
  operation: row[10],
  stream: row[11],
  status: row[12],
  cause: row[13],
  causeText: row[14],
  ending: row[15],
  inputTokens: row[16],
  outputTokens: row[17],
  reasoningTokens: row[18],
  cacheReadTokens: row[19],
  cacheWriteTokens: row[20],
  cacheWrite1hTokens: row[21],
  calls: row[22],
  estimated: row[23],
  clamped: row[24],
  usageRaw: row[25],
  extrasJson: row[26],
  priceId: row[27],
  tierAbove: row[28],
  longContextPricing: row[29],
  multiplierMillionths: row[30],
  amountNano: row[31],
  firstByteMs: row[32],
  durationMs: row[33],
  stateJson: row[34],
})

const packAttempt = (row: AttemptRow) =>
  [
    row.channelId,
    row.startedAt,
    row.status,
    row.cause,
    row.firstByteMs,
    row.durationMs,
    row.upstreamRequestId,
    row.usageRaw,
    row.keyMark ?? null,
  ] as const

const unpackAttempt = (row: SentAttempt): AttemptRow => ({
  channelId: row[0],
  startedAt: row[1],
  status: row[2],
  cause: row[3],
  firstByteMs: row[4],
  durationMs: row[5],
  upstreamRequestId: row[6],
  usageRaw: row[7],
  keyMark: row[8],
})
