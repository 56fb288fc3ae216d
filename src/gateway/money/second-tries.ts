import { shortPurse } from '../../leases/purse.ts'
import type { Committed } from '../../store/ports/records.ts'
import type { Item } from './commit-item.ts'

/** How long other processes get to return what they hold unused, and how often it is asked for. */
const waitMs = 60
const mostDenials = 3

/** What was denied while other processes held leases on its purse is tried again, when they are asked back. */
export function createSecondTries(enqueue: (item: Item) => void) {
  const waiting = new Map<string, { readonly item: Item; readonly timer: Timer }>()

  function tryLater(item: Item, denials: number): void {
    const { requestId } = item
    const timer = setTimeout(() => {
      waiting.delete(requestId)
      enqueue({ ...item, denials })
    }, waitMs)
    waiting.set(requestId, { item, timer })
  }

  return {
    /** Takes what is worth another try: the rest of the denials is final. */
    of(items: readonly Item[], { denied, recalled = [] }: Committed): Committed['denied'] {
      if (recalled.length === 0) return denied
      const rest = new Map(denied)
      for (const item of items) {
        const { reserve = [], grow = [] } = item.part
        const owner = reserve[0] ?? grow[0]
        const denial = denied.get(item.requestId)
        const denials = (item.denials ?? 0) + 1
        if (!owner || !denial || denial === 'busy' || denials >= mostDenials) continue
        if (!recalled.includes(shortPurse(owner, denial))) continue
        rest.delete(item.requestId)
        tryLater(item, denials)
      }
      return rest
    },
    isWaiting: (item: Item): boolean => waiting.get(item.requestId)?.item === item,
    /** Ends the waiting of a request; its item, if it did. */
    take(requestId: string): Item | undefined {
      const found = waiting.get(requestId)
      if (found === undefined) return undefined
      clearTimeout(found.timer)
      waiting.delete(requestId)
      return found.item
    },
    /** Ends the waiting of all: they are tried for the last time. */
    end(): void {
      for (const { item, timer } of waiting.values()) {
        clearTimeout(timer)
        enqueue({ ...item, denials: mostDenials })
      }
      waiting.clear()
    },
  }
}

type Timer = ReturnType<typeof setTimeout>
