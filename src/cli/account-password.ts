import type { Command } from 'commander'
import { setPassword } from '../app/config/password.ts'
import { readSecret } from './ask.ts'
import { commandLine, emailArgument, findAccount } from './lookup.ts'
import { addReporting } from './resource-commands.ts'

export const addPassword = (account: Command): void =>
  addReporting(account, 'password', {
    help: 'give an account another password, sign it out everywhere, remove passkeys and providers',
    args: [emailArgument()],
    examples: [
      'tollgate account password admin@example.com',
      'tollgate account password admin@example.com < password.txt',
    ],
    async run(instance, _options, email: string) {
      const { role } = await findAccount(instance, email)
      const password = await readSecret(`New password of ${email}`)
      await setPassword(instance, { account: email, password, actor: commandLine })
      return { email, role, sessions_ended: true }
    },
    lines: ({ email }) => [
      `${email} has another password, and is signed out everywhere.`,
      'Its passkeys and linked providers are removed; it may add them again.',
    ],
  })

export const addResetTwoFactor = (account: Command): void =>
  addReporting(account, 'reset-2fa', {
    help: 'remove the second factor of an account, and sign it out everywhere',
    args: [emailArgument()],
    examples: ['tollgate account reset-2fa admin@example.com'],
    async run(instance, _options, email: string) {
      const { role } = await findAccount(instance, email)
      await instance.store.signIn.resetTwoFactor(email, commandLine)
      return { email, role, sessions_ended: true }
    },
    lines: ({ email }) => [
      `${email} signs in with the password alone, and is signed out everywhere.`,
    ],
  })
