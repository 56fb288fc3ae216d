import type { Command } from 'commander'
import { type ComparedTable, type VerifiedMove, verifyMoved } from '../app/move/compare.ts'
import { type Moved, move } from '../app/move/move.ts'
import { parsePlace, type StorePlace } from '../app/move/rows.ts'
import { UserError } from '../app/user-error.ts'
import { formatNano } from '../billing/money.ts'
import { counted, grouped, humanDuration } from '../lib/format.ts'
import { formatPairs } from '../lib/table.ts'
import { withExamples } from './config-option.ts'
import { complain, UsageError } from './errors.ts'
import { interruptible } from './lifecycle.ts'
import { writeJson, writeLines } from './output.ts'
import { createPartProgress, createProgress } from './progress.ts'
import { describeFindings, describeVerified, verifiedView } from './verify-text.ts'

interface MigrateOptions {
  readonly restart?: boolean
  readonly json?: boolean
}

/** `tollgate migrate`: moves a whole store from one database into another. */
export function addMigrate(program: Command): void {
  const command = program
    .command('migrate')
    .description('move everything into another database, SQLite or PostgreSQL, and compare both')
    .argument(
      '<source>',
      'sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE; it stays as it is',
    )
    .argument('<target>', 'the same for the new one, which must be empty')
    .option('--restart', 'start over where an earlier run was not finished')
    .option('--json', 'as JSON')
    .action(runMigrate)
    .addHelpText('after', help)
  withExamples(
    command,
    'tollgate migrate sqlite:./tollgate.db postgres://tollgate@db.internal/tollgate',
    'tollgate migrate postgres://tollgate@db.internal/tollgate sqlite:./tollgate.db',
  )
}

const help = `
Stop all gateways first, with the database at hand: what waits in a node's spool is not moved. A run that was ended goes on where it was when it is called again; until it
is finished, nothing else opens the target. In the end each row is held against its counterpart, and
the new records are verified. Keys are moved as they are: they need the same TOLLGATE_SECRET. A
password that the address does not have is taken from PGPASSWORD.`

async function runMigrate(from: string, to: string, options: MigrateOptions): Promise<void> {
  const [source, target] = [placeOf(from), placeOf(to)]
  const startedAt = performance.now()
  const progress = createProgress()
  const onProgress = createPartProgress(progress, () => performance.now())
  const { moved, verified } = await interruptible(async () => {
    const isRestarted = options.restart === true
    const moved = await move({ source, target, isRestarted, onProgress })
    return { moved, verified: await verifyMoved(target, onProgress) }
  }, goesOn).finally(progress.done)
  const durationMs = Math.round(performance.now() - startedAt)
  if (moved.secret.warning !== null) complain(`warning: ${moved.secret.warning}`)
  if (options.json) await writeJson(movedView(moved, verified, durationMs))
  else await writeLines(describeMoved(moved, verified, durationMs))
  if (verified.findings.total > 0)
    throw new UserError(
      `${describeFindings(verified.verified, verified.findings)} It is the same in the old place: ` +
        '"tollgate verify" names each row.',
    )
}

const goesOn = 'what was moved is kept, and the same command goes on from there'

function placeOf(text: string): StorePlace {
  const place = parsePlace(text)
  if (typeof place === 'string') throw new UsageError(place)
  return place
}

/** What was moved and compared, and the next steps. */
function describeMoved(
  moved: Moved,
  verified: VerifiedMove,
  durationMs: number,
): readonly string[] {
  const { source, target, rows, resumedRows, secret, tables } = moved
  const resumed = resumedRows === 0 ? '' : `, ${grouped(resumedRows)} of them by an earlier run`
  return [
    ...formatPairs([
      ['Moved', `${counted(rows, 'row')} in ${humanDuration(durationMs)}${resumed}`],
      ['From', source],
      ['To', target],
      ['Compared', 'each row of each table with its counterpart: all are the same'],
      ...tables.filter((table) => table.rows > 0).map(describeTable),
      ['Secret', secretTexts[secret.status]],
    ]),
    ...describeReplaced(moved),
    '',
    ...describeVerified(verified.verified, verified.findings, undefined),
    ...(secret.advice === null ? [] : [secret.advice]),
    'Name the new place as "store:" of the configuration. Keep the old one until you are sure.',
  ]
}

const secretTexts = {
  environment: 'TOLLGATE_SECRET opens the keys',
  file: 'the secret file opens the keys',
  copied: 'its file is copied beside the new place, and opens the keys',
  none: 'none is needed: there are no keys in it yet',
}

const sumsOf = ({ sumsNano }: ComparedTable) =>
  Object.entries(sumsNano).map(
    ([column, nano]) => [column.replace(/_nano$/, ''), formatNano(nano)] as const,
  )

function describeTable(compared: ComparedTable): readonly [string, string] {
  const sums = sumsOf(compared).map(([column, sum]) => `${column} ${sum} USD`)
  return [`  ${compared.table}`, [counted(compared.rows, 'row'), ...sums].join(', ')]
}

function describeReplaced({ replacedTotal, replaced }: Moved): readonly string[] {
  if (replacedTotal === 0) return []
  const more = replacedTotal > replaced.length ? ' …' : ''
  return [
    '',
    `In ${counted(replacedTotal, 'row')} U+0000 became U+FFFD, for PostgreSQL can not hold it: ` +
      `${replaced.join('; ')}${more}`,
  ]
}

/** The report as JSON. Sums are strings: a double may not hold them exactly. */
function movedView(moved: Moved, verified: VerifiedMove, durationMs: number) {
  const { source, target, rows, resumedRows, secret, tables, replaced, replacedTotal } = moved
  return {
    source,
    target,
    duration_ms: durationMs,
    rows,
    resumed_rows: resumedRows,
    tables: tables.map((compared) => {
      const { table, rows, sha256 } = compared
      return { table, rows, sums_usd: Object.fromEntries(sumsOf(compared)), sha256 }
    }),
    replaced_total: replacedTotal,
    replaced,
    secret,
    verified: verifiedView(verified.verified, verified.findings, undefined),
  }
}
