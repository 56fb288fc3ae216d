import { sql } from 'kysely'
import type { ListedRequest, NewRequests } from '../../ports/lists.ts'
import { readAll } from './exports.ts'
import { ofAccount, readRequests } from './requests.ts'
import { idsOf, type Key, type Search } from './search.ts'
import type { ListSource } from './source.ts'

interface Asked {
  readonly source: ListSource
  readonly sinceRow: number | undefined
  readonly accountId: number | undefined
  readonly limit: number
}

/** Requests that ended after that of a row, oldest first. */
export async function readNewRequests(asked: Asked): Promise<NewRequests> {
  const { source, sinceRow, accountId, limit } = asked
  const newest = await source.newestRequest(sinceRow)
  if (sinceRow === undefined || newest <= sinceRow) {
    return { rows: [], lastRow: sinceRow ?? newest }
  }
  const search: Search = {
    ...{ table: 'request', id: 'id', others: [] },
    index: accountId === undefined ? undefined : ofAccount(sql`${accountId}`),
    ...{ from: sinceRow + 1, to: newest + 1 },
  }
  const rows: ListedRequest[] = []
  const readRows = (keys: readonly Key[]) => source.read(() => readRequests(idsOf(keys), 'asc'))
  for await (const row of readAll({ source, search, readRows, pageSize: limit })) {
    rows.push(row)
    if (rows.length === limit) break
  }
  // A full answer ends with its last row; of another one, all was looked at.
  return { rows, lastRow: rows.length === limit ? (rows.at(-1)?.id ?? newest) : newest }
}
