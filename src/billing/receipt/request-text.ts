import { humanDuration, humanTime, isoTime } from '../../lib/format.ts'
import { formatPairs } from '../../lib/table.ts'
import type { PriceRow } from '../../store/ports/catalog.ts'
import type { ReceiptRows, StoredAttempt, StoredRequest } from '../../store/ports/records.ts'
import { contextTokens } from '../charge.ts'
import { formatDecimal, formatNano, priceDecimals } from '../money.ts'
import type { Explanation } from './explain.ts'
import { clampedReason, endingWords, estimatedReason } from './reasons.ts'

type Pair = readonly [string, string]

/** Everything of a receipt but its sum: a title and its value on each line. */
export function describeRequest(
  { request, attempts, price }: ReceiptRows,
  explanation: Explanation | null,
): readonly string[] {
  return formatPairs([
    ['Request', request.requestId],
    ['When', describeTime(request)],
    ['Asked', describeCall(request)],
    ['By', `${request.account}, token "${request.token}", group ${request.group}`],
    ['Answer', describeEnding(request)],
    ['Channel', describeChannel(request)],
    ...attempts.map((attempt, i): Pair => [`Attempt ${i + 1}`, describeAttempt(attempt, request)]),
    ...describeUsage(request),
    ...(price && explanation ? describePrice(price, explanation, contextTokens(request)) : []),
  ])
}

function describeTime({ createdAt, durationMs, firstByteMs, ending }: StoredRequest): string {
  const began = humanTime(isoTime(createdAt))
  // Nobody was there to look at the clock.
  if (ending === 'interrupted') return began
  const took = `${began}, took ${humanDuration(durationMs)}`
  return firstByteMs === null ? took : `${took}, first byte after ${humanDuration(firstByteMs)}`
}

/** `chat completions, model small, streamed`; a protocol that is its own operation is told once. */
function describeCall({ clientProtocol, operation, model, stream }: StoredRequest): string {
  const call = clientProtocol === operation ? operation : `${clientProtocol} ${operation}`
  const what = model === null ? 'no model named' : `model ${model}`
  return `${call}, ${what}${stream ? ', streamed' : ''}`
}

function describeEnding({ status, ending, cause, causeText }: StoredRequest): string {
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
  const { channel, status, cause, firstByteMs, durationMs, upstreamRequestId, usageRaw } = attempt
  return [
    `${channel}: ${status ?? 'no answer'}`,
    ...(cause === null ? [] : [cause]),
    ...(firstByteMs === null ? [] : [`first byte after ${humanDuration(firstByteMs)}`]),
    `took ${humanDuration(durationMs)}`,
    ...(upstreamRequestId === null ? [] : [`upstream id ${upstreamRequestId}`]),
    // What the last attempt reported is told below, as what the request used.
    ...(usageRaw === null || usageRaw === request.usageRaw ? [] : [`reported ${usageRaw}`]),
  ].join(', ')
}

function describeUsage(request: StoredRequest): readonly Pair[] {
  const { usageRaw, channel } = request
  const usage =
    usageRaw === null ? 'not reported by the upstream' : `reported by the upstream: ${usageRaw}`
  const estimated = estimatedReason(request)
  const clamped = clampedReason(request)
  return [
    ...(channel === null ? [] : [['Usage', usage] as const]),
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
