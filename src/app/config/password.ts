import type { SecretBox } from '../../lib/secrets.ts'

/** What is stored of a password. */
export const hashPassword = (password: string): Promise<string> =>
  Bun.password.hash(password, { algorithm: 'argon2id' })

/**
 * Tells whether a password is the one that was given before. With the e-mail, so that equal passwords
 * of two accounts do not show.
 */
export const passwordMark = (secrets: SecretBox, email: string, password: string): string =>
  secrets.keyedHash(`password:${email}:${password}`)
