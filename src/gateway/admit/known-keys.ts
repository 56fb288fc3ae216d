import { addressKey, networkKey } from '../../lib/addresses.ts'
import type { Clock } from '../../lib/clock.ts'
import { createRate } from '../../lib/rate.ts'
import type { TokenStore } from '../../store/ports/admin.ts'

/** Which keys there are, as far as memory tells: enough to know of a key that nobody has it. */
export type KnownKeys = ReturnType<typeof createKnownKeys>

/** 2 MiB: of a million tokens one unknown key in five hundred looks like a known one, and is looked up. */
const bits = 2 ** 24
const placesOfOne = 4
const pageSize = 2_000
/** Ids are given before their rows are seen: so many that came before the last one are read again. */
const overlap = 1_000

/**
 * A Bloom filter of all keys, made when strangers first ask often. While it lacks a change, every
 * key may be known.
 */
export function createKnownKeys(
  tokens: Pick<TokenStore, 'hashesAfter'>,
  onFailure: (error: unknown) => void = () => {},
) {
  let filter: Uint8Array | undefined
  let lastId = 0
  let isCurrent = false
  let wanted = 0
  let isLoading = false

  function add(keyHash: string): void {
    if (filter === undefined) return
    for (const place of placesOf(keyHash))
      filter[place >> 3] = (filter[place >> 3] ?? 0) | (1 << (place & 7))
  }

  async function readNew(): Promise<void> {
    filter ??= new Uint8Array(bits / 8)
    let from = Math.max(0, lastId - overlap)
    for (;;) {
      const page = await tokens.hashesAfter(from, pageSize)
      for (const { id, keyHash } of page) {
        add(keyHash)
        from = id
      }
      lastId = Math.max(lastId, from)
      if (page.length < pageSize) return
    }
  }

  async function load(): Promise<void> {
    if (isLoading) return
    isLoading = true
    try {
      for (let began = -1; began !== wanted; ) {
        began = wanted
        await readNew()
      }
      isCurrent = true
    } catch (error) {
      onFailure(error) // every key may be one, until the next try
    } finally {
      isLoading = false
    }
  }

  return {
    /** False: no token has it. True: one may have it, or that is not known at present. */
    mayBe(keyHash: string): boolean {
      if (filter === undefined || !isCurrent) return true
      const known = filter
      return placesOf(keyHash).every(
        (place) => ((known[place >> 3] ?? 0) & (1 << (place & 7))) !== 0,
      )
    },
    /** Reads them all, once it is worth it; harmless when repeated. */
    prepare(): void {
      if (!isCurrent) void load()
    },
    add,
    changed(): void {
      if (filter === undefined) return
      isCurrent = false
      wanted++
      void load()
    },
  }
}

/** The hash is as good as random: its own bytes are the places. */
function placesOf(keyHash: string): number[] {
  const bytes = Buffer.from(keyHash, 'base64url')
  return Array.from({ length: placesOfOne }, (_, index) =>
    index * 3 + 3 <= bytes.byteLength ? bytes.readUIntLE(index * 3, 3) : 0,
  )
}

/** Those who send keys that nobody has. */
export type Strangers = ReturnType<typeof createStrangers>

/** So long such an answer waits, … */
const delayMs = 1_000
/** … and so many of them at once. */
const mostDelayed = 256

/**
 * Counts look-ups of unknown keys by address, by network and in all. Above a rate, keys that nobody
 * has are not looked up; others always are.
 */
export function createStrangers(
  keys: Pick<KnownKeys, 'mayBe' | 'prepare'>,
  clock: Clock,
  pause: (ms: number) => Promise<void> = Bun.sleep,
) {
  const rates = [
    { keyOf: addressKey, rate: createRate({ clock, burst: 20, everyMs: 1_000 }) },
    { keyOf: networkKey, rate: createRate({ clock, burst: 100, everyMs: 200 }) },
    { keyOf: () => 'all', rate: createRate({ clock, burst: 500, everyMs: 20 }) },
  ]
  let delayed = 0
  return {
    /** Whether a key is refused without a look into the store: many such came, and no token has it. */
    isRefused(keyHash: string, address: string): boolean {
      const isMuch = rates.some(({ keyOf, rate }) => rate.waitMs(keyOf(address)) > 0)
      if (!isMuch) return false
      keys.prepare()
      return !keys.mayBe(keyHash)
    },
    lookedUp(address: string): void {
      for (const { keyOf, rate } of rates) {
        const key = keyOf(address)
        if (rate.waitMs(key) === 0) rate.take(key)
      }
    },
    found(address: string): void {
      for (const { keyOf, rate } of rates) rate.giveBack(keyOf(address))
    },
    /** Resolves when such a refusal may go out; at once where many wait already. */
    async delay(): Promise<void> {
      if (delayed >= mostDelayed) return
      delayed++
      await pause(delayMs)
      delayed--
    },
  }
}
