/** Looks for stop sequences in a text that goes by in pieces. */
export interface StopMatcher {
  /** What of this piece, and of what was kept back before it, is surely before any sequence. */
  push(text: string): { readonly text: string; readonly found?: string | undefined }
  /** What was kept back, at the end of the text. */
  rest(): string
}

/** A sequence with the longest beginning of it that each of its beginnings ends with. */
interface Pattern {
  readonly text: string
  readonly fallbacks: readonly number[]
}

/** The sequences, ready to be looked for in many texts. */
export function preparePatterns(sequences: readonly string[]): readonly Pattern[] {
  return sequences
    .filter((text) => text !== '')
    .map((text) => ({ text, fallbacks: fallbacksOf(text) }))
}

/**
 * A matcher that has seen nothing. The sequence that is complete first ends the text. Only what may be the
 * beginning of one is kept back; each character is looked at once for each sequence (Knuth, Morris, Pratt).
 */
export function createStopMatcher(patterns: readonly Pattern[]): StopMatcher {
  const matched = patterns.map(() => 0)
  let held = ''

  /** Takes one character; the sequence that it completes. */
  function step(unit: number): Pattern | undefined {
    let complete: Pattern | undefined
    for (const [index, pattern] of patterns.entries()) {
      let length = matched[index] ?? 0
      while (length > 0 && pattern.text.charCodeAt(length) !== unit) {
        length = pattern.fallbacks[length - 1] ?? 0
      }
      if (pattern.text.charCodeAt(length) === unit) length++
      matched[index] = length
      // Of several the longest, which begins first.
      const isLonger = complete === undefined || pattern.text.length > complete.text.length
      if (length === pattern.text.length && isLonger) complete = pattern
    }
    return complete
  }

  return {
    push(text) {
      const whole = held + text
      for (let at = held.length; at < whole.length; at++) {
        const complete = step(whole.charCodeAt(at))
        if (complete === undefined) continue
        held = ''
        return { text: whole.slice(0, at + 1 - complete.text.length), found: complete.text }
      }
      const safe = whole.length - Math.max(0, ...matched)
      held = whole.slice(safe)
      return { text: whole.slice(0, safe) }
    },
    rest() {
      const text = held
      held = ''
      matched.fill(0)
      return text
    },
  }
}

function fallbacksOf(text: string): readonly number[] {
  const fallbacks = [0]
  let length = 0
  for (let at = 1; at < text.length; at++) {
    while (length > 0 && text[at] !== text[length]) length = fallbacks[length - 1] ?? 0
    if (text[at] === text[length]) length++
    fallbacks.push(length)
  }
  return fallbacks
}
