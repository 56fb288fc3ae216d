import type { SecretBox } from '../../lib/secrets.ts'

/** What is stored of a password. */
export const hashPassword = (password: string): Promise<string> =>
  Bun.password.hash(password, { algorithm: 'argon2id' })

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

const isOf = (password: string, mark: string) =>
  Bun.password.verify(password, mark).catch(() => false)
