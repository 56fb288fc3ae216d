import { effectiveRates } from '../../billing/charge.ts'
import { formatDecimal, multiplierDecimals } from '../../billing/money.ts'
import type { PriceRow, TokenRates } from '../../store/ports/catalog.ts'
import type { ReceiptRows, StoredAttempt } from '../../store/ports/records.ts'
import { explainCharge } from './explain.ts'
import { isoTime, requestFields, viewOf } from './fields.ts'

/** A receipt for machines: the request's fields and all that explains its charge. */
export function receiptView(rows: ReceiptRows) {
  const { request, attempts, price, ledgerId } = rows
  const { multiplierMillionths } = request
  return {
    ...viewOf(requestFields, request),
    usage_raw: parseRaw(request.usageRaw),
    price: price === null ? null : priceView(price),
    tier_above: request.tierAbove,
    multiplier: Number(formatDecimal(multiplierMillionths, multiplierDecimals)),
    multiplier_millionths: multiplierMillionths,
    formula: explainCharge(rows)?.formula ?? null,
    attempts: attempts.map(attemptView),
    ledger_id: ledgerId,
  }
}

/** A price in micro-USD per 1M tokens (or nano-USD per call), each one as it is charged. */
export function priceView({ id, model, terms, validFrom }: PriceRow) {
  const head = { id, model, valid_from: isoTime(validFrom), unit: terms.unit }
  if (terms.unit === 'call') return { ...head, per_call_nano: terms.perCallNano }
  if (terms.unit !== 'tokens') return head
  const tiers = terms.tiers.map((tier) => ({ above: tier.above, ...ratesView(tier) }))
  return { ...head, ...ratesView(terms.base), tiers }
}

function ratesView(rates: TokenRates) {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h } = effectiveRates(rates)
  return {
    input,
    output,
    cache_read: cacheRead,
    cache_write: cacheWrite,
    cache_write_1h: cacheWrite1h,
  }
}

function attemptView(attempt: StoredAttempt) {
  return {
    channel: attempt.channel,
    started_at: isoTime(attempt.startedAt),
    status: attempt.status,
    cause: attempt.cause,
    first_byte_ms: attempt.firstByteMs,
    duration_ms: attempt.durationMs,
    upstream_request_id: attempt.upstreamRequestId,
    usage: parseRaw(attempt.usageRaw),
  }
}

/** Stored usage is JSON text; null stays null. */
function parseRaw(text: string | null): unknown {
  return text === null ? null : JSON.parse(text)
}
