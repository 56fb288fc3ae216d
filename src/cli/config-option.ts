import type { Command } from 'commander'

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

/** Adds examples to a command's help. */
export function withExamples(command: Command, ...examples: readonly string[]): Command {
  const title = examples.length === 1 ? 'Example:' : 'Examples:'
  return command.addHelpText('after', `\n${title}\n${examples.map((e) => `  ${e}`).join('\n')}`)
}
