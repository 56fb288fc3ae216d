import { basename } from 'node:path'
import type { JobView } from '../../../admin/maintenance/schema.ts'
import { isoTime } from '../../../lib/format.ts'
import type { Job } from '../../jobs/jobs.ts'

/** A job as the API shows it. */
export function jobView(job: Job): JobView {
  const { id, kind, state, startedBy, startedAt, endedAt, progress, failure, result } = job
  return {
    ...{ id, kind, state, started_by: startedBy, failure },
    started_at: isoTime(startedAt),
    ended_at: endedAt === null ? null : isoTime(endedAt),
    progress: progress && { ...progress },
    verify:
      result?.kind === 'verify'
        ? {
            valid: result.total === 0,
            is_damaged: result.isDamaged,
            requests: result.requests,
            ledger_entries: result.entries,
            accounts: result.accounts,
            charged: result.charged,
            duration_ms: result.durationMs,
            differences_total: result.total,
            kinds: { ...result.kinds },
            differences: [...result.differences],
          }
        : null,
    backup:
      result?.kind === 'backup'
        ? {
            name: basename(result.file),
            size_bytes: result.sizeBytes,
            requests: result.requests,
            accounts: result.accounts,
            ledger_entries: result.entries,
          }
        : null,
  }
}
