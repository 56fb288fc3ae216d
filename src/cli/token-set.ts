import type { Command } from 'commander'
import { loadEntry } from '../app/config/fragment.ts'
import type { Instance } from '../app/instance.ts'
import { tokenDetails } from '../app/report/resources.ts'
import { tokenFields } from '../resources/token.ts'
import { addSetOptions, namedFields, requireSome } from './field-options.ts'
import { warnOfToken } from './file-word.ts'
import { readNamed } from './fragment.ts'
import { commandLine, findToken, tokenArgument } from './lookup.ts'
import { type ConfigOption, withConfig, withExamples, withStore } from './open.ts'
import { writeJson, writeLines } from './output.ts'
import { describeToken } from './token-text.ts'

interface SetOptions extends ConfigOption {
  readonly [name: string]: unknown
  readonly json?: boolean
}

/** `tollgate token set`: unnamed fields stay. */
export function addSet(token: Command): void {
  const command = token
    .command('set')
    .description('change what is named of a token, and nothing else')
    .addArgument(tokenArgument())
    .option('--json', 'as JSON')
    .action((id: number, options: SetOptions) =>
      withStore(options, (instance) => setToken(instance, id, options)),
    )
  addSetOptions(command, tokenFields)
  withExamples(
    withConfig(command),
    'tollgate token set 3 --budget-day 5 --budget-month 100',
    'tollgate token set 3 --budget none --expires 2027-01-31T12:00:00Z',
    'tollgate token set 3 --rpm 60 --tpm none --concurrency 4',
  )
}

async function setToken(instance: Instance, id: number, options: SetOptions): Promise<void> {
  const named = namedFields(tokenFields, options)
  requireSome(named, tokenFields)
  const fields = readNamed(tokenFields, named, loadEntry.token)
  await findToken(instance, id)
  await instance.store.admin.changeToken({ id, actor: commandLine, ...fields })
  const changed = await findToken(instance, id)
  const report = await tokenDetails(instance.store, changed)
  if (options.json) await writeJson(report)
  else await writeLines(describeToken(report))
  await warnOfToken(options, instance, changed)
}
