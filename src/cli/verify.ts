import type { Command } from 'commander'
import { UserError } from '../app/user-error.ts'
import { createFindings, describeDifference } from '../app/verify/findings.ts'
import { verify } from '../app/verify/verify.ts'
import { isoTime } from '../lib/format.ts'
import { printable } from '../lib/table.ts'
import type { Store } from '../store/ports/store.ts'
import { type JsonOption, withConfig } from './config-option.ts'
import { UsageError } from './errors.ts'
import { warnOfSpool, withStore } from './open.ts'
import { writeJson, writeLines } from './output.ts'
import { createPartProgress, createProgress, type Progress } from './progress.ts'
import { parseTime } from './values.ts'
import { describeFindings, describeVerified, verifiedView } from './verify-text.ts'

interface VerifyOptions extends JsonOption {
  readonly since?: number
  readonly deep?: boolean
}

/** `tollgate verify`: proves the records, or names each wrong row. */
export function addVerify(program: Command): void {
  const command = program
    .command('verify')
    .description('recompute every charge from its receipt and every balance from the ledger')
    .option(
      '--since <time>',
      'only requests and ledger entries from this time on: a date, a date-time, or an age like 7d',
      parseTime,
    )
    .option('--deep', 'look through every page and every cell, too')
    .option('--json', 'as JSON')
    .action(async (options: VerifyOptions) => {
      await warnOfSpool(options)
      await withStore(options, ({ store }) => run(store, options))
    })
    .addHelpText('after', help)
  withConfig(
    command,
    'tollgate verify',
    'tollgate verify --deep',
    'tollgate verify --since 7d --json',
  )
}

const help = `
Works beside a running gateway. Exit code 1 when anything differs, or nothing could be checked: each row that does is named, with
what is stored and what it should be. With --since balances are held to the entry before, daily sums
from that UTC day on are checked, and the database file itself is not.
--deep compares every page of the file with what it belongs to, and finds cells with bytes that were never
written: invalid texts, numbers out of range. Changed bytes that make another text or setting (a name, a
note, a credit limit) no check can find: SQLite keeps no checksums of its pages. Of PostgreSQL it uses amcheck
and the server's checksums where they are there, and says where they are not.
While the file itself is checked (some 5 s for a million requests) the journal of a busy gateway
grows, by some 50 MB/s at 1,000 requests/s. For a very large one, verify a backup of it instead.`

const silence: Progress = { show() {}, done() {} }

async function run(
  store: Store,
  { since, deep = false, json = false }: VerifyOptions,
): Promise<void> {
  if (since !== undefined && since > Date.now())
    throw new UsageError(`--since ${isoTime(since)} is still to come: there is nothing to check.`)
  if (since !== undefined && deep)
    throw new UsageError('--deep looks through the whole database: leave --since out.')
  const findings = createFindings()
  const line = process.stderr.isTTY ? createProgress() : silence
  const tick = () => performance.now()
  const verified = await verify({
    store: store.verification,
    since,
    isDeep: deep,
    tick,
    onProgress: createPartProgress(line, tick),
    async onFound(found) {
      const listed = findings.add(found)
      if (json || listed.length === 0) return
      line.done()
      await writeLines(listed.map((difference) => printable(describeDifference(difference))))
    },
  }).finally(() => line.done())
  if (json) await writeJson(verifiedView(verified, findings, since))
  else await writeLines(describeVerified(verified, findings, since))
  if (findings.total > 0) throw new UserError(describeFindings(verified, findings))
}
