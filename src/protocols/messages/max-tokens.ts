/**
 * The most that models of Anthropic answer at once: the vendor demands a limit of every request and
 * refuses a larger one. Source: its models overview. The first pattern that fits counts.
 */
const limits: readonly (readonly [model: RegExp, maxTokens: number])[] = [
  [/claude-(2|instant)|claude-3-(opus|sonnet|haiku)/, 4_096],
  [/claude-3-5/, 8_192],
  [/claude-opus-4(-1|-0|-2025|@|$)/, 32_000],
  [/claude/, 64_000],
]

/** What imitators of the protocol all take. */
const ofOthers = 8_192

/** The limit of an answer for which the client sets none. `model` is the upstream's name. */
export function usualMaxTokens(model: string): number {
  return limits.find(([pattern]) => pattern.test(model))?.[1] ?? ofOthers
}
