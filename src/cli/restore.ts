import type { Command } from 'commander'
import { type Restored, type RestoreProgress, restore } from '../app/backup/restore.ts'
import { findDatabaseFile } from '../app/instance.ts'
import { counted, humanBytes, humanDuration } from '../lib/format.ts'
import { formatPairs } from '../lib/table.ts'
import { describeContents } from './contents-text.ts'
import { complain } from './errors.ts'
import { interruptible } from './interruptible.ts'
import { type ConfigOption, withConfig, withExamples } from './open.ts'
import { writeJson, writeLines } from './output.ts'
import { createProgress } from './progress.ts'

interface RestoreOptions extends ConfigOption {
  readonly json?: boolean
}

/** `tollgate restore`: a backup into the empty place of the configured database. */
export function addRestore(program: Command): void {
  const command = program
    .command('restore')
    .description('put a backup into the empty place of the configured database')
    .argument('<file>', 'a file that "tollgate backup" has made')
    .option('--json', 'as JSON')
    .action(runRestore)
  withExamples(
    withConfig(command),
    'tollgate restore /backups/tollgate-2026-11-21.db --config tollgate.yaml',
  )
}

async function runRestore(file: string, options: RestoreOptions): Promise<void> {
  const database = await findDatabaseFile(options.config, 'restore it with "pg_restore" or "psql"')
  const startedAt = performance.now()
  const progress = createProgress()
  const onProgress = (at: RestoreProgress) => progress.show(describeProgress(at))
  const restored = await interruptible((signal) =>
    restore({ file, database, signal, onProgress }),
  ).finally(progress.done)
  const durationMs = Math.round(performance.now() - startedAt)
  if (restored.secret.warning !== null) complain(`warning: ${restored.secret.warning}`)
  if (options.json) return writeJson(restoreReport(restored, durationMs))
  await writeLines(describeRestored(restored, durationMs))
}

const steps = {
  structure: 'checking that it is whole',
  balances: 'comparing balances with the ledger',
  contents: 'counting',
  update: 'closing what was under way',
}

function describeProgress({ step, doneBytes, totalBytes }: RestoreProgress): string {
  if (step !== 'copy') return `${humanBytes(totalBytes)} copied, ${steps[step]}`
  return `${humanBytes(doneBytes)} of ${humanBytes(totalBytes)} copied`
}

function restoreReport(restored: Restored, durationMs: number) {
  const { file, database, contents, interrupted, secret } = restored
  return {
    database,
    from: file,
    duration_ms: durationMs,
    backup_version: contents.version,
    accounts: contents.accounts,
    tokens: contents.tokens,
    channels: contents.channels,
    requests: contents.requests + interrupted,
    ledger_entries: contents.ledgerEntries,
    interrupted,
    checked: ['integrity_check', 'balances'],
    secret: {
      status: secret.status,
      file: 'file' in secret ? secret.file : null,
      warning: secret.warning,
    },
  }
}

function describeRestored(restored: Restored, durationMs: number): readonly string[] {
  const { file, database, contents, interrupted, secret } = restored
  const requests = contents.requests + interrupted
  return [
    ...formatPairs([
      ['Database', database],
      ['From', `${file}, in ${humanDuration(durationMs)}`],
      ['Holds', describeContents({ ...contents, requests })],
      ['Checked', 'undamaged; every balance is the sum of its ledger entries'],
      ['Interrupted', describeInterrupted(interrupted)],
      ['Secret', describeSecret(secret)],
    ]),
    '',
    'It is ready: tollgate serve',
  ]
}

const describeInterrupted = (count: number) =>
  count === 0
    ? 'none was under way at the time of the backup'
    : `${counted(count, 'request')} under way at the time of the backup, recorded as interrupted and not charged`

function describeSecret(secret: Restored['secret']): string {
  if (secret.status === 'environment') return 'TOLLGATE_SECRET opens its keys'
  if (secret.status === 'none') return 'none is needed: there are no keys in it yet'
  if (secret.status === 'there') return `${secret.file}, which was there, opens its keys`
  return `copied from ${secret.file}; it opens the keys`
}
