import { availableParallelism } from 'node:os'
import { findMemoryLimit } from '../lib/process-state.ts'

const maxFetches = 'BUN_CONFIG_MAX_HTTP_REQUESTS'
const mostFetches = '65535'

/** With as much memory the collector's own ways cost 4 to 6 % less of a request, and no more memory under load. */
const plentyBytes = 4 * 1_073_741_824

/**
 * The collector may run after so many bytes of new objects; by default after 32 MiB. More of what a request uses stays
 * in the processor's caches then: 5 to 13 % less CPU for requests, small or large, and for events.
 */
const leastHeap = { BUN_JSC_largeHeapSize: String(2 * 1_048_576) }

/** Heaps of a process that has little memory. */
const smallHeaps = {
  // With much spare memory the collector lets the heap double before it runs; with 256 MiB it uses the
  // growth below. It limits nothing, but a process beyond four fifths of it collects its whole heap after
  // each twentieth: with 64 MiB and a thousand streams it did little else.
  BUN_JSC_forceRAMSize: String(256 * 1_048_576),
  // By half, not by a quarter: half as many collections, for some 20 MB under full load.
  BUN_JSC_largeHeapGrowthFactor: '1.5',
  // A collection that frees a smaller part of the heap makes the next one a full collection, several times
  // as expensive. Growing by half never frees the default third, so every other collection would be full.
  // With this value every tenth is under load.
  BUN_JSC_minEdenToOldGenerationRatio: '0.15',
}

/** Read by the runtime before our first line runs; the operator's own values stay. */
export const runtimeSettings = (
  memoryBytes: number,
  processors: number,
): Readonly<Record<string, string>> => ({
  // Default: `fetch` runs 256 requests at once, open streams included. This is the largest value that Bun
  // 1.4 accepts; it silently ignores a larger one.
  [maxFetches]: mostFetches,
  ...leastHeap,
  ...(memoryBytes < plentyBytes && smallHeaps),
  // On one core concurrent collection costs a third more work and more memory, with equal pauses.
  ...(processors === 1 && { BUN_JSC_useConcurrentGC: '0' }),
})

/** Commands that forward requests; a bare `tollgate`, also with options, is `serve`. */
const forwards = new Set([undefined, 'serve', 'demo'])

/** Restarts the process once with the runtime's settings; `runtimeWarning` covers failures. */
export function applyRuntimeSettings(args: readonly string[]): void {
  const [first] = args
  if (!forwards.has(first) && !first?.startsWith('-')) return
  if (process.platform === 'win32' || process.execve === undefined) return
  const settings = runtimeSettings(findMemoryLimit().bytes, availableParallelism())
  if (Object.keys(settings).every((name) => process.env[name] !== undefined)) return
  // A compiled binary finds its own code; `bun src/main.ts` needs its arguments again.
  const script = isCompiled() ? [] : [...process.execArgv, Bun.main]
  try {
    process.execve(process.execPath, [process.execPath, ...script, ...args], {
      ...settings,
      ...process.env,
    })
  } catch {}
}

const isCompiled = () => /^(\/\$bunfs\/|B:[\\/]~BUN[\\/])/.test(Bun.main)

/** Warns when only 256 upstream requests can run at once. */
export function runtimeWarning(): string | undefined {
  if (process.env[maxFetches] !== undefined) return undefined
  return (
    'At most 256 upstream requests run at once, open streams included; more wait. ' +
    `Set ${maxFetches}=${mostFetches} in the environment before the start.`
  )
}
