import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { findStore, type Instance, openInstance, UserError } from '../app/instance.ts'
import { describeWaiting } from '../app/spool.ts'
import { isOnServer } from '../app/store-place.ts'
import { complain } from './errors.ts'

export interface ConfigOption {
  readonly config?: string
}

export interface JsonOption extends ConfigOption {
  readonly json?: boolean
}

/** Adds `--config` and the examples. */
export const withConfig = (command: Command, ...examples: readonly string[]): Command =>
  withExamples(
    command.option('-c, --config <file>', 'configuration file (default: tollgate.yaml, if any)'),
    ...examples,
  )

/** Opens the configured database, works on it and closes it. Reads only `store:` of the file. */
export async function withStore<Result>(
  { config }: ConfigOption,
  work: (instance: Instance) => Promise<Result>,
): Promise<Result> {
  const store = await findStore(config)
  if (!isOnServer(store) && !existsSync(store.path))
    throw new UserError(
      `There is no database ${store.path} yet. "tollgate serve" or "tollgate apply" makes it; ` +
        'if it lies elsewhere, name its configuration with --config.',
    )
  const instance = await openInstance({ store })
  try {
    for (const warning of instance.warnings) complain(`warning: ${warning}`)
    return await work(instance)
  } finally {
    await instance.store.close()
  }
}

/** Reports charges that the database does not have yet. */
export async function warnOfSpool({ config }: ConfigOption): Promise<void> {
  const waiting = describeWaiting(await findStore(config))
  if (waiting !== undefined) complain(`warning: ${waiting}`)
}

/** Adds examples to a command's help. */
export function withExamples(command: Command, ...examples: readonly string[]): Command {
  const title = examples.length === 1 ? 'Example:' : 'Examples:'
  return command.addHelpText('after', `\n${title}\n${examples.map((e) => `  ${e}`).join('\n')}`)
}
