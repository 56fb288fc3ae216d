import { isoTime } from '../../lib/format.ts'
import type { PriceRow, TokenRates } from '../../store/ports/catalog.ts'
import { type ExtraPrices, modalityKinds } from '../../store/ports/extras.ts'
import type { ReceiptRows } from '../../store/ports/records.ts'
import { contextTokens, effectiveRates } from '../charge.ts'
import { publicName } from '../extras.ts'
import type { ClientAttempt, ClientRows } from './client.ts'
import {
  clampedReason,
  estimatedReason,
  explainCharge,
  findDifferences,
  multiplierOf,
} from './explain.ts'
import { clientRequestFields, requestFields, viewOf } from './fields.ts'

/** A receipt as JSON: the request's fields and the explanation of its charge. */
export function receiptView(rows: ReceiptRows) {
  const { request, attempts } = rows
  return {
    ...viewOf(requestFields, request),
    ...chargeView(rows),
    attempts: attempts.map((attempt) => ({
      channel: attempt.channel,
      ...attemptView(attempt),
      upstream_request_id: attempt.upstreamRequestId,
      key_mark: attempt.keyMark ?? null,
    })),
  }
}

/** The same for the request's own account: nothing of the upstream is in it. */
export function clientReceiptView(rows: ClientRows) {
  const { request, attempts } = rows
  return {
    ...viewOf(clientRequestFields, request),
    ...chargeView(rows),
    attempts: attempts.map(attemptView),
  }
}

function chargeView(rows: ClientRows) {
  const { request, price, ledgerId, balanceAfterNano } = rows
  const explanation = explainCharge(rows)
  return {
    estimated_reason: estimatedReason(request),
    clamped_reason: clampedReason(request),
    usage_raw: parseRaw(request.usageRaw),
    extras: parseRaw(request.extrasJson ?? null),
    price: price === null ? null : priceView(price),
    context_tokens: contextTokens(request),
    long_context_pricing: request.longContextPricing,
    tier_above: request.tierAbove,
    tier_reason: explanation?.tier?.reason ?? null,
    multiplier: Number(multiplierOf(request)),
    multiplier_millionths: request.multiplierMillionths,
    formula: explanation?.formula ?? null,
    ledger_id: ledgerId,
    balance_after_nano: balanceAfterNano,
    /** Sentences; non-empty only after an edit by hand or a gateway fault. */
    differences: findDifferences(rows, explanation),
  }
}

function attemptView(attempt: ClientAttempt) {
  return {
    started_at: isoTime(attempt.startedAt),
    status: attempt.status,
    cause: attempt.cause,
    first_byte_ms: attempt.firstByteMs,
    duration_ms: attempt.durationMs,
    usage: parseRaw(attempt.usageRaw),
  }
}

function parseRaw(text: string | null): unknown {
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    return text // changed by hand: shown as it is, so that the rest of the receipt can be read
  }
}

/** A price in micro-USD per 1M tokens (or nano-USD per call), with fallbacks resolved. */
export function priceView({ id, model, terms, validFrom }: PriceRow) {
  const head = { id, model, valid_from: isoTime(validFrom), unit: terms.unit }
  if (terms.unit === 'call')
    return { ...head, per_call_nano: terms.perCallNano, ...extrasView(terms.extras) }
  if (terms.unit !== 'tokens') return head
  const tiers = terms.tiers.map((tier) => ({ above: tier.above, ...ratesView(tier) }))
  return { ...head, ...ratesView(terms.base), tiers, ...extrasView(terms.extras) }
}

/** Nano-USD per use of a tool; millionths per service tier; absent: none. */
const extrasView = ({ tools, serviceTiers }: ExtraPrices = {}) => ({
  ...(tools && { tools }),
  ...(serviceTiers && { service_tiers: serviceTiers }),
})

/** A tier's prices with fallbacks resolved. */
export const ratesView = (rates: TokenRates): { readonly [name: string]: number } =>
  Object.fromEntries(
    [
      ...Object.entries(effectiveRates(rates)),
      ...modalityKinds.map((kind) => [kind, rates.modalities?.[kind]] as const),
    ].flatMap(([kind, micro]) => (micro === undefined ? [] : [[publicName(kind), micro]])),
  )
