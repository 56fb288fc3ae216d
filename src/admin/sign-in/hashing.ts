import { LRUCache } from 'lru-cache'
import { entryLimit } from '../../lib/cache-options.ts'
import { ApiError } from '../api-error.ts'

/** The length of new passwords. */
export const minPasswordLength = 10
/** Longer passwords cost time and add no protection. */
export const maxPasswordLength = 256

/**
 * What is stored of a password, to compare it with: argon2id at the lowest cost that OWASP recommends ("Password
 * Storage Cheat Sheet"). It takes 19 MiB and some hundredths of a second, which a small machine has.
 */
export const hashPassword = (password: string): Promise<string> =>
  Bun.password.hash(password, { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 })

/** `mostWaiting`: known users, and strangers. */
const line = { atOnce: 2, mostWaiting: 100 }

export type Passwords = ReturnType<typeof createPasswords>

/** Hashes and compares passwords, a few concurrently. Throws 503 when too many wait. */
export function createPasswords() {
  const inTurn = createLine(line)
  const queue = <Result>(asking: Asking, work: () => Promise<Result>) =>
    inTurn(asking, work, tooManyAtOnce)
  return {
    hash: (asking: Asking, password: string) => queue(asking, () => hashPassword(password)),
    /** Without a hash it takes as long and returns false. */
    verify: (asking: Asking, password: string, hash: string | null): Promise<boolean> =>
      queue(asking, async () => {
        if (hash !== null) return Bun.password.verify(password, hash)
        await hashPassword(password)
        return false
      }),
  }
}

const tooManyAtOnce = () =>
  new ApiError('unavailable', 'Too many people sign in at this moment. Try again.', {
    retryAfterSeconds: 5,
  })

/** Throws when a new password is too short or too long. */
export function checkNewPassword(password: string, field: string): void {
  if (password.length >= minPasswordLength && password.length <= maxPasswordLength) return
  throw new ApiError(
    'invalid_value',
    `A password has ${minPasswordLength} to ${maxPasswordLength} characters.`,
    { field, fault: 'unfit_password' },
  )
}

const mostAddress = 320

/** Whether an address can be signed in with: ASCII only, so that lower-casing can't merge two addresses. */
export const canSignIn = (email: string): boolean =>
  email.length <= mostAddress &&
  /^(?!\.)(?!.*\.\.)[\w'+.-]*[\w+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/.test(email)

/** Throws for an address that can't be signed in with. */
export function requireAddress(email: string): void {
  if (canSignIn(email)) return
  const fault = { field: 'email', fault: 'unfit_email' } as const
  throw new ApiError('invalid_value', 'This is not an e-mail address.', fault)
}

export interface Asking {
  /** Known users precede strangers, except one turn in `strangersEvery`. */
  readonly isKnown: boolean
  /** Its network and account: waiters that share one are served later. */
  readonly shares: readonly string[]
}

interface Waiting {
  /** Its turn among waiters of the same kind. */
  readonly turn: number
  begin(): void
  giveUp(): void
}

/** At most so many networks and accounts are counted. */
const mostShares = 5_000

/** One of so many turns is a stranger's, so that known users never exclude strangers. */
const strangersEvery = 4

/**
 * A wait queue that is fair among networks and accounts: the third waiter of one is served with the third
 * waiters of all others. Known users and strangers have a side each; a full side drops its last waiter.
 */
export function createLine({ atOnce, mostWaiting }: typeof line) {
  const known: Waiting[] = []
  const strangers: Waiting[] = []
  /** The next turn of each network and account since the queue was last empty. */
  const nextTurns = new LRUCache<string, number>(entryLimit(mostShares))
  let active = 0
  /** Turns of known users since the last stranger's. */
  let knownTurns = 0
  let present = 0

  /** Turns of one network or account are consecutive. */
  function turnOf({ shares }: Asking): number {
    const turn = Math.max(present, ...shares.map((one) => nextTurns.get(one) ?? 0))
    for (const one of shares) nextTurns.set(one, turn + 1)
    return turn
  }

  /** Sorted by turn; equal turns by arrival. */
  function add(one: Waiting, { isKnown }: Asking): void {
    const waiting = isKnown ? known : strangers
    const at = waiting.findIndex((other) => one.turn < other.turn)
    waiting.splice(at < 0 ? waiting.length : at, 0, one)
    if (waiting.length > mostWaiting) waiting.pop()?.giveUp()
  }

  function takeNext(): Waiting | undefined {
    const isStrangers = known.length === 0 || knownTurns >= strangersEvery - 1
    if (isStrangers && strangers.length > 0) {
      knownTurns = 0
      return strangers.shift()
    }
    knownTurns++
    return known.shift()
  }

  function leave(): void {
    const next = takeNext()
    if (next) {
      present = Math.max(present, next.turn)
      next.begin()
      return
    }
    active--
    knownTurns = 0
    nextTurns.clear()
    present = 0
  }

  /** Runs `work` in its turn; rejects with `refusal` for the last waiter of a full queue. */
  return async function inTurn<Result>(
    asking: Asking,
    work: () => Promise<Result>,
    refusal: () => Error,
  ): Promise<Result> {
    const turn = turnOf(asking)
    if (active < atOnce) active++
    else {
      await new Promise<void>((begin, reject) =>
        add({ turn, begin, giveUp: () => reject(refusal()) }, asking),
      )
    }
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
