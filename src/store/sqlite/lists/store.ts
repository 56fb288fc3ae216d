import type { Clock } from '../../../lib/clock.ts'
import type { DayUsage, ListStore, ModelDayUsage } from '../../ports/lists.ts'
import { readEntries } from '../../queries/lists/ledger.ts'
import { readRequests } from '../../queries/lists/requests.ts'
import { readTotals, readUsage } from '../../queries/lists/usage.ts'
import { listAttempts } from './attempts.ts'
import { readAll } from './exports.ts'
import { listLedger, searchLedger } from './ledger.ts'
import { readNewRequests } from './new-requests.ts'
import { listAccounts, listAudit } from './people.ts'
import type { Reader } from './reader.ts'
import { createRecent } from './recent.ts'
import { listRequests, searchRequests } from './requests.ts'
import { idsOf, readSteps } from './steps.ts'
import { listTokens } from './tokens.ts'

interface ListParts {
  readonly reader: Reader
  readonly clock: Clock
}

/** Lists, charts and exports, read away from the thread that answers requests. */
export function createListStore(parts: ListParts): ListStore {
  const { reader, clock } = parts
  const recentUsage = createRecent<readonly ModelDayUsage[]>(clock)
  const recentTotals = createRecent<readonly DayUsage[]>(clock)
  return {
    requests: (filter, page) => listRequests(reader, filter, page),
    attempts: (filter, page) => listAttempts(reader, filter, page),
    ledger: (filter, page) => listLedger(reader, filter, page),
    audit: (filter, page) => listAudit(reader, filter, page),
    accounts: (filter, page) => listAccounts(reader, filter, page),
    tokens: (filter, page) => listTokens(parts, filter, page),
    usage(filter) {
      const isOfOne = filter.accountId !== undefined || filter.tokenId !== undefined
      const read = () => readSteps(reader, readUsage(filter))
      return isOfOne ? read() : recentUsage(JSON.stringify(filter), read)
    },
    totals: (sinceDay, untilDay) =>
      recentTotals(`${sinceDay} ${untilDay}`, () =>
        readSteps(reader, readTotals(sinceDay, untilDay)),
      ),
    async *exportRequests(filter) {
      const search = await searchRequests(reader, filter)
      yield* readAll(reader, search, (keys) => readSteps(reader, readRequests(idsOf(keys), 'asc')))
    },
    async *exportLedger(filter) {
      const search = await searchLedger(reader, filter)
      yield* readAll(reader, search, (keys) => readSteps(reader, readEntries(idsOf(keys), 'asc')))
    },
    newRequests: (sinceRow, accountId, limit) =>
      readNewRequests({ reader, sinceRow, accountId, limit }),
  }
}
