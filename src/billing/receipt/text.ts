import { counted, grouped, humanDuration, humanTime, isoTime } from '../../lib/format.ts'
import { formatPairs, formatTable } from '../../lib/table.ts'
import type { PriceRow } from '../../store/ports/catalog.ts'
import type {
  Ending,
  ReceiptRows,
  StoredAttempt,
  StoredRequest,
} from '../../store/ports/records.ts'
import { contextTokens } from '../charge.ts'
import { type ChargeLine, linePrice, linesAmount, type TierFactor } from '../lines.ts'
import { formatDecimal, formatNano, multiplierDecimals, priceDecimals, usd } from '../money.ts'
import type { ClientAttempt, ClientRequest, ClientRows } from './client.ts'
import {
  clampedReason,
  type Explanation,
  endingWords,
  estimatedReason,
  explainCharge,
  findDifferences,
  multiplierOf,
} from './explain.ts'

/** A receipt as text: the request, the answer, and the charge line by line. */
export const describeReceipt = (rows: ReceiptRows): readonly string[] =>
  describe(rows, [
    ['Channel', describeChannel(rows.request)],
    ...numbered(rows.attempts.map((attempt) => describeAttempt(attempt, rows.request))),
  ])

/** The same for the request's own account: nothing of the upstream is in it. */
export const describeClientReceipt = (rows: ClientRows): readonly string[] =>
  describe(rows, numbered(rows.attempts.map((one) => describeOutcome(one, rows.request))))

const numbered = (texts: readonly string[]) =>
  texts.map((text, place): Pair => [`Attempt ${place + 1}`, text])

/** `asked`: which upstreams, as the reader may know it. */
function describe(rows: ClientRows, asked: readonly Pair[]): readonly string[] {
  const explanation = explainCharge(rows)
  return [
    ...formatPairs(describeRequest(rows, { explanation, asked })),
    '',
    ...(explanation
      ? describeCharge(explanation, rows)
      : ['No price applied, so nothing was charged.']),
    describeEntry(rows),
    ...describeDifferences(findDifferences(rows, explanation)),
  ]
}

function describeEntry({ ledgerId, balanceAfterNano }: ClientRows): string {
  if (ledgerId === null) return 'No ledger entry.'
  const balance =
    balanceAfterNano === null ? '' : ` The balance after it: ${usd(balanceAfterNano)}.`
  return `Ledger entry ${ledgerId}.${balance}`
}

const describeDifferences = (differences: readonly string[]): readonly string[] =>
  differences.length === 0
    ? []
    : [
        '',
        'THIS RECEIPT DOES NOT ADD UP:',
        ...differences.map((difference) => `- ${difference}`),
        'A record was edited, or the gateway has a fault. Report this to the operator.',
      ]

type Pair = readonly [string, string]

function describeRequest(
  { request, price }: ClientRows,
  { explanation, asked }: { explanation: Explanation | null; asked: readonly Pair[] },
): readonly Pair[] {
  return [
    ['Request', request.requestId],
    ['When', describeTime(request)],
    ['Asked', describeCall(request)],
    ['By', `${request.account}, token "${request.token}", group ${request.group}`],
    ['Answer', describeEnding(request)],
    ...asked,
    ...describeUsage(request),
    ...(price && explanation ? describePrice(price, explanation, contextTokens(request)) : []),
  ]
}

function describeTime({ createdAt, durationMs, firstByteMs, ending }: ClientRequest): string {
  const began = humanTime(isoTime(createdAt))
  // The process was killed, so the end time is unknown.
  if (ending === 'interrupted') return began
  const took = `${began}, took ${humanDuration(durationMs)}`
  return firstByteMs === null ? took : `${took}, first byte after ${humanDuration(firstByteMs)}`
}

/** `chat completions, model small, streamed`; the operation is omitted where it repeats the protocol's name. */
function describeCall({ clientProtocol, operation, model, stream }: ClientRequest): string {
  const call = clientProtocol === operation ? operation : `${clientProtocol} ${operation}`
  const what = model === null ? 'no model named' : `model ${model}`
  return `${call}, ${what}${stream ? ', streamed' : ''}`
}

function describeEnding({ status, ending, cause, causeText }: ClientRequest): string {
  const word = cause === null || cause === ending ? '' : cause
  const words = causeText ?? (word === '' ? endingWords[ending] : '')
  const why = word !== '' && words !== '' ? `${word} (${words})` : word + words
  return `${status} ${ending}${why === '' ? '' : `: ${why}`}`
}

function describeChannel(request: StoredRequest): string {
  const { channel, model, upstreamModel, upstreamProtocol, ending } = request
  if (channel === null) return ending === 'interrupted' ? 'not known' : 'none was asked'
  const renamed = upstreamModel !== null && upstreamModel !== model ? `, as ${upstreamModel}` : ''
  return `${channel}${renamed}, speaking ${upstreamProtocol}`
}

function describeAttempt(attempt: StoredAttempt, request: StoredRequest): string {
  const { channel, upstreamRequestId } = attempt
  const id = upstreamRequestId === null ? [] : [`upstream id ${upstreamRequestId}`]
  return `${channel}: ${describeOutcome(attempt, request, id)}`
}

