/** Cuts the first JSON object out of a text that goes by in pieces. */
export interface JsonCutter {
  /** What of this piece, and of what was kept back before it, belongs to the object. */
  push(text: string): string
  /** `before`: it has not begun. `after`: it has ended, and what follows is left out. */
  readonly phase: 'before' | 'inside' | 'after'
}

/**
 * A cutter that has seen nothing. `takesArrays`: an array is as good. What begins must look like JSON: a
 * brace in prose is none. Each character is looked at once; whether it is JSON shows when it is parsed.
 */
export function createJsonCutter(takesArrays: boolean): JsonCutter {
  const begins = takesArrays ? /\{\s*(?:["}]|$)|\[\s*(?:[[{"\]\d-]|$)/ : /\{\s*(?:["}]|$)/
  let phase: JsonCutter['phase'] = 'before'
  let waiting = ''
  let depth = 0
  let isInString = false
  let isEscaped = false

  /** The end of what belongs to the value: behind its last bracket, or all of the text. */
  function follow(text: string): number {
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (unit === backslash) isEscaped = true
        else if (unit === quote) isInString = false
      } else if (unit === quote) isInString = true
      else if (unit === openBrace || unit === openBracket) depth++
      else if ((unit === closeBrace || unit === closeBracket) && --depth === 0) {
        phase = 'after'
        return at + 1
      }
    }
    return text.length
  }

  return {
    push(text) {
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
    get phase() {
      return phase
    },
  }
}

/** So many spaces behind a bracket are waited for. */
const longestGap = 1_000

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
