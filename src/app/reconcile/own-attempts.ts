import { emptyUsage, type Usage } from '../../protocols/canonical/usage.ts'
import { decodeStoredUsage } from '../../protocols/stored-usage.ts'
import type { OwnAttempt } from '../../store/ports/matching.ts'
import type { AttemptRecord } from '../../store/ports/records.ts'

/** An attempt as it is compared; undefined when the upstream gave no request id. */
export function toOwnAttempt(record: AttemptRecord, isExpected: boolean): OwnAttempt | undefined {
  const { upstreamRequestId, request, isLast } = record
  if (upstreamRequestId === null) return undefined
  const reported = decodeReported(record)
  const usage = reported ?? (isLast ? request : emptyUsage)
  return {
    upstreamId: upstreamRequestId,
    requestId: request.requestId,
    channel: record.channel,
    model: request.model,
    startedAt: record.startedAt,
    status: record.status,
    cause: record.cause,
    estimated: reported === undefined && isLast && request.estimated,
    amountNano: isLast ? request.amountNano : 0,
    isExpected,
    inputTokens: usage.inputTokens,
    cacheReadTokens: usage.cacheReadTokens,
    cacheWriteTokens: usage.cacheWriteTokens + usage.cacheWrite1hTokens,
    outputTokens: usage.outputTokens,
    reasoningTokens: usage.reasoningTokens,
  }
}

/** What the upstream itself told us of this attempt; undefined when it told nothing. */
function decodeReported({ usageRaw, request }: AttemptRecord): Usage | undefined {
  if (usageRaw === null) return undefined
  const protocol = request.upstreamProtocol ?? request.clientProtocol
  return decodeStoredUsage(protocol, JSON.parse(usageRaw))
}

/** Whether an upstream bills such an attempt: it answered, or told what was used. */
export const isBillable = ({ status, usageRaw }: AttemptRecord): boolean =>
  status === 200 || usageRaw !== null
