import type { TokenReport } from '../app/report/resources.ts'
import { usd } from '../billing/money.ts'
import { humanTime, listed } from '../lib/format.ts'
import { type Column, formatPairs } from '../lib/table.ts'
import { tokenFields } from '../resources/token.ts'
import { fieldColumns, fieldLines } from './field-options.ts'

export const tokenColumns: readonly Column<TokenReport>[] = [
  { title: 'ID', text: ({ id }) => String(id), right: true },
  { title: 'ACCOUNT', text: ({ account }) => account },
  { title: 'NAME', text: ({ name }) => name },
  { title: 'KEY', text: ({ key_hint }) => key_hint },
  { title: 'GROUP', text: ({ group }) => group },
  { title: 'STATUS', text: ({ status }) => status },
  ...fieldColumns(tokenFields),
  { title: 'SPENT OF BUDGET', text: (report) => listed(describeBudget(report), '') },
]

/** `3.20 of 20.00 USD in all`, `1.00 of 5.00 USD today`: one for each limit. */
function describeBudget({ budget, spent }: TokenReport): readonly string[] {
  const parts = [
    ['in all', budget.total_nano, spent?.total_nano],
    ['today', budget.day_nano, spent?.day_nano],
    ['this month', budget.month_nano, spent?.month_nano],
  ] as const
  return parts.flatMap(([when, limit, used = 0]) =>
    limit === null ? [] : [`${usd(used).replace(' USD', '')} of ${usd(limit)} ${when}`],
  )
}

export function describeToken(report: TokenReport & { readonly key?: string }): readonly string[] {
  return formatPairs([
    ['Id', String(report.id)],
    ['Account', report.account],
    ['Name', report.name],
    ['Key', report.key ?? `${report.key_hint} (--reveal shows it)`],
    ['Group', report.group],
    ['Status', report.status],
    ...fieldLines(tokenFields, report),
    ['Spent', listed(describeBudget(report), 'no budget')],
    ['Created', humanTime(report.created_at)],
  ])
}
