import { addressKey, networkKey } from '../../lib/addresses.ts'
import type { Clock } from '../../lib/clock.ts'
import { createRate } from '../../lib/rate.ts'
import type { KnownKeys } from './known-keys.ts'

/** Those who send keys that nobody has. */
export interface Strangers {
  /** Whether a key is refused without a look into the store: many such came, and no token has it. */
  isRefused(keyHash: string, address: string): boolean
  /** A key was sent that nobody has. */
  missed(address: string): void
  /** Resolves when such a refusal may go out; at once where many wait already. */
  delay(): Promise<void>
}

/** So long such an answer waits, … */
const delayMs = 1_000
/** … and so many of them at once. */
const mostDelayed = 256

/**
 * Counts unknown keys by address, by network and in all. Above a rate no look-up is made for them; a key
 * that a token may have is looked up all the same, so that whoever has a good one is never slowed,
 * whoever else is behind the same address.
 */
export function createStrangers(
  keys: Pick<KnownKeys, 'mayBe' | 'prepare'>,
  clock: Clock,
  pause: (ms: number) => Promise<void> = Bun.sleep,
): Strangers {
  const rates = [
    { keyOf: addressKey, rate: createRate({ clock, burst: 20, everyMs: 1_000 }) },
    { keyOf: networkKey, rate: createRate({ clock, burst: 100, everyMs: 200 }) },
    { keyOf: () => 'all', rate: createRate({ clock, burst: 500, everyMs: 20 }) },
  ]
  let delayed = 0
  return {
    isRefused(keyHash, address) {
      const isMuch = rates.some(({ keyOf, rate }) => rate.waitMs(keyOf(address)) > 0)
      if (!isMuch) return false
      keys.prepare()
      return !keys.mayBe(keyHash)
    },
    missed(address) {
      for (const { keyOf, rate } of rates) {
        const key = keyOf(address)
        if (rate.waitMs(key) === 0) rate.take(key)
      }
    },
    async delay() {
      if (delayed >= mostDelayed) return
      delayed++
      await pause(delayMs)
      delayed--
    },
  }
}
