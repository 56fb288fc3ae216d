import type { NewRequests } from '../../ports/lists.ts'
import type { Queries } from '../queries.ts'
import type { Reader } from './reader.ts'
import { readRequests } from './requests.ts'
import { type Key, lastId } from './search.ts'

interface Asked {
  readonly reader: Reader
  readonly queries: Queries
  readonly sinceRow: number | undefined
  readonly accountId: number | undefined
  readonly limit: number
}

/** Requests that ended after that of a row, oldest first. */
export async function readNewRequests(asked: Asked): Promise<NewRequests> {
  const { reader, queries, sinceRow, accountId, limit } = asked
  const newest = await lastId(reader, { table: 'request', id: 'id' })
  if (sinceRow === undefined || newest <= sinceRow) {
    return { rows: [], lastRow: sinceRow ?? newest }
  }
  const [by, whose] =
    accountId === undefined ? ['', []] : ['account_id = ? AND ', [accountId] as const]
  const hint = accountId === undefined ? 'NOT INDEXED' : 'INDEXED BY request_account'
  const keys = await reader.all<Key>(
    `SELECT id FROM request ${hint} WHERE ${by}id > ? AND id <= ? ORDER BY id LIMIT ?`,
    [...whose, sinceRow, newest, limit],
  )
  const rows = keys.length === 0 ? [] : await readRequests(reader, queries, keys, 'asc')
  // A full answer ends with its last row; of another one, all was looked at.
  return { rows, lastRow: keys.length === limit ? (keys.at(-1)?.id ?? newest) : newest }
}
