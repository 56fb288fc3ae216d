import type { ListedRequest, NewRequests } from '../../ports/lists.ts'
import { readRequests } from '../../queries/lists/requests.ts'
import { readAll } from './exports.ts'
import type { Reader } from './reader.ts'
import { ofAccount } from './requests.ts'
import { type Key, lastId, type Search } from './search.ts'
import { idsOf, readSteps } from './steps.ts'

interface Asked {
  readonly reader: Reader
  readonly sinceRow: number | undefined
  readonly accountId: number | undefined
  readonly limit: number
}

/** Requests that ended after that of a row, oldest first. */
export async function readNewRequests(asked: Asked): Promise<NewRequests> {
  const { reader, sinceRow, accountId, limit } = asked
  const newest = await lastId(reader, { table: 'request', id: 'id' })
  if (sinceRow === undefined || newest <= sinceRow) {
    return { rows: [], lastRow: sinceRow ?? newest }
  }
  const search: Search = {
    ...{ table: 'request', id: 'id', others: [] },
    index: accountId === undefined ? undefined : ofAccount({ sql: '?', values: [accountId] }),
    ...{ from: sinceRow + 1, to: newest + 1 },
  }
  const rows: ListedRequest[] = []
  const read = (keys: readonly Key[]) => readSteps(reader, readRequests(idsOf(keys), 'asc'))
  for await (const row of readAll(reader, search, read, limit)) {
    rows.push(row)
    if (rows.length === limit) break
  }
  // A full answer ends with its last row; of another one, all was looked at.
  return { rows, lastRow: rows.length === limit ? (rows.at(-1)?.id ?? newest) : newest }
}
