import type { SpoolDisk } from '../../../src/store/spool/files.ts'

/** What becomes of one writing or syncing. */
export type Fate = 'well' | 'fails' | 'dies'

export interface FakeDisk extends SpoolDisk {
  /** What a killed process leaves: all that it wrote. */
  afterKill(): Uint8Array
  /** How many steps have failed since all was synced. */
  failures(): number
  /** What a power cut leaves: all that was synced, and of the rest some sectors. */
  afterPowerCut(random: () => number): Uint8Array
}

const sectorBytes = 512

/** A disk in memory. `fate` decides of each step; whoever dies hears nothing any more. */
export function createFakeDisk(
  image: Uint8Array,
  fate: (step: 'write' | 'sync') => Fate = () => 'well',
  random: () => number = Math.random,
): FakeDisk {
  let cache = image.slice()
  let durable = image.slice()
  let failures = 0
  const never = new Promise<never>(() => {})

  function put(bytes: Uint8Array, at: number): void {
    const size = Math.max(cache.length, at + bytes.length)
    if (size > cache.length) {
      const grown = new Uint8Array(size)
      grown.set(cache)
      cache = grown
    }
    cache.set(bytes, at)
  }

  return {
    async write(bytes, at) {
      const how = fate('write')
      const isWhole = how === 'well' || (how === 'dies' && random() < 0.3)
      put(isWhole ? bytes : bytes.subarray(0, Math.floor(random() * bytes.length)), at)
      if (how === 'fails') failures++
      if (how === 'fails') throw new Error('ENOSPC: no space left on device, write')
      if (how === 'dies') await never
    },
    async sync() {
      const how = fate('sync')
      if (how === 'well' || (how === 'dies' && random() < 0.5)) durable = cache.slice()
      if (how === 'well') failures = 0
      if (how === 'fails') failures++
      if (how === 'fails') throw new Error('EIO: i/o error, fdatasync')
      if (how === 'dies') await never
    },
    async cut(sizeBytes) {
      cache = cache.slice(0, sizeBytes)
      durable = durable.slice(0, sizeBytes)
    },
    async close() {},
    failures: () => failures,
    afterKill: () => cache.slice(),
    afterPowerCut(random) {
      const left = new Uint8Array(cache.length)
      left.set(durable.subarray(0, cache.length))
      for (let at = 0; at < left.length; at += sectorBytes) {
        const sector = cache.subarray(at, at + sectorBytes)
        if (random() < 0.5) left.set(sector, at)
      }
      return left
    },
  }
}
