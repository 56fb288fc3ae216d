import type { Command } from 'commander'
import { type Backup, backUp, type CopyProgress } from '../app/backup/backup.ts'
import { type Restored, restore } from '../app/backup/restore.ts'
import { findDatabaseFile } from '../app/instance.ts'
import { counted, grouped, humanBytes, humanDuration } from '../lib/format.ts'
import { formatPairs } from '../lib/table.ts'
import type { Contents } from '../store/ports/copies.ts'
import { type JsonOption, withConfig } from './config-option.ts'
import { complain } from './errors.ts'
import { interruptible } from './lifecycle.ts'
import { warnOfSpool } from './open.ts'
import { writeJson, writeLines } from './output.ts'
import { createProgress } from './progress.ts'

interface BackupOptions extends JsonOption {
  readonly force?: boolean
  readonly secret: boolean
}

/** `tollgate backup`. */
export function addBackup(program: Command): void {
  const command = program
    .command('backup')
    .description('copy the database into one file, beside a running gateway')
    .argument('<file>', 'the file to make: whole and checked, or not there at all')
    .option('--force', 'replace a file that is there')
    .option('--no-secret', 'do not copy the secret file to FILE.secret')
    .option('--json', 'as JSON')
    .action(runBackup)
  withConfig(
    command,
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
  const { result, durationMs } = await copied((signal, onProgress) =>
    backUp({ database, file, force, withSecret, signal, onProgress }),
  )
  if (options.json) return writeJson(backupReport(result, durationMs))
  await writeLines(describeBackup(result, durationMs))
}

/** `tollgate restore`. */
export function addRestore(program: Command): void {
  const command = program
    .command('restore')
    .description('put a backup into the empty place of the configured database')
    .argument('<file>', 'a file that "tollgate backup" has made')
    .option('--json', 'as JSON')
    .action(runRestore)
  withConfig(command, 'tollgate restore /backups/tollgate-2026-11-21.db --config tollgate.yaml')
}

async function runRestore(file: string, options: JsonOption): Promise<void> {
  const database = await findDatabaseFile(options.config, 'restore it with "pg_restore" or "psql"')
  const { result, durationMs } = await copied((signal, onProgress) =>
    restore({ file, database, signal, onProgress }),
  )
  if (options.json) return writeJson(restoreReport(result, durationMs))
  await writeLines(describeRestored(result, durationMs))
}

async function copied<Result extends Backup | Restored>(
  work: (signal: AbortSignal, onProgress: (at: CopyProgress) => void) => Promise<Result>,
) {
  const startedAt = performance.now()
  const progress = createProgress()
  const result = await interruptible((signal) =>
    work(signal, (at) => progress.show(describeProgress(at))),
  ).finally(progress.done)
  if (result.secret.warning !== null) complain(`warning: ${result.secret.warning}`)
  return { result, durationMs: Math.round(performance.now() - startedAt) }
}

const steps = {
  structure: 'checking that the copy is whole',
  balances: 'comparing balances with the ledger',
  contents: 'counting',
  update: 'closing what was under way',
}

/** A line that says how far a copy is. */
export function describeProgress({ step, doneBytes, totalBytes }: CopyProgress): string {
  if (step !== 'copy') return `${humanBytes(totalBytes)} copied, ${steps[step]}`
  const percent = Math.min(99, Math.floor((doneBytes / Math.max(totalBytes, 1)) * 100))
  return `${percent} %: ${humanBytes(doneBytes)} of about ${humanBytes(totalBytes)} copied`
}

const contentsReport = (contents: Contents) => ({
  accounts: contents.accounts,
  tokens: contents.tokens,
  channels: contents.channels,
  requests: contents.requests,
  ledger_entries: contents.ledgerEntries,
})

function describeContents({ accounts, tokens, requests, ledgerEntries }: Contents): string {
  const entries = `ledger ${ledgerEntries === 1 ? 'entry' : 'entries'}`
  return [
    counted(accounts, 'account'),
    counted(tokens, 'token'),
    counted(requests, 'request'),
    `${grouped(ledgerEntries)} ${entries}`,
  ].join(', ')
}

const checked = 'undamaged; every balance is the sum of its ledger entries'

const backupReport = (
  { database, file, sizeBytes, contents, secret }: Backup,
  durationMs: number,
) => ({
  ...{ file, database, size_bytes: sizeBytes, duration_ms: durationMs, version: contents.version },
  ...contentsReport(contents),
  open_reservations: contents.reservations,
  checked: ['quick_check', 'balances'],
  secret,
})

function describeBackup(backup: Backup, durationMs: number): readonly string[] {
  const { database, file, sizeBytes, contents, secret } = backup
  const { reservations } = contents
  const underWay =
    reservations === 0 ? [] : [`${counted(reservations, 'request')} under way at that moment`]
  const { text, keep } = secretTexts[secret.status]
  return [
    ...formatPairs([
      ['Backup', file],
      ['Of', database],
      ['Size', `${humanBytes(sizeBytes)}, in ${humanDuration(durationMs)}`],
      ['Holds', [describeContents(contents), ...underWay].join(', ')],
      ['Checked', checked],
      ['Secret', secret.file ?? text],
    ]),
    '',
    secret.file === null
      ? `Keep ${keep(database)}, too: without it the keys in ${file} can't be opened.`
      : `Keep both files together: ${secret.file} opens the keys in the backup, so whoever has both ` +
        'has your upstream keys.',
  ]
}

const secretTexts = {
  copied: { text: '', keep: () => '' },
  left_out: { text: 'left out (--no-secret)', keep: (database: string) => `${database}.secret` },
  environment: {
    text: 'in TOLLGATE_SECRET, so not copied',
    keep: () => 'the value of TOLLGATE_SECRET',
  },
  missing: { text: 'not found, so not copied', keep: () => 'the secret' },
}

function restoreReport(restored: Restored, durationMs: number) {
  const { file, database, contents, interrupted, secret } = restored
  return {
    ...{ database, from: file, duration_ms: durationMs, backup_version: contents.version },
    ...contentsReport({ ...contents, requests: contents.requests + interrupted }),
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
  const ended =
    interrupted === 0
      ? 'none was under way at the time of the backup'
      : `${counted(interrupted, 'request')} under way at the time of the backup, recorded as interrupted and not charged`
  return [
    ...formatPairs([
      ['Database', database],
      ['From', `${file}, in ${humanDuration(durationMs)}`],
      ['Holds', describeContents({ ...contents, requests })],
      ['Checked', checked],
      ['Interrupted', ended],
      ['Secret', describeSecret(secret)],
    ]),
    '',
    'It is ready: tollgate serve',
  ]
}

function describeSecret(secret: Restored['secret']): string {
  if (secret.status === 'environment') return 'TOLLGATE_SECRET opens its keys'
  if (secret.status === 'none') return 'none is needed: there are no keys in it yet'
  if (secret.status === 'there') return `${secret.file}, which was there, opens its keys`
  return `copied from ${secret.file}; it opens the keys`
}
