const piece = /\s*(?:\p{sc=Han}|[\p{L}\p{N}]{1,6}|[^\s])|\s+/gu

/** Cuts a text into this model's tokens: short runs of letters, single signs. Nothing is lost. */
export const cut = (text: string): string[] => text.match(piece) ?? []

/** Joins tokens to the portions that a stream sends: a few words each. */
export function portions(tokens: readonly string[]): string[] {
  const found: string[] = []
  for (let at = 0; at < tokens.length; at += 5) found.push(tokens.slice(at, at + 5).join(''))
  return found
}

const step = 128
const shortest = 1024

/** What the prompt cache knows of a prompt, in tokens: found again, and newly kept. */
export interface Recall {
  readonly cached: number
  readonly written: number
}

/** Remembers beginnings of prompts as vendors do: from 1,024 tokens on, in steps of 128. */
export function createPromptCache(limit = 20_000) {
  const known = new Set<number | bigint>()
  return {
    recall(owner: string, tokens: readonly string[]): Recall {
      let hash = Bun.hash(owner)
      let cached = 0
      let end = step
      for (; end <= tokens.length; end += step) {
        hash = Bun.hash(tokens.slice(end - step, end).join('\0'), hash)
        if (end < shortest) continue
        if (known.has(hash)) cached = end
        known.delete(hash)
        known.add(hash)
      }
      for (const oldest of known) {
        if (known.size <= limit) break
        known.delete(oldest)
      }
      const kept = end - step
      return { cached, written: kept < shortest ? 0 : kept - cached }
    },
  }
}
/** A prompt cache; the oldest beginnings are forgotten first. */
export type PromptCache = ReturnType<typeof createPromptCache>
