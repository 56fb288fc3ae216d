import type { AccountReport, TokenReport } from '../app/report/resources.ts'
import { usd } from '../billing/money.ts'
import { humanTime } from '../lib/format.ts'
import { type Column, formatPairs, formatTable } from '../lib/table.ts'
import { accountFields } from '../resources/account.ts'
import { fieldColumns, fieldLines } from './field-options.ts'
import { tokenColumns } from './token-text.ts'

const { limits, ...others } = accountFields

/** Columns of `list`; LOW marks a balance below its threshold, or below the credit limit. */
export const accountColumns: readonly Column<AccountReport>[] = [
  { title: 'EMAIL', text: ({ email }) => email },
  { title: 'ROLE', text: ({ role }) => role },
  { title: 'STATUS', text: ({ status }) => status },
  { title: 'BALANCE', text: ({ balance_nano }) => usd(balance_nano), right: true },
  { title: 'LOW', text: lowOf },
  { title: 'RESERVED', text: ({ reserved_nano }) => usd(reserved_nano), right: true },
  ...fieldColumns(others),
  { title: 'TOKENS', text: ({ token_count }) => String(token_count), right: true },
  ...fieldColumns({ limits }),
]

function lowOf({ overdrawn_nano, balance_low }: AccountReport): string {
  if (overdrawn_nano > 0) return 'overdrawn'
  return balance_low ? 'low' : ''
}

interface Caused {
  readonly overdrawn_by?: string | null
}

export function describeAccount(
  report: AccountReport & Caused,
): readonly (readonly [string, string])[] {
  const threshold = usd(report.balance_low_threshold_nano)
  return [
    ['Email', report.email],
    ['Role', report.role],
    ['Address', report.vouched ? 'vouched for' : 'not vouched for: it registered itself'],
    ['Status', report.status],
    ['Balance', usd(report.balance_nano)],
    ['Low balance', `${report.balance_low ? 'yes' : 'no'}, low is below ${threshold}`],
    ...(report.overdrawn_nano > 0 ? [['Overdrawn', overdraft(report)] as const] : []),
    ['Reserved', usd(report.reserved_nano)],
    ...fieldLines(accountFields, report),
    ['Created', humanTime(report.created_at)],
  ]
}

const overdraft = ({ overdrawn_nano, overdrawn_by }: AccountReport & Caused) =>
  `by ${usd(overdrawn_nano)}${causeOf(overdrawn_by)}; it can spend again when that is paid`

const causeOf = (requestId?: string | null) => (requestId ? `, since request ${requestId}` : '')

export function describeDetails(
  report: AccountReport & Caused & { readonly tokens: readonly TokenReport[] },
): readonly string[] {
  const { tokens } = report
  const count = tokens.length === 0 ? 'none' : String(tokens.length)
  const pairs = formatPairs([...describeAccount(report), ['Tokens', count]])
  return tokens.length === 0 ? pairs : [...pairs, '', ...formatTable(tokenColumns, tokens)]
}
