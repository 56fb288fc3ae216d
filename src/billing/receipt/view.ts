import { isoTime } from '../../lib/format.ts'
import type { ReceiptRows, StoredAttempt } from '../../store/ports/records.ts'
import { contextTokens } from '../charge.ts'
import { findDifferences } from './differences.ts'
import { explainCharge, multiplierOf } from './explain.ts'
import { requestFields, viewOf } from './fields.ts'
import { priceView } from './price-view.ts'
import { clampedReason, estimatedReason } from './reasons.ts'

/** A receipt for machines: the request's fields and all that explains its charge. */
export function receiptView(rows: ReceiptRows) {
  const { request, attempts, price, ledgerId, balanceAfterNano } = rows
  const explanation = explainCharge(rows)
  return {
    ...viewOf(requestFields, request),
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
    attempts: attempts.map(attemptView),
    ledger_id: ledgerId,
    balance_after_nano: balanceAfterNano,
    /** Sentences; empty unless a record was changed by hand, or the gateway has a fault. */
    differences: findDifferences(rows, explanation),
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
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    return text // changed by hand: shown as it is, so that the rest of the receipt can be read
  }
}

/** The same for the request's own account: what is the upstream's alone is left out. */
export function clientReceiptView(rows: ReceiptRows) {
  const { upstream_model, ...view } = receiptView(rows)
  return {
    ...view,
    attempts: view.attempts.map(({ upstream_request_id, ...attempt }) => attempt),
  }
}
