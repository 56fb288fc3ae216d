import { utcDay } from '../../lib/clock.ts'
import type { RequestRow } from '../ports/records.ts'

const summed = [
  ...(['inputTokens', 'outputTokens', 'reasoningTokens', 'cacheReadTokens'] as const),
  ...(['cacheWriteTokens', 'cacheWrite1hTokens', 'amountNano'] as const),
] as const

/** What a row of daily sums counts, in the order of `dayColumns`. */
export const countedSums = ['requests', ...summed, 'failed', 'begun', 'firstByteMs'] as const

/** The sums of a day and model, of all tokens. */
export type DayTotals = { [Name in (typeof countedSums)[number]]: number } & {
  readonly day: string
  readonly model: string
}
export type DaySumsOfToken = DayTotals & { readonly tokenId: number }

type SumKey = Pick<RequestRow, 'tokenId' | 'createdAt' | 'priceId' | 'model'>

/** Adds the requests of one batch to daily sums: those with the same key are one writing. */
export function createDaySums() {
  const open = new Map<string, DaySumsOfToken>()

  function sumsOf({ tokenId, createdAt, priceId, model: asked }: SumKey): DaySumsOfToken {
    const day = utcDay(createdAt)
    const model = priceId === null ? '' : (asked ?? '')
    const key = `${tokenId} ${day} ${model}`
    const sums = open.get(key) ?? { tokenId, ...emptyTotals(day, model) }
    open.set(key, sums)
    return sums
  }

  return {
    add(request: RequestRow): void {
      const sums = sumsOf(request)
      sums.requests++
      if (request.cause !== null) sums.failed++
      if (request.firstByteMs !== null) {
        sums.begun++
        sums.firstByteMs += request.firstByteMs
      }
      for (const name of summed) sums[name] += request[name]
    },
    /** One that was interrupted, used nothing, and is replaced. */
    takeOut(request: SumKey & Pick<RequestRow, 'cause'>): void {
      const sums = sumsOf(request)
      sums.requests--
      if (request.cause !== null) sums.failed--
    },
    all: () => open.values(),
    /** The sums of all tokens, for each day and model: of a batch mostly a few. */
    totals: () => totalsOf(open.values()),
    forget: () => open.clear(),
  }
}

function totalsOf(all: Iterable<DaySumsOfToken>): Iterable<DayTotals> {
  const totals = new Map<string, DayTotals>()
  for (const sums of all) {
    const { day, model } = sums
    const key = `${day} ${model}`
    const total = totals.get(key) ?? emptyTotals(day, model)
    totals.set(key, total)
    for (const name of countedSums) total[name] += sums[name]
  }
  return totals.values()
}

const zeros = Object.fromEntries(countedSums.map((name) => [name, 0])) as Omit<
  DayTotals,
  'day' | 'model'
>
const emptyTotals = (day: string, model: string): DayTotals => ({ ...zeros, day, model })
