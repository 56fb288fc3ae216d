import { setPriority } from 'node:os'
import type { Command } from 'commander'
import { type Backup, type BackupProgress, backUp } from '../app/backup/backup.ts'
import { findDatabaseFile } from '../app/instance.ts'
import { counted, humanBytes, humanDuration } from '../lib/format.ts'
import { formatPairs } from '../lib/table.ts'
import { describeContents } from './contents-text.ts'
import { complain } from './errors.ts'
import { interruptible } from './interruptible.ts'
import { type ConfigOption, warnOfSpool, withConfig, withExamples } from './open.ts'
import { writeJson, writeLines } from './output.ts'
import { createProgress } from './progress.ts'

interface BackupOptions extends ConfigOption {
  readonly force?: boolean
  readonly secret: boolean
  readonly json?: boolean
}

/** `tollgate backup`: a copy of the database while the gateway goes on. */
export function addBackup(program: Command): void {
  const command = program
    .command('backup')
    .description('copy the database into one file, beside a running gateway')
    .argument('<file>', 'the file to make: whole and checked, or not there at all')
    .option('--force', 'replace a file that is there')
    .option('--no-secret', 'do not copy the secret file to FILE.secret')
    .option('--json', 'as JSON')
    .action(runBackup)
  withExamples(
    withConfig(command),
    'tollgate backup /backups/tollgate-$(date +%F).db',
    'tollgate restore /backups/tollgate-2026-11-21.db --config elsewhere.yaml',
  )
}

async function runBackup(file: string, options: BackupOptions): Promise<void> {
  const database = await findDatabaseFile(
    options.config,
    'back it up with "pg_dump", and keep TOLLGATE_SECRET with the copy',
  )
  await warnOfSpool(options)
  const { force = false, secret: withSecret } = options
  yieldToOthers()
  const startedAt = performance.now()
  const progress = createProgress()
  const onProgress = (at: BackupProgress) => progress.show(describeProgress(at))
  const backup = await interruptible((signal) =>
    backUp({ database, file, force, withSecret, signal, onProgress }),
  ).finally(progress.done)
  const durationMs = Math.round(performance.now() - startedAt)
  if (backup.secret.warning !== null) complain(`warning: ${backup.secret.warning}`)
  if (options.json) return writeJson(backupReport(backup, durationMs))
  await writeLines(describeBackup(backup, durationMs))
}

/** A gateway on the same core goes first. */
function yieldToOthers(): void {
  try {
    setPriority(niceness)
  } catch {
    // Not allowed here: then it takes its share.
  }
}

const niceness = 10

const steps = {
  structure: 'checking that the copy is whole',
  balances: 'comparing balances with the ledger',
  contents: 'counting',
}

function describeProgress({ step, doneBytes, totalBytes }: BackupProgress): string {
  if (step !== 'copy') return `${humanBytes(totalBytes)} copied, ${steps[step]}`
  const percent = Math.min(99, Math.floor((doneBytes / Math.max(totalBytes, 1)) * 100))
  return `${percent} %: ${humanBytes(doneBytes)} of about ${humanBytes(totalBytes)} copied`
}

function backupReport({ database, file, sizeBytes, contents, secret }: Backup, durationMs: number) {
  return {
    file,
    database,
    size_bytes: sizeBytes,
    duration_ms: durationMs,
    version: contents.version,
    accounts: contents.accounts,
    tokens: contents.tokens,
    channels: contents.channels,
    requests: contents.requests,
    ledger_entries: contents.ledgerEntries,
    open_reservations: contents.reservations,
    checked: ['quick_check', 'balances'],
    secret,
  }
}

function describeBackup(backup: Backup, durationMs: number): readonly string[] {
  const { database, file, sizeBytes, contents, secret } = backup
  const { reservations } = contents
  const underWay =
    reservations === 0 ? [] : [`${counted(reservations, 'request')} under way at that moment`]
  return [
    ...formatPairs([
      ['Backup', file],
      ['Of', database],
      ['Size', `${humanBytes(sizeBytes)}, in ${humanDuration(durationMs)}`],
      ['Holds', [describeContents(contents), ...underWay].join(', ')],
      ['Checked', 'undamaged; every balance is the sum of its ledger entries'],
      ['Secret', secret.file ?? secretTexts[secret.status]],
    ]),
    '',
    keepTogether(backup),
  ]
}

const secretTexts = {
  copied: '',
  left_out: 'left out (--no-secret)',
  environment: 'in TOLLGATE_SECRET, so not copied',
  missing: 'not found, so not copied',
}

function keepTogether({ database, file, secret }: Backup): string {
  if (secret.file !== null)
    return (
      `Keep both files together: ${secret.file} opens the keys in the backup, so whoever has both ` +
      'has your upstream keys.'
    )
  const what = {
    left_out: `${database}.secret`,
    environment: 'the value of TOLLGATE_SECRET',
    missing: 'the secret',
    copied: '',
  }[secret.status]
  return `Keep ${what}, too: without it the keys in ${file} can't be opened.`
}
