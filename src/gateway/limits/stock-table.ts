import { nameOf } from './shared-lines.ts'
import { isSame, NameStock } from './stock.ts'
import { keyOf, type Subject } from './tally.ts'

/** The stocks of this process, and which of them are to be reported. */
export class StockTable {
  readonly #byKey = new Map<number, NameStock>()
  readonly #byName = new Map<string, NameStock>()
  #due: NameStock[] = []

  of(subject: Subject, now: number): NameStock {
    const key = keyOf(subject)
    const { limits } = subject
    const known = this.#byKey.get(key)
    if (known === undefined) {
      const stock = new NameStock(nameOf(subject), limits, now)
      this.#byKey.set(key, stock)
      this.#byName.set(stock.name, stock)
      return stock
    }
    // What was lent under other limits is returned.
    if (!isSame(known.limits, limits)) {
      if (known.holdsAny()) this.setDue(known)
      known.empty()
      known.limits = limits
    }
    return known
  }

  named(name: string): NameStock | undefined {
    return this.#byName.get(name)
  }

  all(): Iterable<NameStock> {
    return this.#byKey.values()
  }

  setDue(stock: NameStock): void {
    if (stock.isDue) return
    stock.isDue = true
    this.#due.push(stock)
  }

  hasDue(): boolean {
    return this.#due.length > 0
  }

  takeDue(): readonly NameStock[] {
    const due = this.#due
    this.#due = []
    for (const stock of due) stock.isDue = false
    return due
  }

  forgetIdle(now: number): void {
    for (const [key, stock] of this.#byKey) {
      if (!stock.isForgettable(now)) continue
      this.#byKey.delete(key)
      this.#byName.delete(stock.name)
    }
  }
}
