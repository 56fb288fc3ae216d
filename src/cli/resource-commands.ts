import { type Argument, type Command, Option } from 'commander'
import type { Instance } from '../app/instance.ts'
import { type Column, formatTable } from '../lib/table.ts'
import type { Writes } from '../store/ports/admin.ts'
import { confirm } from './ask.ts'
import { type ConfigOption, type JsonOption, withConfig, withExamples } from './config-option.ts'
import { byCommandLine } from './lookup.ts'
import { withStore } from './open.ts'
import { writeJson, writeLines } from './output.ts'

/** Options of a command as commander gives them. */
export interface AnyOptions extends JsonOption {
  readonly [name: string]: unknown
}

/** What a command's help says. */
export interface Described {
  readonly help: string
  readonly options?: readonly (Option | readonly [flags: string, help: string])[]
  readonly examples: readonly string[]
}

/** A command that works on the store and reports its result, as lines or JSON. */
interface Reporting<Args extends readonly unknown[], Result> extends Described {
  readonly args?: readonly Argument[]
  readonly jsonHelp?: string
  extend?(command: Command): unknown
  run(instance: Instance, options: AnyOptions, ...args: Args): Promise<Result>
  lines(result: NoInfer<Result>, options: AnyOptions, args: NoInfer<Args>): readonly string[]
  /** The JSON document; absent: the result. */
  json?(result: NoInfer<Result>, options: AnyOptions, args: NoInfer<Args>): unknown
  /** What remains to be reported or warned of. */
  after?(
    instance: Instance,
    result: NoInfer<Result>,
    options: AnyOptions,
    args: NoInfer<Args>,
  ): unknown
}

/** Adds such a command. */
export function addReporting<Args extends readonly unknown[], Result>(
  parent: Command,
  name: string,
  reporting: Reporting<Args, Result>,
): void {
  const { args = [], options: more = [], jsonHelp = 'as JSON' } = reporting
  const command = parent.command(name).description(reporting.help)
  for (const argument of args) command.addArgument(argument)
  for (const one of more) command.addOption(one instanceof Option ? one : new Option(...one))
  command.option('--json', jsonHelp).action((...given: unknown[]) => {
    const options = given[args.length] as AnyOptions
    const values = given.slice(0, args.length) as unknown as Args
    return withStore(options, async (instance) => {
      const result = await reporting.run(instance, options, ...values)
      if (options.json)
        await writeJson(reporting.json ? reporting.json(result, options, values) : result)
      else await writeLines(reporting.lines(result, options, values))
      await reporting.after?.(instance, result, options, values)
    })
  })
  reporting.extend?.(command)
  withConfig(command, ...reporting.examples)
}

/** A thing that can be disabled, enabled and removed. */
interface Found {
  /** In messages: `channel "openai-main"`. */
  readonly label: string
  /** What its removal takes away too, as a sentence. */
  readonly consequence: string
  withStatus(status: 'active' | 'disabled'): Writes
  /** Further work after `enable` or `disable`. */
  switched?(status: 'active' | 'disabled', options: ConfigOption): Promise<void>
  readonly remove: NonNullable<Writes['remove']>
}

/** The commands of one kind of things. */
export interface Resource<Reference, Row, Whole = Row> extends Described {
  /** Such as `group`. */
  readonly name: string
  add(parent: Command): void
  /** Adds the commands between `show` and `disable`. */
  others?(parent: Command): void
  readonly list: Described & {
    readonly columns: readonly Column<Row>[]
    readonly none: string
    rows(instance: Instance, options: AnyOptions): Promise<readonly Row[]>
  }
  readonly show: Described & {
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

/** Adds a command with `list`, `add`, `show`, …, `disable`, `enable` and `remove`. */
export function addResource<Reference, Row, Whole>(
  program: Command,
  resource: Resource<Reference, Row, Whole>,
): void {
  const parent = program.command(resource.name).description(resource.help)
  addList(parent, resource)
  resource.add(parent)
  addShow(parent, resource)
  resource.others?.(parent)
  addSwitch(parent, resource, 'disable')
  addSwitch(parent, resource, 'enable')
  addRemove(parent, resource)
  withExamples(parent, ...resource.examples)
}

const addList = <Reference, Row, Whole>(
  parent: Command,
  { list }: Resource<Reference, Row, Whole>,
): void =>
  addReporting(parent, 'list', {
    ...list,
    run: list.rows,
    lines: (rows) => (rows.length > 0 ? formatTable(list.columns, rows) : [list.none]),
  })

const addShow = <Reference, Row, Whole>(
  parent: Command,
  { argument, show }: Resource<Reference, Row, Whole>,
): void =>
  addReporting(parent, 'show', {
    ...show,
    args: [argument()],
    run: (instance, options, reference: Reference) => show.read(instance, reference, options),
    lines: show.describe,
  })

type Switchable<Reference> = Omit<Resource<Reference, never>, 'list' | 'show'>

function addSwitch<Reference>(
  parent: Command,
  kind: Switchable<Reference>,
  name: 'disable' | 'enable',
): void {
  const status = name === 'enable' ? 'active' : 'disabled'
  const disabling = `refuse or skip the ${kind.name} from now on, and keep it`
  const enabling = kind.enabling ?? `let a disabled ${kind.name} work again`
  const command = parent
    .command(name)
    .description(name === 'enable' ? enabling : disabling)
    .addArgument(kind.argument())
    .action(async (reference: Reference, options: ConfigOption) =>
      withStore(options, async (instance) => {
        const found = await kind.find(instance, reference)
        await instance.store.admin.write(found.withStatus(status), byCommandLine)
        await writeLines([`The ${found.label} is ${status}.`])
        await found.switched?.(status, options)
      }),
    )
  withConfig(command, `tollgate ${kind.name} ${name} ${kind.example}`)
}

function addRemove<Reference>(parent: Command, kind: Switchable<Reference>): void {
  const command = parent
    .command('remove')
    .description(`remove the ${kind.name} for good; its records are kept`)
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
  withConfig(command, `tollgate ${kind.name} remove ${kind.example} --yes`)
}
