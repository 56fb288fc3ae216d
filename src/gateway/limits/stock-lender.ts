import type { Clock } from '../../lib/clock.ts'
import type {
  Change,
  HeldStock,
  Stock,
  StockAnswer,
  StockLender,
  StockRecall,
  StockReport,
} from '../../store/ports/counters.ts'
import { partMs } from './part-window.ts'

interface LenderParts {
  /** Since 1970, but monotonic, in milliseconds. */
  readonly now: Clock
  /** How many processes count here. */
  readonly processes: () => number
  readonly leaseMs: number
  /** What is taken at a moment, without what is lent. */
  readonly takenOf: (name: string, at: number) => Stock
  readonly count: (changes: readonly Change[], at: number) => void
}

type Held = { -readonly [Key in keyof Stock]: Stock[Key] } & { open: number }

interface Holder {
  readonly name: string
  no: number
  answer: StockAnswer
  heard: number
  until: number
  /** It did not answer a recall in time: it is not waited for until it reports. */
  isSilent: boolean
  readonly stocks: Map<string, Held>
}

/** A name that a request lacked. */
interface Shortage {
  until: number
  recallNo: number
  recalledAt: number
  /** Resolves when all who hold some have answered the recall, or have not in time. */
  answered: Promise<void> | undefined
}

const nothing: Readonly<Held> = { requests: 0, llmTokens: 0, slots: 0, open: 0 }
/** Nobody holds more than this part of what is free, divided by the number of processes. */
const shareOfFree = 8
/** A smaller share, in requests or slots, is not lent: small limits are counted request by request. */
const leastShare = 4
/** How long after a shortage nothing of a name is lent: those who wait in line ask each second. */
const shortMs = 2_000
/** A name that stays short is recalled again: its holders do not know for how long. */
const recallAgainMs = 1_000
/** How long an admission waits for what is recalled. */
const recallMs = 50

