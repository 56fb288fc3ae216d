import { Brackets } from '../canonical/brackets.ts'

export type JsonCutter = ReturnType<typeof createJsonCutter>

/**
 * Cuts the first JSON object out of a text that goes by in pieces. `takesArrays`: an array is as good. What
 * begins must look like JSON: a brace in prose is none. Each character is looked at once; whether it is JSON
 * shows when it is parsed.
 */
export function createJsonCutter(takesArrays: boolean) {
  const begins = takesArrays ? /\{\s*(?:["}]|$)|\[\s*(?:[[{"\]\d-]|$)/ : /\{\s*(?:["}]|$)/
  let phase: 'before' | 'inside' | 'after' = 'before'
  let waiting = ''
  const brackets = new Brackets()

  /** The end of what belongs to the value: behind its last bracket, or all of the text. */
  function follow(text: string): number {
    for (let at = 0; at < text.length; at++) {
      if (brackets.step(text.charCodeAt(at)) !== -1 || brackets.depth > 0) continue
      phase = 'after'
      return at + 1
    }
    return text.length
  }

  return {
    /** What of this piece, and of what was kept back before it, belongs to the object. */
    push(text: string): string {
      if (phase === 'after') return ''
      let rest = text
      if (phase === 'before') {
        const whole = waiting + text
        const start = whole.search(begins)
        // A bracket with nothing but space behind it may begin it.
        waiting = start < 0 ? '' : whole.slice(start)
        if (start < 0) return ''
        if (waiting.length < longestGap && waiting.slice(1).trim() === '') return ''
        rest = waiting
        waiting = ''
        phase = 'inside'
      }
      return rest.slice(0, follow(rest))
    },
    /** `before`: it has not begun. `after`: it has ended, and what follows is left out. */
    get phase(): 'before' | 'inside' | 'after' {
      return phase
    },
  }
}

/** So many spaces behind a bracket are waited for. */
const longestGap = 1_000

export type StopMatcher = ReturnType<typeof createStopMatcher>

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
 * Looks for stop sequences in a text that goes by in pieces. The sequence that is complete first ends the text. Only what may be the
 * beginning of one is kept back; each character is looked at once for each sequence (Knuth, Morris, Pratt).
 */
export function createStopMatcher(patterns: readonly Pattern[]) {
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
    /** What of this piece, and of what was kept back before it, is surely before any sequence. */
    push(text: string): { readonly text: string; readonly found?: string } {
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
    /** What was kept back, at the end of the text. */
    rest(): string {
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
