import type { Command } from 'commander'
import { setPassword } from '../app/set-password.ts'
import { readSecret } from './ask.ts'
import { commandLine, emailArgument, findAccount } from './lookup.ts'
import { type ConfigOption, withConfig, withExamples, withStore } from './open.ts'
import { writeJson, writeLines } from './output.ts'

interface PasswordOptions extends ConfigOption {
  readonly json?: boolean
}

/** `tollgate account password`. */
export function addPassword(account: Command): void {
  const command = account
    .command('password')
    .description('give an account another password for the console, and sign it out everywhere')
    .addArgument(emailArgument())
    .option('--json', 'as JSON')
    .action((email: string, options: PasswordOptions) =>
      withStore(options, async (instance) => {
        const { role } = await findAccount(instance, email)
        const password = await readSecret(`New password of ${email}`)
        await setPassword(instance, { account: email, password, actor: commandLine })
        if (options.json) return writeJson({ email, role, sessions_ended: true })
        await writeLines([`${email} has another password, and is signed out everywhere.`])
      }),
    )
  withExamples(
    withConfig(command),
    'tollgate account password admin@example.com',
    'tollgate account password admin@example.com < password.txt',
  )
}

/** `tollgate account reset-2fa`. */
export function addResetTwoFactor(account: Command): void {
  const command = account
    .command('reset-2fa')
    .description('remove the second factor of an account, and sign it out everywhere')
    .addArgument(emailArgument())
    .option('--json', 'as JSON')
    .action((email: string, options: PasswordOptions) =>
      withStore(options, async (instance) => {
        const { role } = await findAccount(instance, email)
        await instance.store.signIn.resetTwoFactor(email, commandLine)
        if (options.json) return writeJson({ email, role, sessions_ended: true })
        await writeLines([
          `${email} signs in with the password alone, and is signed out everywhere.`,
        ])
      }),
    )
  withExamples(withConfig(command), 'tollgate account reset-2fa admin@example.com')
}
