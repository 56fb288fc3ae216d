import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { growing } from '../../lib/cache-options.ts'
import type { SecretBox } from '../../lib/secrets.ts'

/** What is stored of a password, to sign in with. */
export const hashPassword = (password: string): Promise<string> =>
  Bun.password.hash(password, { algorithm: 'argon2id' })

/**
 * What a password of the file is recognised by. The cost is OWASP's least for argon2id: each start
 * compares the password of every account in the file.
 */
export const markPassword = (password: string): Promise<string> =>
  Bun.password.hash(password, { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 })

/** How a password of the file compares with the one that the file gave last. */
export type Given = 'new' | 'same' | 'same, kept weakly'

/**
 * Whether a password is the one that was given before. What is kept of that one is a hash that takes
 * time; a former version kept a quick keyed hash, which is to be replaced.
 */
export async function comparePassword(
  { email, password }: { readonly email: string; readonly password: string },
  mark: string | null,
  { keyedHash }: Pick<SecretBox, 'keyedHash'>,
): Promise<Given> {
  if (mark === null) return 'new'
  if (mark.startsWith('$argon2')) return (await isOf(password, mark)) ? 'same' : 'new'
  return mark === keyedHash(`password:${email}:${password}`) ? 'same, kept weakly' : 'new'
}

async function isOf(password: string, mark: string): Promise<boolean> {
  const digest = processHash.copy().update(password).digest('base64')
  if (proven.get(mark) === digest) return true
  const isRight = await Bun.password.verify(password, mark).catch(() => false)
  if (isRight) proven.set(mark, digest)
  return isRight
}

/** Passwords that were compared since this process began: a file that is read again takes no such time. */
const proven = new LRUCache<string, string>(growing(10_000))
const processHash = new Bun.CryptoHasher('sha256', randomBytes(32))
