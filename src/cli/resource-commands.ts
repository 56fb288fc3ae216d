import type { Argument, Command } from 'commander'
import type { Instance } from '../app/instance.ts'
import type { Column } from '../lib/table.ts'
import type { Writes } from '../store/ports/admin.ts'
import { confirm } from './ask.ts'
import { byCommandLine } from './lookup.ts'
import { type ConfigOption, type JsonOption, withConfig, withExamples, withStore } from './open.ts'
import { writeJson, writeLines, writeList } from './output.ts'

export interface Found {
  /** In messages: `channel "openai-main"`. */
  readonly label: string
  /** What its removal takes away too, as a sentence. */
  readonly consequence: string
  withStatus(status: 'active' | 'disabled'): Writes
  /** Further work after `enable` or `disable`. */
  switched?(status: 'active' | 'disabled', options: ConfigOption): Promise<void>
  readonly remove: NonNullable<Writes['remove']>
}

/** Options of a command as commander gives them. */
export interface AnyOptions extends JsonOption {
  readonly [name: string]: unknown
}

interface Told {
  readonly help: string
  /** Besides `--json`. */
  readonly options?: readonly (readonly [flags: string, help: string])[]
  readonly examples: readonly string[]
}

/** How one kind of things is found, listed and shown. */
export interface Resource<Reference, Row, Whole = Row> {
  readonly list: Told & {
    readonly columns: readonly Column<Row>[]
    /** The text for an empty list. */
    readonly none: string
    rows(instance: Instance, options: AnyOptions): Promise<readonly Row[]>
  }
  readonly show: Told & {
    read(instance: Instance, reference: Reference, options: AnyOptions): Promise<Whole>
    describe(whole: Whole): readonly string[]
  }
  argument(): Argument
  /** A reference, for the help. */
  readonly example: string
  /** Help of `enable` where it does more than usual. */
  readonly enabling?: string
  find(instance: Instance, reference: Reference): Promise<Found>
}

export function addList<Reference, Row, Whole>(
  parent: Command,
  { list }: Resource<Reference, Row, Whole>,
): void {
  const command = parent.command('list').description(list.help)
  for (const option of list.options ?? []) command.option(...option)
  command.option('--json', 'as JSON').action((options: AnyOptions) =>
    withStore(options, async (instance) => {
      const rows = await list.rows(instance, options)
      await writeList(rows, list.columns, { json: options.json, none: list.none })
    }),
  )
  withExamples(withConfig(command), ...list.examples)
}

export function addShow<Reference, Row, Whole>(
  parent: Command,
  { argument, show }: Resource<Reference, Row, Whole>,
): void {
  const command = parent.command('show').description(show.help).addArgument(argument())
  for (const option of show.options ?? []) command.option(...option)
  command.option('--json', 'as JSON').action((reference: Reference, options: AnyOptions) =>
    withStore(options, async (instance) => {
      const whole = await show.read(instance, reference, options)
      if (options.json) return writeJson(whole)
      await writeLines(show.describe(whole))
    }),
  )
  withExamples(withConfig(command), ...show.examples)
}

type Switchable<Reference> = Omit<Resource<Reference, never>, 'list' | 'show'>

/** Adds `disable`, `enable` and `remove`. */
export function addSwitches<Reference>(parent: Command, kind: Switchable<Reference>): void {
  const noun = parent.name()
  addSwitch(parent, kind, ['disable', `refuse or skip the ${noun} from now on, and keep it`])
  addSwitch(parent, kind, ['enable', kind.enabling ?? `let a disabled ${noun} work again`])
  addRemove(parent, kind)
}

function addSwitch<Reference>(
  parent: Command,
  kind: Switchable<Reference>,
  [name, description]: readonly ['disable' | 'enable', string],
): void {
  const status = name === 'enable' ? 'active' : 'disabled'
  const command = parent
    .command(name)
    .description(description)
    .addArgument(kind.argument())
    .action(async (reference: Reference, options: ConfigOption) =>
      withStore(options, async (instance) => {
        const found = await kind.find(instance, reference)
        await instance.store.admin.write(found.withStatus(status), byCommandLine)
        await writeLines([`The ${found.label} is ${status}.`])
        await found.switched?.(status, options)
      }),
    )
  withExamples(withConfig(command), `tollgate ${parent.name()} ${name} ${kind.example}`)
}

function addRemove<Reference>(parent: Command, kind: Switchable<Reference>): void {
  const command = parent
    .command('remove')
    .description(`remove the ${parent.name()} for good; its records are kept`)
    .addArgument(kind.argument())
    .option('-y, --yes', 'do not ask')
    .action(async (reference: Reference, options: ConfigOption & { readonly yes?: boolean }) =>
      withStore(options, async (instance) => {
        const { label, consequence, remove } = await kind.find(instance, reference)
        await confirm(`Remove the ${label}? ${consequence}`.trimEnd(), options)
        await instance.store.admin.write({ remove }, byCommandLine)
        await writeLines([`Removed the ${label}.`])
      }),
    )
  withExamples(withConfig(command), `tollgate ${parent.name()} remove ${kind.example} --yes`)
}
