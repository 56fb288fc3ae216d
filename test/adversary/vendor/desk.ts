import type { Leave, Plan } from '../script.ts'

/** What the vendor is told of a request beside its body. */
export interface Order {
  readonly number: number
  readonly email: string
  /** Words of its prompt, as a vendor counts them. */
  readonly words: number
  readonly plan: Plan
  readonly leave: Leave | undefined
}

/** Where the customer and the vendor meet: requests by their numbers. */
export interface Desk {
  open(order: Order): void
  order(number: number): Order | undefined
  /** The vendor is at the beat where the customer leaves, and waits until it has. */
  waitForLeaving(number: number): Promise<void>
  /** Resolves when the vendor waits there. */
  reached(number: number): Promise<void>
  /** The customer has gone. */
  left(number: number): void
  hasLeft(number: number): boolean
}

interface Meeting {
  readonly order: Order
  readonly reached: PromiseWithResolvers<void>
  readonly left: PromiseWithResolvers<void>
  hasLeft: boolean
}

export function createDesk(): Desk {
  const meetings = new Map<number, Meeting>()
  const at = (number: number): Meeting => {
    const meeting = meetings.get(number)
    if (meeting === undefined) throw new Error(`Nobody has asked ${number}`)
    return meeting
  }
  return {
    open(order) {
      meetings.set(order.number, {
        order,
        reached: Promise.withResolvers(),
        left: Promise.withResolvers(),
        hasLeft: false,
      })
    },
    order: (number) => meetings.get(number)?.order,
    async waitForLeaving(number) {
      const { reached, left } = at(number)
      reached.resolve()
      await left.promise
    },
    reached: (number) => at(number).reached.promise,
    left(number) {
      const meeting = at(number)
      meeting.hasLeft = true
      meeting.left.resolve()
    },
    hasLeft: (number) => meetings.get(number)?.hasLeft ?? false,
  }
}
