import { randomUUID } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import {
  type Change,
  type Counters,
  CountersUnavailable,
  type StockAnswer,
  type StockRecall,
  type StockReport,
} from '../../store/ports/counters.ts'
import type { Outbox } from './outbox.ts'
import type { PermitReporter } from './permit.ts'
import { isSmall, type NameStock } from './stock.ts'
import { type StockBook, StockPermit } from './stock-permit.ts'
import { StockTable } from './stock-table.ts'
import type { Subject } from './tally.ts'

interface StocksParts {
  readonly counters: Pick<Counters, 'stocks' | 'isUnavailable' | 'partAt' | 'leaseMs'>
  readonly tick: Clock
  /** Reports what a stock can't settle. */
  readonly outbox: Pick<Outbox, 'change' | 'changeLater' | 'flush'>
  /** Called for what has been returned that is short. */
  readonly onReturned: (names: ReadonlySet<string>) => void
}

/** How often stocks are looked at. */
export const stockBeatMs = 200
/** What was taken is reported after so long at the latest: until then it counts as lent. */
const reportMs = 500
/** Reports within a lease. */
const renewalsPerLease = 4

/** Places of shared limits that this process may take without asking. */
export function createStocks({ counters, tick, outbox, onReturned }: StocksParts) {
  const table = new StockTable()
  let holder: string = randomUUID()
  let lastNo = 0
  let heard = 0
  /** Not answered yet. */
  let pending: StockReport | undefined
  let isSending = false
  let mustReport = false
  /** A report is to be sent, once the last one is answered. */
  let isUrgent = false
  let planned: ReturnType<typeof setImmediate> | undefined
  let reportedTick = Number.NEGATIVE_INFINITY
  let renewedTick = Number.NEGATIVE_INFINITY

  /** A frozen process may have lost what it held. */
  const isValid = (now: number) => now - renewedTick < counters.leaseMs / 2

  function plan(): void {
    isUrgent = true
    planned ??= setImmediate(flush)
  }

  /** What is left of a name that is short goes back at the end of the turn. */
  function changed(stock: NameStock): void {
    table.setDue(stock)
    if (stock.isShort(tick())) plan()
  }

  function flush(): void {
    clearImmediate(planned)
    planned = undefined
    if (pending || counters.stocks === undefined || counters.isUnavailable()) return
    if (!table.hasDue() && !mustReport) return
    outbox.flush()
    const now = tick()
    void send(reportNow(now), now)
  }

  function reportNow(now: number): StockReport {
    isUrgent = false
    mustReport = false
    reportedTick = now
    const taken: Change[] = []
    const stocks = table.takeDue().map((stock) => {
      if (stock.isShort(now)) stock.empty()
      return stock.report(now, taken)
    })
    pending = { holder, no: ++lastNo, heard, stocks, taken }
    return pending
  }

  async function send(report: StockReport, now: number): Promise<void> {
    const lender = counters.stocks
    if (lender === undefined || isSending) return
    isSending = true
    try {
      const answer = lender.lend(report)
      const short = report.stocks.filter(({ name }) => table.named(name)?.isShort(now))
      if (short.length > 0) onReturned(new Set(short.map(({ name }) => name)))
      answered(report, await answer, now)
    } catch (error) {
      // Where it may have arrived it is sent again as it is.
      if (!(error instanceof CountersUnavailable)) lost()
    }
    isSending = false
    if (pending && pending !== report) void send(pending, tick())
    else if (isUrgent) flush()
  }

  function answered(report: StockReport, { lent, isLost }: StockAnswer, sentTick: number): void {
    if (pending !== report) return // all of that is lost
    pending = undefined
    if (isLost) {
      lost()
      plan()
      return
    }
    renewedTick = sentTick
    const now = tick()
    for (const { name, wish } of report.stocks) {
      const stock = table.named(name)
      if (stock === undefined || wish === undefined) continue
      stock.lent(
        lent.find((one) => one.name === name),
        now,
      )
      if (stock.isShort(now)) changed(stock)
    }
  }

  /** What requests hold is held under a new name. */
  function lost(): void {
    holder = randomUUID()
    lastNo = 0
    pending = undefined
    renewedTick = Number.NEGATIVE_INFINITY
    for (const stock of table.all()) {
      stock.lost()
      if (stock.open > 0) table.setDue(stock)
    }
  }

  function onRecall({ no, names }: StockRecall): void {
    const now = tick()
    heard = no
    for (const name of names) {
      const stock = table.named(name)
      if (stock === undefined) continue
      mustReport = true
      stock.recall(now)
      table.setDue(stock)
    }
    if (!mustReport) return
    isUrgent = true
    flush()
  }

  let listensTo: Counters['stocks']
  function listen(): void {
    if (listensTo === counters.stocks) return
    listensTo = counters.stocks
    listensTo?.onRecall(onRecall)
  }
  listen()

  function covering(
    subjects: readonly Subject[],
    llmTokens: number,
    now: number,
  ): readonly NameStock[] | undefined {
    const stocks: NameStock[] = []
    let isMissing = !isValid(now)
    for (const subject of subjects) {
      if (isSmall(subject.limits)) return undefined
      const stock = table.of(subject, now)
      if (stock.isShort(now)) return undefined
      if (isMissing || !stock.covers(llmTokens)) {
        if (stock.isShut(now)) return undefined
        isMissing = true
      }
      stocks.push(stock)
    }
    if (!isMissing) return stocks
    for (const stock of stocks) {
      if (stock.covers(llmTokens) || !stock.miss(llmTokens, now)) continue
      table.setDue(stock)
      plan()
    }
    return undefined
  }

  const book: StockBook = {
    partNow: () => counters.partAt(tick()),
    changed,
    change(change) {
      const isShort = table.named(change.name)?.isShort(tick())
      if (isShort) outbox.change(change)
      else outbox.changeLater(change)
    },
  }

  return {
    /** What a request takes; undefined: the stocks do not cover it, and it must ask. */
    take(subjects: readonly Subject[], llmTokens: number): PermitReporter | undefined {
      if (counters.stocks === undefined) return undefined
      const now = tick()
      const stocks = covering(subjects, llmTokens, now)
      if (stocks === undefined) return undefined
      const part = counters.partAt(now)
      for (const stock of stocks) {
        const isLow = stock.take(llmTokens, part, now)
        table.setDue(stock)
        if (isLow) plan()
      }
      return new StockPermit({ book, stocks, subjects, part }, llmTokens)
    },
    /** Regularly: returns what is idle, and reports what is due. */
    beat(): void {
      if (counters.stocks === undefined || counters.isUnavailable()) return
      const now = tick()
      let holdsAny = false
      for (const stock of table.all()) {
        if (stock.look(now)) {
          table.setDue(stock)
          isUrgent = true
        }
        holdsAny ||= stock.holdsAny()
      }
      table.forgetIdle(now)
      if (holdsAny && now - reportedTick >= counters.leaseMs / renewalsPerLease) mustReport = true
      if (pending) void send(pending, now)
      else if (isUrgent || mustReport || now - reportedTick >= reportMs) flush()
      // A lender forgets who holds nothing.
      if (!(holdsAny || pending || isValid(now)) && lastNo > 0) lost()
    },
    /** The counters are back; `isEmpty`: they know nothing of before. */
    back(isEmpty: boolean): void {
      listen()
      if (isEmpty || counters.stocks === undefined) {
        heard = 0
        lost()
      }
      if (pending) void send(pending, tick())
      else flush()
    },
    /** Returns all that is not in use. */
    stop(): void {
      for (const stock of table.all()) {
        if (!stock.holdsAny()) continue
        stock.empty()
        table.setDue(stock)
      }
      flush()
    },
  }
}
