import { usd } from '../billing/money.ts'
import { grouped } from '../lib/format.ts'
import type { CountForm, OwnCounts } from '../store/ports/matching.ts'

/** A count that may not be told. */
export const number = (value: number | null) => (value === null ? '–' : grouped(value))
/** An amount that may not be told. */
export const money = (value: bigint | number | null) => (value === null ? '–' : usd(value))

/** Our input as they count it. */
export function inputIn({ input }: CountForm, counts: OwnCounts): number {
  const { inputTokens, cacheReadTokens, cacheWriteTokens } = counts
  if (input === 'uncached') return inputTokens
  return inputTokens + cacheWriteTokens + (input === 'all' ? cacheReadTokens : 0)
}

/** Our output as they count it. */
export const outputIn = (
  { output }: CountForm,
  { outputTokens, reasoningTokens }: OwnCounts,
): number => (output === 'all' ? outputTokens : outputTokens - reasoningTokens)
