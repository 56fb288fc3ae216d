import type { SecretBox } from '../lib/secrets.ts'

/** Enough that the keys of a channel never share a mark. */
const markLength = 16

/** Names an upstream's key where the key itself must not stand: a keyed hash of it, shortened. */
export function createKeyMark({ keyedHash }: Pick<SecretBox, 'keyedHash'>) {
  return (key: string): string => keyedHash(key).slice(0, markLength)
}
