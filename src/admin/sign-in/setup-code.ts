import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** The one-time code that makes the first administrator; only its hash is kept, in memory. */
export interface SetupCode {
  /** A new code, which takes the place of the one before. */
  create(): string
  readonly isOpen: boolean
  /** Takes as long for every guess. False when there is no code. */
  matches(guess: string): boolean
  close(): void
}

export function createSetupCode(): SetupCode {
  let hash: Uint8Array | undefined
  return {
    create() {
      // In hex: nothing in it looks like a key, which a log would hide.
      const code = randomBytes(24).toString('hex')
      hash = hashOf(code)
      return code
    },
    get isOpen() {
      return hash !== undefined
    },
    matches: (guess) => hash !== undefined && timingSafeEqual(hash, hashOf(guess)),
    close() {
      hash = undefined
    },
  }
}

const hashOf = (code: string): Uint8Array => createHash('sha256').update(code).digest()
