import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { hashPassword, maxPasswordLength, minPasswordLength } from '../../admin/sign-in/hashing.ts'
import { entryLimit } from '../../lib/cache-options.ts'
import type { SecretBox } from '../../lib/secrets.ts'
import type { Instance } from '../instance.ts'
import { UserError } from '../user-error.ts'

/** Sets a password and ends the sessions. Throws `UserError` when its length is not allowed. */
export async function setPassword(
  { store }: Instance,
  { account, password, actor }: Record<'account' | 'password' | 'actor', string>,
): Promise<void> {
  if (password.length < minPasswordLength || password.length > maxPasswordLength)
    throw new UserError(
      `A password has ${minPasswordLength} to ${maxPasswordLength} characters; this one has ` +
        `${password.length}. Nothing was changed.`,
    )
  const passwordHash = await hashPassword(password)
  await store.signIn.setPassword({ account, passwordHash, actor })
}

/** How a password of the file compares with the one that the file gave last. */
export type Given = 'new' | 'same' | 'same, kept weakly'

/** Compares a password with the hash of the former one; a quick keyed hash is of an old version. */
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
const proven = new LRUCache<string, string>(entryLimit(10_000))
const processHash = new Bun.CryptoHasher('sha256', randomBytes(32))
