import type { Clock } from '../../../lib/clock.ts'
import type { DayUsage, ListStore, ModelDayUsage } from '../../ports/lists.ts'
import { readAll } from './exports.ts'
import {
  listAccounts,
  listAudit,
  listLedger,
  listTokens,
  readEntries,
  readTotals,
  readUsage,
  searchLedger,
} from './others.ts'
import {
  listAttempts,
  listRequests,
  readNewRequests,
  readRequests,
  searchRequests,
} from './requests.ts'
import { idsOf, type Key, type ListSource } from './search.ts'

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

const keptMs = 30_000
const maxKept = 16

/** Remembers answers for half a minute: sums of the whole gateway, which everybody looks at. */
function createRecent<Answer>(clock: Clock) {
  const kept = new Map<string, { readonly at: number; readonly answer: Promise<Answer> }>()
  return (question: string, read: () => Promise<Answer>): Promise<Answer> => {
    const known = kept.get(question)
    const age = known === undefined ? keptMs : clock() - known.at
    if (known !== undefined && age >= 0 && age < keptMs) return known.answer
    const answer = read()
    kept.delete(question)
    kept.set(question, { at: clock(), answer })
    answer.catch(() => kept.delete(question)) // who asked learns of it
    const [oldest] = kept.keys()
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
    return answer
  }
}
