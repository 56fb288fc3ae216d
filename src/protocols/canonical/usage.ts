import type { HostedTool } from './tools.ts'

/** Disjoint counts of LLM tokens; `reasoningTokens` is a part of `outputTokens`. */
export interface Usage {
  /** Input neither read from nor written to a prompt cache. */
  readonly inputTokens: number
  readonly outputTokens: number
  readonly reasoningTokens: number
  readonly cacheReadTokens: number
  /** Written to the cache for five minutes (or without a stated lifetime). */
  readonly cacheWriteTokens: number
  /** Written to the cache for one hour; not part of `cacheWriteTokens`. */
  readonly cacheWrite1hTokens: number
  /** Absent where only text tokens are billed, at the standard tier. */
  readonly extras?: UsageExtras
}

export type Modality = `${'input' | 'cacheRead' | 'output'}${'Audio' | 'Image' | 'Video'}`

export interface UsageExtras {
  readonly modalities?: { readonly [modality in Modality]?: number }
  readonly tools?: { readonly [tool in HostedTool]?: number }
  /** The answer's service tier, unless standard; several are joined by `+`. */
  readonly tier?: string
}

export const emptyUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
}

/** The usage to report to a client; without the upstream's, the estimated input. */
export const reportedUsage = (
  usage: Usage | undefined,
  { estimatedInputTokens }: { readonly estimatedInputTokens: number },
): Usage => usage ?? { ...emptyUsage, inputTokens: estimatedInputTokens }

/** An upstream's counter; undefined unless plausible. Some write it as text ("12", "12.0"). */
export function readCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && countText.test(value) ? Number(value) : value
  return typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= countLimit
    ? count
    : undefined
}

const countText = /^\s*\d{1,20}(?:\.0*)?\s*$/

/** A thousand times today's largest context window: more is a fault. */
const countLimit = 10_000_000_000

/** The larger of two optional counts. */
export function larger(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b
  return b === undefined || b < a ? a : b
}

type Inclusive = 'input' | 'output' | 'reasoning' | 'cacheRead' | 'cacheWrite'

/** Splits inclusive counts into disjoint ones. A part never exceeds its whole, so none is negative. */
export function disjointUsage(counts: Readonly<Record<Inclusive, number>>): Usage {
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
