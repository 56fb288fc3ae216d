import type { VerifyDifference } from '../../admin/maintenance/schema.ts'
import { formatNano } from '../../billing/money.ts'
import { type BackupProgress, backUp } from '../backup/backup.ts'
import { openStore } from '../store-place.ts'
import { createFindings, type Difference, describeDifference, shown } from '../verify/findings.ts'
import { verify } from '../verify/verify.ts'
import { type BackupResult, type JobProgress, jobUrlVariable, type VerifyResult } from './child.ts'

/** More are only counted: a browser is to show them. */
const mostShown = 200

type OnProgress = (progress: JobProgress) => void

/** Proves the records of a database (`tollgate verify`): of a file, or of the address in the environment. */
export async function runVerify(
  database: string | undefined,
  onProgress: OnProgress,
): Promise<VerifyResult> {
  const url = process.env[jobUrlVariable] ?? ''
  const place =
    database === undefined ? { url } : ({ path: database, synchronous: 'normal' } as const)
  const store = await openStore(place)
  const findings = createFindings()
  try {
    const verified = await verify({
      store: store.verification,
      since: undefined,
      tick: () => performance.now(),
      onProgress,
      onFound: async (found) => {
        findings.add(found)
      },
    })
    const { isDamaged, requests, entries, accounts, chargedNano, durationMs } = verified
    return {
      kind: 'verify',
      ...{ isDamaged, requests, entries, accounts, charged: formatNano(chargedNano) },
      durationMs: Math.round(durationMs),
      total: findings.total,
      kinds: findings.counts,
      differences: findings.listed.slice(0, mostShown).map(differenceView),
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

/**
 * Copies a database into a file (`tollgate backup --no-secret`): the secret lies beside the database
 * already, and one copy more of it in the same place would save nothing.
 */
export async function runBackup(
  { database, file }: { readonly database: string; readonly file: string },
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<BackupResult> {
  const tell = ({ step, doneBytes, totalBytes }: BackupProgress) =>
    onProgress({ part: step, done: doneBytes, total: totalBytes })
  const { sizeBytes, contents } = await backUp({
    ...{ database, file, force: false, withSecret: false, signal },
    onProgress: tell,
  })
  const { requests, accounts, ledgerEntries } = contents
  return { kind: 'backup', file, sizeBytes, requests, accounts, entries: ledgerEntries }
}
