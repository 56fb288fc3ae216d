import { maxPasswordLength, minPasswordLength } from '../admin/sign-in/hashing.ts'
import { type Instance, UserError } from './instance.ts'

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
  const passwordHash = await Bun.password.hash(password, { algorithm: 'argon2id' })
  await store.signIn.setPassword({ account, passwordHash, actor })
}
