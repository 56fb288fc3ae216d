import { createRequestId } from '../../../src/lib/ids.ts'
import type { Settlement } from '../../../src/store/ports/records.ts'
import { attemptRow, requestRow } from '../../store/support.ts'

const usageRaw =
  '{"prompt_tokens":16,"completion_tokens":20,"total_tokens":36,"prompt_tokens_details":{"cached_tokens":3}}'

/** What an ordinary request writes that ends before its reservation is stored. */
export function ordinarySettlement(): Settlement {
  const now = Date.now()
  return {
    request: requestRow({
      ...{ requestId: createRequestId(), createdAt: now, model: 'gpt-4o-mini' },
      ...{ upstreamModel: 'gpt-4o-mini', stream: false, usageRaw, amountNano: 1_234 },
    }),
    attempts: [
      attemptRow({
        ...{ startedAt: now, usageRaw: null, upstreamRequestId: 'chatcmpl-BfUq1kzSYTMOoBuMFFn3z' },
      }),
    ],
    neverReserved: true,
  }
}

/** CPU of this process from now on, in microseconds. */
export function startCpu(): () => number {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
}
