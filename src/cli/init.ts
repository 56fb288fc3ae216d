import { existsSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { createFirstFile } from '../app/config/first-file.ts'
import { createTemplate } from '../app/config/template.ts'
import { defaultConfigFile } from '../app/find-config.ts'
import { UserError } from '../app/user-error.ts'
import { createTokenKey } from '../lib/ids.ts'
import { type ConfigOption, withConfig } from './config-option.ts'
import { writeLines } from './output.ts'

/** `tollgate init`: a commented tollgate.yaml to begin with. */
export function addInit(program: Command): void {
  const command = program
    .command('init')
    .description('write a commented tollgate.yaml to begin with')
    .option('--force', 'overwrite the file if there is one')
    .option('--by-file', 'with a channel, group, prices and account in use, not as comments')
    .action(async (options: InitOptions) => {
      const { config: file = defaultConfigFile, force = false, byFile = false } = options
      await writeTemplate(file, { force, byFile })
      const named = file === defaultConfigFile ? '' : ` --config ${file}`
      await writeLines(byFile ? afterFile(file, named) : afterConsole(file, named))
    })
  withConfig(command, 'tollgate init', 'tollgate init --by-file --config gateway.yaml')
}

type InitOptions = ConfigOption & { readonly force?: boolean; readonly byFile?: boolean }

const afterConsole = (file: string, named: string) => [
  `Wrote ${file}, in which every setting is explained.`,
  '',
  'Next:',
  `  1. tollgate serve${named}`,
  '  2. Open the link that it shows: it makes the administrator, and leads to the first answer.',
]

const afterFile = (file: string, named: string) => [
  `Wrote ${file}. It holds a fresh token key: keep it to yourself (its mode is 0600).`,
  '',
  'Next:',
  '  1. Look through it: channels, groups, prices, accounts.',
  '  2. Set the variables that it names: export OPENAI_API_KEY=… ADMIN_PASSWORD=…',
  `  3. tollgate plan${named}     shows what it will make`,
  `  4. tollgate serve${named}    starts the gateway with it`,
]

async function writeTemplate(
  file: string,
  { force, byFile }: { readonly force: boolean; readonly byFile: boolean },
): Promise<void> {
  const text = (byFile ? createTemplate : createFirstFile)(createTokenKey())
  try {
    // `wx` keeps a file that appears at this moment.
    await writeFile(file, text, { mode: 0o600, flag: force ? 'w' : 'wx' })
    await chmod(file, 0o600)
  } catch (error) {
    if (!force && existsSync(file))
      throw new UserError(`${file} exists and was left as it is. --force overwrites it.`)
    throw new UserError(`${file} can't be written: ${String(error)}`)
  }
}
