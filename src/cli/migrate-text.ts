import type { ComparedTable, VerifiedMove } from '../app/move/compare.ts'
import type { Moved } from '../app/move/move.ts'
import { formatNano } from '../billing/money.ts'
import { counted, grouped, humanDuration } from '../lib/format.ts'
import { formatPairs } from '../lib/table.ts'
import { describeVerified, verifiedView } from './verify-text.ts'

/** What was moved and compared, and the next steps. */
export function describeMoved(
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

function describeTable({ table, rows, sumsNano }: ComparedTable): readonly [string, string] {
  const sums = Object.entries(sumsNano).map(
    ([column, nano]) => `${column.replace(/_nano$/, '')} ${formatNano(nano)} USD`,
  )
  return [`  ${table}`, [counted(rows, 'row'), ...sums].join(', ')]
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

/** The same as JSON; sums are texts, as they may exceed numbers. */
export function movedView(moved: Moved, verified: VerifiedMove, durationMs: number) {
  const { source, target, rows, resumedRows, secret, tables, replaced, replacedTotal } = moved
  return {
    source,
    target,
    duration_ms: durationMs,
    rows,
    resumed_rows: resumedRows,
    tables: tables.map(({ table, rows, sumsNano, sha256 }) => ({
      table,
      rows,
      sums_usd: Object.fromEntries(
        Object.entries(sumsNano).map(([column, nano]) => [
          column.replace(/_nano$/, ''),
          formatNano(nano),
        ]),
      ),
      sha256,
    })),
    replaced_total: replacedTotal,
    replaced,
    secret,
    verified: verified && verifiedView(verified.verified, verified.findings, undefined),
  }
}
