import { type Clock, utcDay } from '../../../lib/clock.ts'
import type { DayUsage, Listed, ListStore, ModelDayUsage, PageAsked } from '../../ports/lists.ts'
import type { Steps } from '../steps.ts'
import {
  readAccounts,
  readEntries,
  readEvents,
  readTokens,
  readTotals,
  readUsage,
  searchAccounts,
  searchAudit,
  searchLedger,
  searchTokens,
} from './others.ts'
import { readAll, readPage } from './reading.ts'
import {
  readAttempts,
  readNewRequests,
  readRequests,
  searchAttempts,
  searchRequests,
} from './requests.ts'
import type { Key, ListSource, Search } from './search.ts'

export function createLists(source: ListSource, clock: Clock): ListStore {
  const recentUsage = createRecent<readonly ModelDayUsage[]>(clock)
  const recentTotals = createRecent<readonly DayUsage[]>(clock)
  const listOf =
    <Filter, Row>(
      search: (filter: Filter, source: ListSource) => Search | Promise<Search>,
      readRows: (keys: readonly Key[]) => Steps<readonly Row[]>,
    ) =>
    async (filter: Filter, page: PageAsked): Promise<Listed<Row>> =>
      readPage(source, await search(filter, source), page, (keys) => readRows(keys))
  return {
    requests: listOf(searchRequests, readRequests),
    attempts: listOf(searchAttempts, readAttempts),
    ledger: listOf(searchLedger, readEntries),
    audit: listOf(searchAudit, readEvents),
    accounts: listOf(searchAccounts, readAccounts),
    tokens: listOf(searchTokens, (keys) => readTokens(keys, utcDay(clock()))),
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
      const search = await searchRequests(filter, source)
      yield* readAll({ source, search, readRows: (keys) => readRequests(keys, 'asc'), signal })
    },
    async *exportLedger(filter, signal) {
      const search = await searchLedger(filter, source)
      yield* readAll({ source, search, readRows: (keys) => readEntries(keys, 'asc'), signal })
    },
    newRequests: (...asked) => readNewRequests(source, ...asked),
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
