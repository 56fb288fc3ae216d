import type { Listed, ListedAttempt, ListedAttemptFilter, PageAsked } from '../../ports/lists.ts'
import { readAttempts } from '../../queries/lists/attempts.ts'
import { conditionsOf, equals, within } from './conditions.ts'
import { idsIn, readPage, requestMs } from './page.ts'
import type { Reader } from './reader.ts'
import type { Search } from './search.ts'
import { readSteps } from './steps.ts'

/** Attempts of a filter, newest first. */
export async function listAttempts(
  reader: Reader,
  filter: ListedAttemptFilter,
  page: PageAsked,
): Promise<Listed<ListedAttempt>> {
  const { channel, cause, outcome, since } = filter
  const isFailed = cause !== undefined || outcome === 'failed'
  const others = conditionsOf(
    equals('cause', cause),
    outcome === 'succeeded' ? { sql: 'cause IS NULL', values: [] } : undefined,
    channel === undefined
      ? undefined
      : { sql: 'channel_id IN (SELECT id FROM channel WHERE name = ?)', values: [channel] },
    within('started_at', filter),
  )
  const where = { sql: 'cause IS NOT NULL', values: [] }
  const search: Search = {
    ...{ table: 'attempt', id: 'request_row', place: 'position', others },
    index: isFailed ? { name: 'attempt_failed', where } : undefined,
    // A request that began before may have attempts since.
    ...(await idsIn(reader, 'request', { since: since && since - requestMs })),
  }
  return readPage(reader, search, page, (keys) => readSteps(reader, readAttempts(keys)))
}