function describeOutcome(
  attempt: ClientAttempt,
  request: ClientRequest,
  upstreamId: readonly string[] = [],
): string {
  const { status, cause, firstByteMs, durationMs, usageRaw } = attempt
  return [
    String(status ?? 'no answer'),
    ...(cause === null ? [] : [cause]),
    ...(firstByteMs === null ? [] : [`first byte after ${humanDuration(firstByteMs)}`]),
    `took ${humanDuration(durationMs)}`,
    ...upstreamId,
    // The last attempt's report is printed below as the request's usage.
    ...(usageRaw === null || usageRaw === request.usageRaw ? [] : [`reported ${usageRaw}`]),
  ].join(', ')
}

function describeUsage(request: ClientRequest): readonly Pair[] {
  const { usageRaw, upstreamProtocol } = request
  const usage =
    usageRaw === null ? 'not reported by the upstream' : `reported by the upstream: ${usageRaw}`
  const estimated = estimatedReason(request)
  const clamped = clampedReason(request)
  return [
    ...(upstreamProtocol === null ? [] : [['Usage', usage] as const]),
    ...(estimated === null ? [] : [['Estimated', estimated] as const]),
    ...(clamped === null ? [] : [['Clamped', clamped] as const]),
  ]
}

function describePrice(
  price: PriceRow,
  { tier, lines, factors, unit }: Explanation,
  context: number,
): readonly Pair[] {
  const number = `number ${price.id}, valid from ${humanTime(isoTime(price.validFrom))}`
  if (unit === 'free') return [['Price', `${number}: free`]]
  const others = [
    ...lines.flatMap(({ unit, name, price }) =>
      unit === 'use' ? `${name} ${formatNano(price)} USD each` : [],
    ),
    ...factors.map(
      ({ name, millionths }) => `service tier ${name} × ${formatDecimal(millionths, 6)}`,
    ),
  ]
  const beside: readonly Pair[] = others.length === 0 ? [] : [['', `Beside: ${others.join(', ')}`]]
  if (unit === 'call') {
    const perCall = lines.flatMap((line) =>
      line.unit === 'call' ? `${formatNano(line.price)} USD per call` : [],
    )
    return [['Price', `${number}: ${perCall}`], ...beside]
  }
  const each = lines.flatMap((line) =>
    line.unit === 'tokens' ? `${line.name} ${formatDecimal(line.price, priceDecimals)}` : [],
  )
  return [
    ['Price', number],
    ['', `USD per 1M tokens: ${each.join(', ')}`],
    ...beside,
    ...(tier && context > 0 ? [['Tier', tier.reason] as const] : []),
  ]
}

/** The charge, line by line, and its formula. */
function describeCharge(explanation: Explanation, { request }: ClientRows): readonly string[] {
  const { unit, lines, factors, formula } = explanation
  if (unit === 'free') return [`Model ${request.model} is free, so nothing was charged.`]
  const used = lines.filter(({ count }) => count > 0)
  if (used.length === 0 && request.amountNano === 0) {
    return [nothingCharged[request.ending] ?? 'Nothing was used, so nothing was charged.']
  }
  const reasoning = unit === 'tokens' ? request.reasoningTokens : 0
  return [
    ...formatTable(columnsOf(unit), [
      ...used.map((line) => lineRow(line, factors)),
      ...sumRow(used, factors),
    ]),
    ...factors.map(tierText),
    ...(reasoning > 0
      ? [`Of the output, ${counted(reasoning, 'token')} went into reasoning.`]
      : []),
    `× ${multiplierOf(request)} (multiplier of the group)`,
    `= ${usd(request.amountNano)}`,
    '',
    `Formula: ${formula}`,
  ]
}

const nothingCharged: { readonly [ending in Ending]?: string } = {
  interrupted: 'The usage is unknown, so nothing was charged.',
  background: 'Nothing was charged yet: what the answer uses is charged when it has ended.',
}

interface Row {
  readonly name: string
  readonly count: string
  readonly price: string
  readonly usd: string
}

const lineRow = (line: ChargeLine, factors: readonly TierFactor[]): Row => ({
  name: line.name,
  count: grouped(line.count),
  price: `${linePrice(line, factors)}${line.unit === 'use' ? ' each' : ''}`,
  usd: linesAmount([line], factors),
})

const tierText = ({ name, millionths }: TierFactor): string =>
  `Service tier "${name}": × ${formatDecimal(millionths, multiplierDecimals)}, in the prices above.`

const sumRow = (used: readonly ChargeLine[], factors: readonly TierFactor[]): readonly Row[] =>
  used.length < 2 ? [] : [{ name: 'sum', count: '', price: '', usd: linesAmount(used, factors) }]

const columnsOf = (unit: Explanation['unit']) => [
  { title: unit === 'tokens' ? 'TOKENS' : '', text: ({ name }: Row) => name },
  { title: 'COUNT', text: ({ count }: Row) => count, right: true },
  {
    title: unit === 'tokens' ? 'USD PER 1M' : 'USD PER CALL',
    text: ({ price }: Row) => price,
    right: true,
  },
  { title: 'USD', text: (row: Row) => row.usd, right: true },
]
