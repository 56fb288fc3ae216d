/** Watches a JSON text go by in pieces. */
export interface JsonExtent {
  push(text: string): void
  /** Whether an object that began has ended: nothing but spaces can follow. */
  readonly isWhole: boolean
}

/** A watch that has seen nothing. It counts brackets, and looks at each character once. */
export function createJsonExtent(): JsonExtent {
  let depth = 0
  let isInString = false
  let isEscaped = false
  let hasBegun = false

  return {
    push(text) {
      for (let at = 0; at < text.length; at++) {
        const unit = text.charCodeAt(at)
        if (isInString) {
          if (isEscaped) isEscaped = false
          else if (unit === backslash) isEscaped = true
          else if (unit === quote) isInString = false
        } else if (unit === quote) {
          isInString = true
        } else if (unit === openBrace || unit === openBracket) {
          depth++
          hasBegun = true
        } else if (unit === closeBrace || unit === closeBracket) {
          depth--
        }
      }
    },
    get isWhole() {
      return hasBegun && depth === 0 && !isInString
    },
  }
}

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
