import type { Usage } from '../../protocols/canonical/usage.ts'

const inputKinds = [
  'inputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'cacheWrite1hTokens',
] as const

/**
 * What a model can have used at the most: its input fits into the context window, and so does each
 * of `answers` side by side. The largest count is what gets cut: a report that is absurd is so in
 * one of its counts. The very same object comes back when there is nothing to cut.
 */
export function clampUsage(usage: Usage, contextWindow: number, answers: number): Usage {
  const input = inputKinds.reduce((sum, kind) => sum + usage[kind], 0)
  const mostOutput = contextWindow * answers
  if (input <= contextWindow && usage.outputTokens <= mostOutput) return usage
  const outputTokens = Math.min(usage.outputTokens, mostOutput)
  const clamped = {
    ...usage,
    outputTokens,
    reasoningTokens: Math.min(usage.reasoningTokens, outputTokens),
  }
  let room = contextWindow
  for (const kind of inputKinds.toSorted((a, b) => usage[a] - usage[b])) {
    clamped[kind] = Math.min(usage[kind], room)
    room -= clamped[kind]
  }
  return clamped
}
