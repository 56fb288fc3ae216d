import type { Argument, Command, Option } from 'commander'
import { allCommands } from '../../src/cli/run.ts'

/** What stands behind an option or as an argument: one of some words, a file, or something else. */
export interface Value {
  readonly name: string
  readonly choices: readonly string[]
  readonly isFile: boolean
}

export interface CommandArgument extends Value {
  readonly help: string
}

export interface CommandOption {
  /** How it is written: `-c`, `--config`. */
  readonly names: readonly string[]
  readonly flags: string
  readonly help: string
  readonly value: Value | undefined
}

/** A command with all that people may write behind it. The first is the program itself. */
export interface CommandPlace {
  /** The words that lead to it, without the program's name. */
  readonly path: readonly string[]
  readonly usage: string
  readonly help: string
  readonly commands: readonly { readonly name: string; readonly help: string }[]
  readonly options: readonly CommandOption[]
  readonly arguments: readonly CommandArgument[]
  /** What its help says below its options. */
  readonly notes: string
  readonly examples: readonly string[]
}

/** All commands of the program, each before its own commands. */
export async function commandTree(): Promise<readonly CommandPlace[]> {
  return placesBelow(await allCommands(), [])
}

function placesBelow(command: Command, path: readonly string[]): readonly CommandPlace[] {
  const help = command.createHelp()
  const commands = help.visibleCommands(command)
  const place: CommandPlace = {
    ...{ path, usage: help.commandUsage(command), help: command.description() },
    commands: commands.map((one) => ({ name: one.name(), help: help.subcommandDescription(one) })),
    options: help.visibleOptions(command).map((option) => ({
      names: [option.short, option.long].filter((name) => name !== undefined),
      flags: option.flags,
      help: help.optionDescription(option),
      value: valueOfOption(option),
    })),
    arguments: command.registeredArguments.map((argument) => ({
      ...valueOfArgument(argument),
      help: help.argumentDescription(argument),
    })),
    ...textAfter(command),
  }
  return [place, ...commands.flatMap((one) => placesBelow(one, [...path, one.name()]))]
}

const valueOfArgument = (argument: Argument): Value => ({
  name: argument.name(),
  choices: argument.argChoices ?? [],
  isFile: isFile(argument.name()),
})

function valueOfOption({ flags, argChoices }: Option): Value | undefined {
  const name = /[<[]([^\]>]+)[\]>]/.exec(flags)?.[1]
  return name === undefined ? undefined : { name, choices: argChoices ?? [], isFile: isFile(name) }
}

const isFile = (name: string) => /^(file|folder|dir|source|target)\b/.test(name)

/** The text that `addHelpText('after', …)` has added. */
function textAfter(command: Command): Pick<CommandPlace, 'notes' | 'examples'> {
  let text = ''
  command.configureOutput({
    writeOut(more) {
      text += more
    },
  })
  command.outputHelp()
  const after = text.slice(command.helpInformation().length)
  const [notes = '', examples = ''] = after.split(/^Examples?:\n/m)
  return { notes: notes.trim(), examples: examples.trim().split(/\n */).filter(Boolean) }
}
