import { LRUCache } from 'lru-cache'
import { growing } from '../../lib/cache-options.ts'
import { ApiError } from '../api-error.ts'

/** What a new password must have. */
export const minPasswordLength = 10
/** Longer ones cost time to hash and protect no better. */
export const maxPasswordLength = 256

/** Hashing takes 64 MiB each, and some hundredths of a second: so many at once, so many in line. */
const line = { atOnce: 2, mostWaiting: 100 }

export type Passwords = ReturnType<typeof createPasswords>

/** Hashes and compares passwords, a few at a time, on behalf of who asks. Throws 503 when too many wait. */
export function createPasswords() {
  const inTurn = createLine(line)
  const queue = <Result>(asking: Asking, work: () => Promise<Result>) =>
    inTurn(asking, work, tooManyAtOnce)
  const make = (password: string) => Bun.password.hash(password, { algorithm: 'argon2id' })
  return {
    /** argon2id. */
    hash: (asking: Asking, password: string) => queue(asking, () => make(password)),
    /** Takes as long without a hash, and gives false. */
    verify: (asking: Asking, password: string, hash: string | null): Promise<boolean> =>
      queue(asking, async () => {
        if (hash !== null) return Bun.password.verify(password, hash)
        await make(password)
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

/**
 * Whether an address can be signed in with. It has letters of ASCII only: none of them is another one
 * when it is made small.
 */
export const canSignIn = (email: string): boolean =>
  email.length <= mostAddress &&
  /^(?!\.)(?!.*\.\.)[\w'+.-]*[\w+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/.test(email)

/** Throws for an address that can't be signed in with. */
export function requireAddress(email: string): void {
  if (canSignIn(email)) return
  const fault = { field: 'email', fault: 'unfit_email' } as const
  throw new ApiError('invalid_value', 'This is not an e-mail address.', fault)
}

/** On whose behalf work is done. */
export interface Asking {
  /** Known ones go before strangers, but for one turn in `strangersEvery`. */
  readonly isKnown: boolean
  /** What it shares with others: its network, its account. The more wait of these, the later it is. */
  readonly shares: readonly string[]
}

interface Waiting {
  /** Its turn among those of its kind. */
  readonly turn: number
  begin(): void
  giveUp(): void
}

/** So many networks and accounts are told apart at once. */
const mostShares = 5_000

interface LineOptions {
  readonly atOnce: number
  /** Of known ones, and of strangers. */
  readonly mostWaiting: number
}

/** Of so many turns one is a stranger's: known ones, who are many or come often, keep nobody out. */
const strangersEvery = 4

/**
 * A line before work that is scarce, fair by what those in it share: whoever is the third of a network or
 * of an account waits with the third ones of all others. Known ones and strangers stand side by side: when
 * one side is full, its last leaves it.
 */
export function createLine({ atOnce, mostWaiting }: LineOptions) {
  const known: Waiting[] = []
  const strangers: Waiting[] = []
  /** The next turn of what has been seen since the line was last empty. */
  const nextTurns = new LRUCache<string, number>(growing(mostShares))
  let active = 0
  /** Turns of known ones since the last of a stranger. */
  let knownTurns = 0
  let present = 0

  /** Of one network, or about one account, turns come one after the other. */
  function turnOf({ shares }: Asking): number {
    const turn = Math.max(present, ...shares.map((one) => nextTurns.get(one) ?? 0))
    for (const one of shares) nextTurns.set(one, turn + 1)
    return turn
  }

  /** In order; of equals, who came first. */
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

  /** Runs `work` in its turn; rejects with `refusal` for who is the last of a line that is full. */
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
