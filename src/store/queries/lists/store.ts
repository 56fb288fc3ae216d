import type { Clock } from '../../../lib/clock.ts'
import type { DayUsage, ListStore, ModelDayUsage } from '../../ports/lists.ts'
import { listAttempts } from './attempts.ts'
import { readAll } from './exports.ts'
import { listLedger, readEntries, searchLedger } from './ledger.ts'
import { readNewRequests } from './new-requests.ts'
import { listAccounts, listAudit } from './people.ts'
import { createRecent } from './recent.ts'
import { listRequests, readRequests, searchRequests } from './requests.ts'
import { idsOf, type Key } from './search.ts'
import type { ListSource } from './source.ts'
import { listTokens } from './tokens.ts'
import { readTotals, readUsage } from './usage.ts'

interface ListParts {
  readonly source: ListSource
  readonly clock: Clock
}

/** Lists, charts and exports, read away from the thread that answers requests. */
export function createLists(parts: ListParts): ListStore {
  const { source, clock } = parts
  const recentUsage = createRecent<readonly ModelDayUsage[]>(clock)
  const recentTotals = createRecent<readonly DayUsage[]>(clock)
  return {
    requests: (filter, page) => listRequests(source, filter, page),
    attempts: (filter, page) => listAttempts(source, filter, page),
    ledger: (filter, page) => listLedger(source, filter, page),
    audit: (filter, page) => listAudit(source, filter, page),
    accounts: (filter, page) => listAccounts(source, filter, page),
    tokens: (filter, page) => listTokens(parts, filter, page),
    usage(filter) {
      const isOfOne = filter.accountId !== undefined || filter.tokenId !== undefined
      const read = () => source.read(() => readUsage(filter))
      return isOfOne ? read() : recentUsage(JSON.stringify(filter), read)
    },
    totals: (sinceDay, untilDay) =>
      recentTotals(`${sinceDay} ${untilDay}`, () =>
        source.read(() => readTotals(sinceDay, untilDay)),
      ),
    async *exportRequests(filter, signal) {
      const search = await searchRequests(source, filter)
      const readRows = (keys: readonly Key[]) => source.read(() => readRequests(idsOf(keys), 'asc'))
      yield* readAll({ source, search, readRows, signal })
    },
    async *exportLedger(filter, signal) {
      const search = await searchLedger(source, filter)
      const readRows = (keys: readonly Key[]) => source.read(() => readEntries(idsOf(keys), 'asc'))
      yield* readAll({ source, search, readRows, signal })
    },
    newRequests: (sinceRow, accountId, limit) =>
      readNewRequests({ source, sinceRow, accountId, limit }),
  }
}
