import type { Change } from '../../store/ports/counters.ts'
import type { PermitReporter } from './permit.ts'
import { isWindowed, type NameStock } from './stock.ts'
import type { Subject } from './tally.ts'

/** Where the changes of permits go. */
export interface StockBook {
  readonly partNow: () => number
  /** More is left of a stock, or it has taken more. */
  readonly changed: (stock: NameStock) => void
  /** What a stock can't settle. */
  readonly change: (change: Change) => void
}

interface Taken {
  readonly book: StockBook
  readonly stocks: readonly NameStock[]
  readonly subjects: readonly Subject[]
  readonly part: number
}

/** What a request has taken of stocks. */
export class StockPermit implements PermitReporter {
  readonly #taken: Taken
  /** As counted in its part. */
  #llmTokens: number

  constructor(taken: Taken, llmTokens: number) {
    this.#taken = taken
    this.#llmTokens = llmTokens
  }

  used(more: number): void {
    const { stocks, subjects } = this.#taken
    let at = 0
    for (const stock of stocks) {
      if (subjects[at++]?.limits.tpm === null) continue
      if (more > 0) this.#takeMore(stock, more)
      else this.#putBack(stock, 0, -more)
    }
    if (more < 0) this.#llmTokens += more
  }

  released(): void {
    const { book, stocks, subjects } = this.#taken
    let at = 0
    for (const stock of stocks) {
      if (subjects[at++]?.limits.concurrency === null) continue
      stock.release()
      book.changed(stock)
    }
  }

  undone(): void {
    const { stocks, subjects } = this.#taken
    let at = 0
    for (const stock of stocks) {
      const limits = subjects[at++]?.limits
      if (limits && isWindowed(limits)) this.#putBack(stock, 1, this.#llmTokens)
    }
  }

  #takeMore(stock: NameStock, llmTokens: number): void {
    const { book } = this.#taken
    const part = book.partNow()
    if (stock.takeMore(part, llmTokens)) book.changed(stock)
    else book.change({ name: stock.name, part, requests: 0, llmTokens })
  }

  #putBack(stock: NameStock, requests: number, llmTokens: number): void {
    const { book, part } = this.#taken
    if (stock.putBack(part, requests, llmTokens)) book.changed(stock)
    else book.change({ name: stock.name, part, requests: -requests, llmTokens: -llmTokens })
  }
}
