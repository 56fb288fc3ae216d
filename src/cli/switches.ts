import type { Argument, Command } from 'commander'
import type { Instance } from '../app/instance.ts'
import type { Writes } from '../store/ports/admin.ts'
import { confirm } from './ask.ts'
import { byCommandLine } from './lookup.ts'
import { type ConfigOption, withConfig, withExamples, withStore } from './open.ts'
import { writeLines } from './output.ts'

/** A thing that can be disabled, enabled and removed. */
export interface Found {
  /** How messages call it: `channel "openai-main"`. */
  readonly label: string
  /** What goes with it when it is removed, as a sentence. */
  readonly consequence: string
  withStatus(status: 'active' | 'disabled'): Writes
  /** What else there is to do and to say after a switch. */
  switched?(status: 'active' | 'disabled', options: ConfigOption): Promise<void>
  readonly remove: NonNullable<Writes['remove']>
}

/** How one kind of things is found by what the user calls it. */
export interface Switchable<Reference> {
  /** Made anew for each command. */
  argument(): Argument
  /** For the help: such a reference. */
  readonly example: string
  /** For the help, where `enable` does more than usual. */
  readonly enabling?: string
  find(instance: Instance, reference: Reference): Promise<Found>
}

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
