const quote = 0x22
const backslash = 0x5c
export const openBracket = 0x5b
const closeBracket = 0x5d
export const openBrace = 0x7b
const closeBrace = 0x7d

/** Follows the brackets of a JSON text, in as many pieces as it comes; each unit is looked at once. */
export class Brackets {
  depth = 0
  isInString = false
  #isEscaped = false
  #hasBegun = false

  /** Whether a value that began has ended: nothing but spaces can follow. */
  get isWhole(): boolean {
    return this.#hasBegun && this.depth === 0 && !this.isInString
  }

  push(text: string): void {
    for (let at = 0; at < text.length; at++) this.step(text.charCodeAt(at))
  }

  /** 1 where a bracket opens, -1 where one closes. */
  step(unit: number): -1 | 0 | 1 {
    if (this.isInString) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (unit === backslash) this.#isEscaped = true
      else if (unit === quote) this.isInString = false
    } else if (unit === quote) this.isInString = true
    else if (unit === openBrace || unit === openBracket) {
      this.depth++
      this.#hasBegun = true
      return 1
    } else if (unit === closeBrace || unit === closeBracket) {
      this.depth--
      return -1
    }
    return 0
  }
}
