import type { RequestRow, Reservation, Settlement } from '../../store/ports/records.ts'

/** The record of a request whose process died: it cost nothing. A settlement that comes late replaces it. */
export function interrupted(reservation: Reservation): Settlement {
  const { isOpen: _, ...carried } = reservation
  const request: RequestRow = {
    ...carried,
    ...{ upstreamModel: null, channelId: null, upstreamProtocol: null, status: 500 },
    ...{
      cause: 'interrupted',
      causeText: 'The gateway was ended while this request was under way.',
    },
    ending: 'interrupted',
    ...{ inputTokens: 0, outputTokens: 0, reasoningTokens: 0 },
    ...{ cacheReadTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0, calls: 0 },
    ...{ estimated: false, clamped: false, usageRaw: null, tierAbove: null },
    ...{ longContextPricing: true, amountNano: 0, firstByteMs: null, durationMs: 0 },
  }
  return { request, attempts: [] }
}
