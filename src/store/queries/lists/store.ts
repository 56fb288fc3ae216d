import { type Clock, utcDay } from '../../../lib/clock.ts'
import type {
  DayUsage,
  Listed,
  ListStore,
  ModelDayUsage,
  NamedPageAsked,
  PageAsked,
} from '../../ports/lists.ts'
import type { UsageSplit } from '../../ports/usage-split.ts'
import type { Steps } from '../steps.ts'
import { readPageByName } from './by-name.ts'
import * as others from './others.ts'
import { readAll, readPage } from './reading.ts'
import * as requests from './requests.ts'
import type { Key, ListSource, Search } from './search.ts'
import { readSplit } from './split.ts'

export function createLists(source: ListSource, clock: Clock): ListStore {
  const recentUsage = createRecent<readonly ModelDayUsage[]>(clock)
  const recentTotals = createRecent<readonly DayUsage[]>(clock)
  const recentSplits = createRecent<UsageSplit>(clock)
  /** `search` says where the rows of a filter are, `readRows` reads those that were found. */
  const listOf =
    <Filter, Row>(
      search: (filter: Filter, source: ListSource) => Search | Promise<Search>,
      readRows: (keys: readonly Key[]) => Steps<readonly Row[]>,
    ) =>
    async (filter: Filter, page: PageAsked): Promise<Listed<Row>> =>
      readPage(source, await search(filter, source), page, (keys) => readRows(keys))
  /** The same, of lists that have an order of names, too. */
  const namedListOf =
    <Filter, Row extends { readonly id: number }>(
      search: (filter: Filter) => Search,
      readRows: (keys: readonly Key[]) => Steps<readonly Row[]>,
    ) =>
    (filter: Filter, page: NamedPageAsked): Promise<Listed<Row>> =>
      (page.isByName ? readPageByName : readPage)(source, search(filter), page, readRows)
  return {
    requests: listOf(requests.searchRequests, requests.readRequests),
    attempts: listOf(requests.searchAttempts, requests.readAttempts),
    ledger: listOf(others.searchLedger, others.readEntries),
    audit: listOf(others.searchAudit, others.readEvents),
    accounts: namedListOf(others.searchAccounts, others.readAccounts),
    tokens: namedListOf(others.searchTokens, (keys) => others.readTokens(keys, utcDay(clock()))),
    usage(filter) {
      const isOfOne = filter.accountId !== undefined || filter.tokenId !== undefined
      const read = () => source.read(() => others.readUsage(filter))
      return isOfOne ? read() : recentUsage(JSON.stringify(filter), read)
    },
    totals: (sinceDay, untilDay) =>
      recentTotals(`${sinceDay} ${untilDay}`, () =>
        source.read(() => others.readTotals(sinceDay, untilDay)),
      ),
    split: (filter) =>
      filter.accountId === undefined
        ? recentSplits(JSON.stringify(filter), () => readSplit(source, filter))
        : readSplit(source, filter),
    async *exportRequests(filter, signal) {
      const search = await requests.searchRequests(filter, source)
      yield* readAll(source, search, (keys) => requests.readRequests(keys, 'asc'), { signal })
    },
    async *exportLedger(filter, signal) {
      const search = await others.searchLedger(filter, source)
      yield* readAll(source, search, others.readBareEntries, { signal })
    },
    newRequests: (...asked) => requests.readNewRequests(source, ...asked),
  }
}

const keptMs = 30_000
const maxKept = 16

/** Caches answers for half a minute: sums of the whole gateway. */
function createRecent<Answer>(clock: Clock) {
  const kept = new Map<string, { readonly at: number; readonly answer: Promise<Answer> }>()
  return (question: string, read: () => Promise<Answer>): Promise<Answer> => {
    const known = kept.get(question)
    const age = known === undefined ? keptMs : clock() - known.at
    if (known !== undefined && age >= 0 && age < keptMs) return known.answer
    const answer = read()
    kept.delete(question)
    kept.set(question, { at: clock(), answer })
    answer.catch(() => kept.delete(question)) // the caller gets the error
    const [oldest] = kept.keys()
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
    return answer
  }
}