/** Lends places of limits to processes. Only free places are lent, and lent places count as taken. */
export function createStockLender({ now, processes, leaseMs, takenOf, count }: LenderParts) {
  const holders = new Map<string, Holder>()
  const sums = new Map<string, Held>()
  const shortages = new Map<string, Shortage>()
  const listeners: ((recall: StockRecall) => void)[] = []
  const waiting = new Set<() => void>()
  let lastRecall = 0

  function set(holder: Holder, name: string, held: Held): void {
    const { stocks } = holder
    const before = stocks.get(name) ?? nothing
    const sum = sums.getOrInsertComputed(name, () => ({ ...nothing }))
    sum.requests += held.requests - before.requests
    sum.llmTokens += held.llmTokens - before.llmTokens
    sum.slots += held.slots - before.slots
    sum.open += held.open - before.open
    if (isNothing(held)) stocks.delete(name)
    else stocks.set(name, held)
    if (isNothing(sum)) sums.delete(name)
  }

  /** What is lent counts as taken: the holder may have taken it unheard. */
  function end(holder: Holder, at: number): void {
    holders.delete(holder.name)
    const part = Math.floor(at / partMs)
    for (const [name, { requests, llmTokens }] of holder.stocks) {
      if (requests > 0 || llmTokens > 0) count([{ name, part, requests, llmTokens }], at)
      set(holder, name, nothing)
    }
  }

  /** Ends what has not been renewed; true: there was some. */
  function endLapsed(at: number): boolean {
    let hasEnded = false
    for (const holder of holders.values()) {
      if (holder.until > at) continue
      end(holder, at)
      hasEnded = true
    }
    return hasEnded
  }

  function holderOf({ holder: name, no }: StockReport): Holder | undefined {
    const known = holders.get(name)
    if (known || no !== 1) return known
    const holder: Holder = {
      ...{ name, no: 0, answer: { lent: [] }, heard: 0, until: 0, isSilent: false },
      stocks: new Map(),
    }
    holders.set(name, holder)
    return holder
  }

  function lend(holder: Holder, stock: HeldStock, at: number): StockAnswer['lent'][number][] {
    const { name, limits, rest, open, wish } = stock
    const held = { ...rest, open }
    set(holder, name, held)
    if (wish === undefined || isShort(name, at)) return []
    const shares = sharesOf(stock, at)
    const { rpm, tpm, concurrency } = limits
    if (rpm !== null && shares.requests < leastShare) return []
    if (concurrency !== null && shares.slots < leastShare) return []
    const more = (what: keyof Stock, limit: number | null) =>
      limit === null ? 0 : Math.max(0, Math.min(wish[what], shares[what] - held[what]))
    const requests = more('requests', rpm)
    const llmTokens = more('llmTokens', tpm)
    const slots = more('slots', concurrency)
    if (requests + llmTokens + slots === 0) return []
    set(holder, name, {
      requests: held.requests + requests,
      llmTokens: held.llmTokens + llmTokens,
      slots: held.slots + slots,
      open,
    })
    return [{ name, requests, llmTokens, slots }]
  }

  /** The most that this holder may have, with what it has. */
  function sharesOf({ name, limits, rest }: HeldStock, at: number): Stock {
    const taken = takenOf(name, at)
    const lent = sums.get(name) ?? nothing
    const share = (limit: number | null, used: number, own: number) =>
      Math.floor(((limit ?? 0) - used + own) / shareOfFree / processes())
    const { rpm, tpm, concurrency } = limits
    return {
      requests: share(rpm, taken.requests + lent.requests, rest.requests),
      llmTokens: share(tpm, taken.llmTokens + lent.llmTokens, rest.llmTokens),
      slots: share(concurrency, taken.slots + lent.slots + lent.open, rest.slots),
    }
  }

  const isShort = (name: string, at: number) => (shortages.get(name)?.until ?? at) > at

  /** Those who hold some of these, and have not answered the recall. */
  const awaited = (names: readonly string[], recallNo: number): readonly Holder[] =>
    [...holders.values()].filter(
      ({ stocks, heard, isSilent }) =>
        !isSilent && heard < recallNo && names.some((name) => stocks.has(name)),
    )

  function recall(names: readonly string[], at: number): Promise<void> {
    const no = ++lastRecall
    const { promise, resolve } = Promise.withResolvers<void>()
    for (const name of names) {
      const shortage = shortages.get(name)
      if (shortage) Object.assign(shortage, { recallNo: no, recalledAt: at, answered: promise })
    }
    const over = () => {
      clearTimeout(timer)
      waiting.delete(look)
      for (const name of names) {
        const shortage = shortages.get(name)
        if (shortage?.recallNo === no) shortage.answered = undefined
      }
      resolve()
    }
    const look = () => {
      if (awaited(names, no).length === 0) over()
    }
    const timer = setTimeout(() => {
      for (const holder of awaited(names, no)) holder.isSilent = true
      over()
    }, recallMs)
    waiting.add(look)
    for (const listener of listeners) listener({ no, names })
    look()
    return promise
  }

  const stocks: StockLender = {
    async lend(report) {
      const at = now()
      const holder = holderOf(report)
      if (holder === undefined) return { lent: [], isLost: true }
      holder.until = at + leaseMs
      holder.isSilent = false
      if (report.no <= holder.no) return holder.answer
      holder.no = report.no
      holder.heard = report.heard
      count(report.taken, at)
      holder.answer = { lent: report.stocks.flatMap((stock) => lend(holder, stock, at)) }
      for (const look of waiting) look()
      return holder.answer
    },
    onRecall: (listener) => listeners.push(listener),
  }

  return {
    stocks,
    /** What is lent of a name, and what of it is in use. */
    lentOf: (name: string): Readonly<Held> => sums.get(name) ?? nothing,
    /**
     * A request lacked these. What is left of them in stocks is recalled; resolves when it is back, or
     * is not in time. Undefined: nobody has any.
     */
    lacking(names: readonly string[]): Promise<unknown> | undefined {
      const at = now()
      const hasEnded = endLapsed(at)
      const recalled: string[] = []
      for (const name of names) {
        const shortage = shortages.getOrInsertComputed(name, newShortage)
        shortage.until = at + shortMs
        if (sums.has(name) && at - shortage.recalledAt >= recallAgainMs) recalled.push(name)
      }
      const answers = names.flatMap((name) => shortages.get(name)?.answered ?? [])
      if (recalled.length > 0) answers.push(recall(recalled, at))
      return hasEnded || answers.length > 0 ? Promise.all(answers) : undefined
    },
    /** To be called now and then: ends what has not been renewed. */
    clean(): void {
      const at = now()
      endLapsed(at)
      for (const [name, { until, answered }] of shortages)
        if (until <= at && !answered) shortages.delete(name)
    },
  }
}

const newShortage = (): Shortage => ({
  ...{ until: 0, recallNo: 0, recalledAt: Number.NEGATIVE_INFINITY, answered: undefined },
})

const isNothing = ({ requests, llmTokens, slots, open }: Held) =>
  requests === 0 && llmTokens === 0 && slots === 0 && open === 0
