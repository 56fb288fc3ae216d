import type { LedgerEntry } from '../../../admin/ledger/routes.ts'

export const kinds = ['opening', 'charge', 'credit', 'debit'] as const

interface LedgerFilter {
  readonly kind?: LedgerEntry['kind']
  readonly since?: string
  readonly until?: string
}

/** What the address says; days are those of this place, and the last one is included. */
export function readFilter({
  kind,
  since,
  until,
}: {
  readonly [name: string]: string | undefined
}): LedgerFilter {
  const known = kinds.find((one) => one === kind)
  const from = startOf(since, 0)
  const to = startOf(until, 1)
  return { ...(known && { kind: known }), ...(from && { since: from }), ...(to && { until: to }) }
}

/** When a day (`2026-11-21`) begins, or the one so many days later. */
function startOf(day: string | undefined, later: number): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '') ?? []
  if (year === undefined) return undefined
  return new Date(Number(year), Number(month) - 1, Number(date) + later).toISOString()
}

/** Where the same entries are as a file. */
export const exportAddress = (filter: LedgerFilter) =>
  `/api/v1/ledger/export?${new URLSearchParams({ ...filter })}`
