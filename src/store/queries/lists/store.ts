import { type Clock, utcDay } from '../../../lib/clock.ts'
import type { DayUsage, ListStore, ModelDayUsage } from '../../ports/lists.ts'
import { readAll } from './exports.ts'
import {
  readAccounts,
  readAudit,
  readEntries,
  readTokens,
  readTotals,
  readUsage,
  searchAccounts,
  searchAudit,
  searchLedger,
  searchTokens,
} from './others.ts'
import { readPage } from './page.ts'
import {
  readAttempts,
  readNewRequests,
  readRequests,
  searchAttempts,
  searchRequests,
} from './requests.ts'
import { idsOf, type Key, type ListSource } from './search.ts'

interface ListParts {
  readonly source: ListSource
  readonly clock: Clock
}

/** Lists, charts and exports. */
export function createLists({ source, clock }: ListParts): ListStore {
  const recentUsage = createRecent<readonly ModelDayUsage[]>(clock)
  const recentTotals = createRecent<readonly DayUsage[]>(clock)
  return {
    requests: async (filter, page) =>
      readPage(source, await searchRequests(source, filter), page, (keys) =>
        readRequests(idsOf(keys), 'desc'),
      ),
    attempts: async (filter, page) =>
      readPage(source, await searchAttempts(source, filter), page, readAttempts),
    ledger: async (filter, page) =>
      readPage(source, await searchLedger(source, filter), page, (keys) =>
        readEntries(idsOf(keys), 'desc'),
      ),
    audit: (filter, page) =>
      readPage(source, searchAudit(filter), page, (keys) => readAudit(idsOf(keys))),
    accounts: (filter, page) =>
      readPage(source, searchAccounts(filter), page, (keys) => readAccounts(idsOf(keys))),
    tokens: (filter, page) =>
      readPage(source, searchTokens(filter), page, (keys) =>
        readTokens(idsOf(keys), utcDay(clock())),
      ),
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
      const readRows = (keys: readonly Key[]) => readRequests(idsOf(keys), 'asc')
      yield* readAll({ source, search, readRows, signal })
    },
    async *exportLedger(filter, signal) {
      const search = await searchLedger(source, filter)
      const readRows = (keys: readonly Key[]) => readEntries(idsOf(keys), 'asc')
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
