import { addressKey, networkKey } from '../../lib/addresses.ts'
import type { Clock } from '../../lib/clock.ts'
import { createRate } from '../../lib/rate.ts'
import type { TokenStore } from '../../store/ports/admin.ts'

/** A filter of existing keys: it can prove that a key is unknown. */
export type KnownKeys = ReturnType<typeof createKnownKeys>

/** 2 MiB: with a million tokens one unknown key in five hundred passes the filter. */
const bits = 2 ** 24
const placesOfOne = 4
const pageSize = 2_000
/** Ids are assigned before their rows are visible: this many before the last one are read again. */
const overlap = 1_000

/** A Bloom filter of all keys, built on demand. While it lacks a change, every key passes. */
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
    /** False: no token has this key. True: one may have it. */
    mayBe(keyHash: string): boolean {
      if (filter === undefined || !isCurrent) return true
      const known = filter
      return placesOf(keyHash).every(
        (place) => ((known[place >> 3] ?? 0) & (1 << (place & 7))) !== 0,
      )
    },
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

export type UnknownKeyLimit = ReturnType<typeof createUnknownKeyLimit>

/** How long the response to an unknown key is delayed. */
const delayMs = 1_000
const mostDelayed = 256

interface UnknownKeyOptions {
  readonly pause?: (ms: number) => Promise<void>
  /** How many processes share the limit. */
  readonly processes?: number | undefined
}

/** Limits look-ups of unknown keys by address, by network and in all. */
export function createUnknownKeyLimit(
  keys: Pick<KnownKeys, 'mayBe' | 'prepare'>,
  clock: Clock,
  { pause = Bun.sleep, processes = 1 }: UnknownKeyOptions = {},
) {
  const rateOf = (burst: number, everyMs: number) =>
    createRate({ clock, burst: Math.ceil(burst / processes), everyMs: everyMs * processes })
  const rates = [
    { keyOf: addressKey, rate: rateOf(20, 1_000) },
    { keyOf: networkKey, rate: rateOf(100, 200) },
    { keyOf: () => 'all', rate: rateOf(500, 20) },
  ]
  let delayed = 0
  return {
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
    async delay(): Promise<void> {
      if (delayed >= mostDelayed) return
      delayed++
      await pause(delayMs)
      delayed--
    },
  }
}
