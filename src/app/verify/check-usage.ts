import { emptyUsage, type Usage } from '../../protocols/canonical/usage.ts'
import { decodeStoredUsage } from '../../protocols/index.ts'
import type { CheckedRequest } from '../../store/ports/verification.ts'
import { checkTold } from './check-extras.ts'
import { changesIn, type Difference } from './difference.ts'

/**
 * Reads the upstream's own report again: the counts of a record are what it says, unless they were
 * estimated here or clamped to the model's window. Without a report nothing was used.
 */
export function checkUsage(request: CheckedRequest, row: string): readonly Difference[] {
  const { usageRaw, estimated, clamped } = request
  if (estimated || clamped) return []
  if (usageRaw === null) {
    return compare(request, row, emptyUsage, 'there is no usage_raw, and it is not estimated')
  }
  const found = (reason: string) => [{ kind: 'usage' as const, row, changes: [], reason }]
  const report = parse(usageRaw)
  if (report === undefined) return found('its usage_raw is not JSON')
  const protocol = request.upstreamProtocol ?? request.clientProtocol
  const usage = decodeStoredUsage(protocol, report)
  if (usage === undefined) return found(`its usage_raw has no counts of the protocol ${protocol}`)
  return [
    ...compare(request, row, usage, 'by its usage_raw'),
    ...checkTold(usage.extras, request, row),
  ]
}

function compare(
  request: CheckedRequest,
  row: string,
  usage: Usage,
  reason: string,
): readonly Difference[] {
  const changes = changesIn([
    ['input_tokens', request.inputTokens, usage.inputTokens],
    ['output_tokens', request.outputTokens, usage.outputTokens],
    ['reasoning_tokens', request.reasoningTokens, usage.reasoningTokens],
    ['cache_read_tokens', request.cacheReadTokens, usage.cacheReadTokens],
    ['cache_write_tokens', request.cacheWriteTokens, usage.cacheWriteTokens],
    ['cache_write_1h_tokens', request.cacheWrite1hTokens, usage.cacheWrite1hTokens],
  ])
  return changes.length > 0 ? [{ kind: 'usage', row, changes, reason }] : []
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // told as a difference
  }
}
