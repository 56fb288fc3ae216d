import { people, type startConsoleScene } from '../../support/console-scene.ts'

/** The password of everybody in these tests. */
export const testPassword = 'correct horse battery staple'

/** Gives everybody of a scene the password; its hash is the cheapest there is. */
export async function setPasswords({ store }: Awaited<ReturnType<typeof startConsoleScene>>) {
  const cheap = { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 } as const
  const passwordHash = await Bun.password.hash(testPassword, cheap)
  for (const account of Object.values(people)) {
    await store.signIn.setPassword({ account, passwordHash, actor: 'command line' })
  }
}
