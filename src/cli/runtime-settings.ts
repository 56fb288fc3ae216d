import { availableParallelism } from 'node:os'

const maxFetches = 'BUN_CONFIG_MAX_HTTP_REQUESTS'

/** Read by the runtime before the first line of ours runs; what the operator has set stays. */
const settings: Readonly<Record<string, string>> = {
  // `fetch` runs 256 requests at once otherwise, open streams included. This is the largest value
  // that Bun 1.4 accepts; it ignores a larger one in silence.
  [maxFetches]: '65535',
  // The collector lets the heap double before it runs while it believes to have much memory to
  // spare; with 256 MiB it holds to the growth below. It limits nothing, but a process that holds four
  // fifths of it collects all of its heap after each twentieth: of 64 MiB that were 3 MB, and with a
  // thousand streams it did little else.
  BUN_JSC_forceRAMSize: String(256 * 1_048_576),
  // By half, not by a quarter: half as many collections, for some 20 MB under full load.
  BUN_JSC_largeHeapGrowthFactor: '1.5',
  // A collection that leaves less than this part of the heap free makes the next one go through the
  // whole heap, which takes several times as long as one of new objects. The usual third is never left
  // free when the heap grows by half: every other collection would be of the whole heap. With this
  // every tenth is under load.
  BUN_JSC_minEdenToOldGenerationRatio: '0.15',
  // Collecting beside the program takes turns with it where there is but one core, and lets the heap
  // grow meanwhile: a third more work, more memory, and pauses that are no shorter.
  ...(availableParallelism() === 1 && { BUN_JSC_useConcurrentGC: '0' }),
}

/** Commands that forward requests; a bare `tollgate`, also with options, is `serve`. */
const forwards = new Set([undefined, 'serve', 'demo'])

/** Starts the process anew with the runtime's settings, once; `runtimeWarning` covers failures. */
export function applyRuntimeSettings(args: readonly string[]): void {
  const [first] = args
  if (Object.keys(settings).every((name) => process.env[name] !== undefined)) return
  if (!forwards.has(first) && !first?.startsWith('-')) return
  if (process.platform === 'win32' || process.execve === undefined) return
  // A compiled binary finds its own code; `bun src/main.ts` must be told again.
  const script = isCompiled() ? [] : [...process.execArgv, Bun.main]
  try {
    process.execve(process.execPath, [process.execPath, ...script, ...args], {
      ...settings,
      ...process.env,
    })
  } catch {
    // The warning below is what comes of it.
  }
}

/** Where the code of a compiled binary lives, on Unix and on Windows. */
const isCompiled = () => /^(\/\$bunfs\/|B:[\\/]~BUN[\\/])/.test(Bun.main)

/** Says that only 256 upstream requests can run at once, when that is so. */
export function runtimeWarning(): string | undefined {
  if (process.env[maxFetches] !== undefined) return undefined
  return (
    'At most 256 upstream requests run at once, open streams included; more wait. ' +
    `Set ${maxFetches}=${settings[maxFetches]} in the environment before the start.`
  )
}
