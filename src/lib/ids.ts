const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** The largest multiple of 62 in a byte: larger bytes would bias the characters. */
const fairBytes = 256 - (256 % alphabet.length)
const keyCharacters = 48

/** A unique request id, `req_…`; later ids sort after earlier ones. */
export function createRequestId(): string {
  return `req_${Bun.randomUUIDv7().replaceAll('-', '')}`
}

/** A new key for a token: `sk-` and 48 random letters and digits (285 bits). */
export function createTokenKey(): string {
  let key = 'sk-'
  while (key.length < 3 + keyCharacters) {
    for (const byte of crypto.getRandomValues(new Uint8Array(keyCharacters))) {
      if (byte < fairBytes && key.length < 3 + keyCharacters)
        key += alphabet[byte % alphabet.length]
    }
  }
  return key
}

/** The first of `token-1`, `token-2` … that is not taken. */
export function freeName(stem: string, taken: readonly string[]): string {
  for (let number = 1; ; number++) {
    const name = `${stem}-${number}`
    if (!taken.includes(name)) return name
  }
}

/** The hint would reveal too much of a shorter key. */
const leastLength = 20

/** The hint that lists show of a token's key: `sk-ab…wxyz`; of a short one only `sk-…`. */
export function keyHint(key: string): string {
  return key.length < leastLength ? `${key.slice(0, 3)}…` : `${key.slice(0, 5)}…${key.slice(-4)}`
}
