import type { HostedTool } from './tools.ts'

/** What an answer used, in disjoint counts of LLM tokens; `reasoningTokens` is a part of `outputTokens`. */
export interface Usage {
  /** Input that was neither read from nor written to a prompt cache. */
  readonly inputTokens: number
  /** All output, reasoning included. */
  readonly outputTokens: number
  readonly reasoningTokens: number
  readonly cacheReadTokens: number
  /** Written to the cache for five minutes (or without a stated life). */
  readonly cacheWriteTokens: number
  /** Written to the cache for one hour; not part of `cacheWriteTokens`. */
  readonly cacheWrite1hTokens: number
  /** Absent where the vendor bills text tokens alone, at its standard tier. */
  readonly extras?: UsageExtras
}

/** What a vendor bills beside text tokens. The token counts are parts of the ones above. */
export interface UsageExtras {
  readonly modalities?: {
    readonly inputAudio?: number
    readonly inputImage?: number
    readonly inputVideo?: number
    readonly cacheReadAudio?: number
    readonly cacheReadImage?: number
    readonly cacheReadVideo?: number
    readonly outputAudio?: number
    readonly outputImage?: number
    readonly outputVideo?: number
  }
  /** Uses of tools that the vendor ran, by the names of `hostedTools`. */
  readonly tools?: { readonly [tool in HostedTool]?: number }
  /** The service tier of the answer, where it is not the standard one; several are joined by `+`. */
  readonly tier?: string
}

/** Nothing used: the start of every fold. */
export const emptyUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
}

/** One counter of an upstream; undefined when it is no sensible count. Some write it as a text ("12", "12.0"). */
export function readCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && countText.test(value) ? Number(value) : value
  return typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= countLimit
    ? count
    : undefined
}

const countText = /^\s*\d{1,20}(?:\.0*)?\s*$/

/** A thousand times the largest context window of today: more is a fault, not a count. */
const countLimit = 10_000_000_000

/** The largest of two counts, either of which may be absent. */
export function larger(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b
  return b === undefined || b < a ? a : b
}

interface InclusiveCounts {
  readonly input: number
  readonly output: number
  readonly reasoning: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** Takes inclusive counts apart. A part never exceeds its whole, so nothing gets negative. */
export function disjointUsage(counts: InclusiveCounts): Usage {
  const cacheReadTokens = Math.min(counts.cacheRead, counts.input)
  const cacheWriteTokens = Math.min(counts.cacheWrite, counts.input - cacheReadTokens)
  return {
    inputTokens: counts.input - cacheReadTokens - cacheWriteTokens,
    outputTokens: counts.output,
    reasoningTokens: Math.min(counts.reasoning, counts.output),
    cacheReadTokens,
    cacheWriteTokens,
    cacheWrite1hTokens: 0,
  }
}
