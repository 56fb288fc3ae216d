import { createRandom, type Random } from '../../support/random.ts'
import { type Ask, makeAsk } from './asks.ts'
import { send } from './send.ts'

/** How a request ended, as its client saw it. */
export interface Outcome {
  readonly ask: Ask
  readonly ending:
    | 'whole' // all of the answer came
    | 'told' // a stream that ended with its protocol's error
    | 'refused' // a status other than 200
    | 'broken' // an answer that broke off
    | 'unreached' // no answer at all
    | 'left' // the client did not want to know any more
    | 'odd' // a stream that ended well and was not whole
    | 'hung' // no end within `patienceMs`
  /** The gateway's; undefined: no head of an answer came. */
  readonly id?: string | undefined
  readonly status?: number | undefined
  /** What it was told in place of an answer. */
  readonly told?: string | undefined
  /** The header of that name. */
  readonly retryAfter?: string | undefined
  /** By `performance.now()`. */
  readonly endedAt?: number
}

/** Clients that ask one thing after the other, or rest. */
export interface Crowd {
  readonly asked: () => number
  /** What has ended since the last call. */
  take(): Outcome[]
  /** Lets them ask. */
  go(): void
  /** Ends what they have begun, and nothing new. */
  rest(): Promise<void>
  /**
   * Asks these beside: answers count as those of all others, and `rest` waits for them. Resolves when they
   * have ended, or after some seconds: another fault may keep them from that.
   */
  beside(count: number, fixed: Partial<Ask>, how?: typeof send): Promise<void>
}

const besideMs = 8_000

export function createCrowd(url: string, size: number, seed: number): Crowd {
  const random = createRandom(seed)
  let outcomes: Outcome[] = []
  let asked = 0
  let isGoing = false
  let running: Promise<void>[] = []
  let asides: Promise<Outcome>[] = []

  async function ask(fixed: Partial<Ask>, how: typeof send): Promise<Outcome> {
    const outcome = await how(url, makeAsk(random, ++asked, fixed), random)
    outcomes.push({ ...outcome, endedAt: performance.now() })
    return outcome
  }
  async function runClient(): Promise<void> {
    while (isGoing) await pauseAfter(await ask({}, send), random)
  }
  return {
    asked: () => asked,
    take() {
      const taken = outcomes
      outcomes = []
      return taken
    },
    go() {
      if (isGoing) return
      isGoing = true
      running = Array.from({ length: size }, runClient)
    },
    async rest() {
      isGoing = false
      await Promise.all([...running, ...asides])
      asides = []
    },
    async beside(count, fixed, how = send) {
      const more = Array.from({ length: count }, () => ask(fixed, how))
      asides.push(...more)
      await Promise.race([Promise.all(more), Bun.sleep(besideMs)])
    },
  }
}

/** Where nobody listens, or all are refused, a client would ask without a pause. */
async function pauseAfter({ ending }: Outcome, random: Random): Promise<void> {
  if (ending === 'unreached' || ending === 'refused') await Bun.sleep(20 + random() * 60)
}
