import { type ChargeLine, type Explanation, explainCharge } from '../app/report/explain.ts'
import { isoTime } from '../app/report/fields.ts'
import { formatDecimal, formatNano, multiplierDecimals, priceDecimals } from '../billing/money.ts'
import type { ReceiptRows, StoredAttempt, StoredRequest } from '../store/ports/records.ts'
import { humanDuration, humanTime, usd } from './format.ts'
import { formatPairs, formatTable } from './output.ts'

/** A receipt for people: who asked what, who answered, and the sum line by line. */
export function describeReceipt(rows: ReceiptRows): readonly string[] {
  const { request, attempts, ledgerId } = rows
  const explanation = explainCharge(rows)
  return [
    ...describeRequest(request, attempts),
    '',
    ...(explanation
      ? describeCharge(explanation, rows)
      : ['No price applied, so nothing was charged.']),
    ...(explanation?.lines.length ? ['', `Formula: ${explanation.formula}`] : []),
    ledgerId === null ? 'No ledger entry.' : `Ledger entry ${ledgerId}.`,
  ]
}

function describeRequest(
  request: StoredRequest,
  attempts: readonly StoredAttempt[],
): readonly string[] {
  const first = request.firstByteMs
  const took = humanDuration(request.durationMs)
  const pace = first === null ? took : `${took}, first byte after ${humanDuration(first)}`
  const model = request.model === null ? 'no model named' : `model ${request.model}`
  return formatPairs([
    ['Request', request.requestId],
    ['When', `${humanTime(isoTime(request.createdAt))}, ${pace}`],
    ['Asked', `${describeCall(request)}, ${model}${request.stream ? ', streamed' : ''}`],
    ['By', `${request.account}, token "${request.token}", group ${request.group}`],
    ['Answer', `${request.status} ${request.ending}${describeCause(request)}`],
    ['Channel', describeChannel(request)],
    ...attempts.map((attempt, i) => [`Attempt ${i + 1}`, describeAttempt(attempt)] as const),
  ])
}

/** `chat completions`; where both have the same name, once. */
const describeCall = ({ clientProtocol, operation }: StoredRequest) =>
  clientProtocol === operation ? operation : `${clientProtocol} ${operation}`

function describeCause({ cause, causeText }: StoredRequest): string {
  if (cause === null) return ''
  return causeText === null ? `: ${cause}` : `: ${cause} (${causeText})`
}

function describeChannel({ channel, model, upstreamModel, upstreamProtocol }: StoredRequest) {
  if (channel === null) return 'none was asked'
  const renamed = upstreamModel !== null && upstreamModel !== model ? `, as ${upstreamModel}` : ''
  return `${channel}${renamed}, speaking ${upstreamProtocol}`
}

function describeAttempt(attempt: StoredAttempt): string {
  const { channel, status, cause, durationMs, upstreamRequestId } = attempt
  return [
    channel,
    status === null ? 'no answer' : String(status),
    ...(cause === null ? [] : [cause]),
    humanDuration(durationMs),
    ...(upstreamRequestId === null ? [] : [`upstream id ${upstreamRequestId}`]),
  ].join(', ')
}

function describeCharge({ unit, lines }: Explanation, rows: ReceiptRows): readonly string[] {
  const { request } = rows
  if (unit === 'free') return [`Model ${request.model} is free.`]
  const multiplier = formatDecimal(request.multiplierMillionths, multiplierDecimals)
  const shown = lines.filter(({ count }) => count > 0)
  return [
    ...(shown.length === 0 ? ['Nothing was used.'] : formatTable(columnsOf(unit), shown)),
    ...describeUsage(request, unit),
    `× ${multiplier} (multiplier of the group)`,
    `= ${usd(request.amountNano)}`,
  ]
}

const columnsOf = (unit: 'tokens' | 'call') => [
  { title: unit === 'tokens' ? 'TOKENS' : '', text: ({ name }: ChargeLine) => name },
  { title: 'COUNT', text: ({ count }: ChargeLine) => String(count), right: true },
  {
    title: unit === 'tokens' ? 'USD PER 1M' : 'USD PER CALL',
    text: ({ price }: ChargeLine) =>
      unit === 'tokens' ? formatDecimal(price, priceDecimals) : formatNano(price),
    right: true,
  },
  {
    title: 'USD',
    // micro-USD per 1M tokens × tokens are 10⁻¹² USD.
    text: ({ count, price }: ChargeLine) =>
      formatDecimal(BigInt(count) * BigInt(price), unit === 'tokens' ? 12 : 9),
    right: true,
  },
]

function describeUsage(request: StoredRequest, unit: 'tokens' | 'call'): readonly string[] {
  const { reasoningTokens, tierAbove, estimated } = request
  const lines = []
  if (unit === 'tokens' && reasoningTokens > 0)
    lines.push(`${reasoningTokens} of the output tokens are reasoning.`)
  if (tierAbove !== null) lines.push(`Prices of the tier above ${tierAbove} context tokens.`)
  if (estimated) lines.push('Counted by the gateway: the upstream gave no (final) report of usage.')
  return lines
}
