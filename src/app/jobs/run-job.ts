import { basename } from 'node:path'
import type { VerifyDifference } from '../../admin/maintenance/schema.ts'
import { formatNano } from '../../billing/money.ts'
import { backUp } from '../backup/backup.ts'
import { openStore } from '../store-place.ts'
import { type Difference, describeDifference, shown } from '../verify/findings.ts'
import { verifyAll } from '../verify/verify.ts'
import { type JobProgress, type JobResult, jobUrlVariable } from './child.ts'

/** More are only counted: a browser shows them. */
const mostShown = 200

type OnProgress = (progress: JobProgress) => void

/** Verifies a database (`tollgate verify`): a file, or the address in the environment. */
export async function runVerify(
  database: string | undefined,
  onProgress: OnProgress,
): Promise<JobResult> {
  const url = process.env[jobUrlVariable] ?? ''
  const place =
    database === undefined ? { url } : ({ path: database, synchronous: 'normal' } as const)
  const store = await openStore(place)
  try {
    const { verified, findings } = await verifyAll(store.verification, onProgress)
    return {
      verify: {
        valid: findings.total === 0,
        is_damaged: verified.isDamaged,
        requests: verified.requests,
        ledger_entries: verified.entries,
        accounts: verified.accounts,
        charged: formatNano(verified.chargedNano),
        duration_ms: Math.round(verified.durationMs),
        differences_total: findings.total,
        kinds: findings.counts,
        differences: findings.listed.slice(0, mostShown).map(differenceView),
      },
    }
  } finally {
    await store.close()
  }
}

const differenceView = (found: Difference): VerifyDifference => ({
  kind: found.kind,
  text: describeDifference(found),
  changes: found.changes.map(({ field, stored, expected }) => ({
    field,
    stored: shown(stored),
    expected: shown(expected),
  })),
})

/** Runs `tollgate backup --no-secret`: the copy stays beside the database, as the secret does. */
export async function runBackup(
  { database, file }: { readonly database: string; readonly file: string },
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<JobResult> {
  const { sizeBytes, contents } = await backUp({
    ...{ database, file, force: false, withSecret: false, signal },
    onProgress: ({ step, doneBytes, totalBytes }) =>
      onProgress({ part: step, done: doneBytes, total: totalBytes }),
  })
  const { requests, accounts, ledgerEntries } = contents
  const made = { requests, accounts, ledger_entries: ledgerEntries }
  return { backup: { name: basename(file), size_bytes: sizeBytes, ...made } }
}
