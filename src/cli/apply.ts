import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { planConfig } from '../app/apply.ts'
import type { Change, HeldBack, Plan } from '../app/config/diff.ts'
import { heldBackText, vouchCommand } from '../app/config/held-back.ts'
import { findConfig } from '../app/find-config.ts'
import { openInstance } from '../app/instance.ts'
import { isOnServer } from '../app/store-place.ts'
import { printable } from '../lib/table.ts'
import { confirm } from './ask.ts'
import { type JsonOption, withConfig } from './config-option.ts'
import { complain } from './errors.ts'
import { byCommandLine } from './lookup.ts'
import { writeJson, writeLines } from './output.ts'

interface PlanOptions extends JsonOption {
  readonly prune?: boolean
}

interface ApplyOptions extends PlanOptions {
  readonly yes?: boolean
  readonly newDatabase?: boolean
}

const nothingToChange = 'Nothing to change: the database is what the file says.'

/** `tollgate plan`: what `apply` would change. */
export function addPlan(program: Command): void {
  const command = program
    .command('plan')
    .description('show what the configuration file would change in the database')
    .option('--prune', 'also show what --prune would remove')
    .option('--json', 'as JSON')
    .action(showPlan)
  withConfig(command, 'tollgate plan', 'tollgate plan --prune --json')
}

async function showPlan({ config: named, prune = false, json }: PlanOptions): Promise<void> {
  const { config, warnings } = await findConfig(named)
  for (const warning of warnings) complain(`warning: ${warning}`)
  // A plan leaves nothing behind: a missing database is created in memory.
  const { store } = config
  const isImagined = !isOnServer(store) && !existsSync(store.path)
  const instance = await openInstance({
    store: isImagined ? { ...store, path: ':memory:' } : store,
  })
  try {
    const plan = await planConfig(instance, config, { prune })
    if (json) return await writeJson(planReport(plan, false))
    const way = `"tollgate apply${prune ? ' --prune' : ''}" does it.`
    await writeLines([
      ...describePlan(plan),
      summary(plan, `${countChanges(plan, 'future')}. ${way}`),
    ])
  } finally {
    await instance.store.close()
  }
}

const summary = ({ changes }: Plan, text: string) => (changes.length === 0 ? nothingToChange : text)

/** `tollgate apply`: makes the database what the configuration file says. */
export function addApply(program: Command): void {
  const command = program
    .command('apply')
    .description('make the database what the configuration file says; a running serve follows')
    .option('--prune', 'also remove what the file does not name (asks first)')
    .option('-y, --yes', 'do not ask')
    .option('--new-database', 'make a new database file where there was one before')
    .option('--json', 'as JSON')
    .action(apply)
  withConfig(command, 'tollgate apply', 'tollgate apply --prune --yes')
}

async function apply(options: ApplyOptions): Promise<void> {
  const { config: named, prune = false, yes, json } = options
  const { config, warnings } = await findConfig(named)
  const instance = await openInstance(config, { mayBeNew: options.newDatabase })
  try {
    for (const warning of [...warnings, ...instance.warnings]) complain(`warning: ${warning}`)
    const plan = await planConfig(instance, config, { prune })
    if (!json) await writeLines(describePlan(plan))
    const removed = plan.changes.filter(({ action }) => action === 'remove').length
    if (prune && removed > 0) await confirm(`Remove ${removed}? Their records are kept.`, { yes })
    // Writes exactly what was shown, whatever changed in between.
    if (plan.changes.length > 0) await instance.store.admin.write(plan.writes, byCommandLine)
    if (json) return await writeJson(planReport(plan, true))
    await writeLines([summary(plan, `Done: ${countChanges(plan, 'past')}.`)])
  } finally {
    await instance.store.close()
  }
}

const signs = { create: '+', update: '~', remove: '-' } as const

/** A plan for people: a line for each thing, and below it its changes. */
function describePlan({ changes, heldBack }: Plan): readonly string[] {
  return [...changes.flatMap(describeChange), ...heldBack.map(describeHeldBack)]
}

function describeChange({ action, kind, name, fields }: Change): string[] {
  const widest = Math.max(0, ...fields.map(({ field }) => field.length))
  return [
    printable(`${signs[action]} ${kind} ${name}`),
    ...fields.map(({ field, from, to }) => {
      const value = action === 'create' ? show(to) : `${show(from)} → ${show(to)}`
      return printable(`    ${field.padEnd(widest)}  ${value}`)
    }),
  ]
}

const describeHeldBack = (held: HeldBack) => printable(`! ${heldBackText(held)}`)

const show = (value: string | null) => (value === null || value === '' ? '(none)' : value)

/** `2 to create, 1 to update, 0 to remove`, or what was done. */
function countChanges({ changes }: Plan, tense: 'future' | 'past'): string {
  const count = (action: Change['action']) => changes.filter((c) => c.action === action).length
  const words = (action: Change['action'], done: string) =>
    tense === 'past' ? `${count(action)} ${done}` : `${count(action)} to ${action}`
  return [words('create', 'created'), words('update', 'updated'), words('remove', 'removed')].join(
    ', ',
  )
}

const planReport = ({ changes, heldBack }: Plan, applied: boolean) => ({
  applied,
  changes,
  held_back: heldBack.map(({ account, fields }) => ({
    account,
    fields,
    command: vouchCommand(account),
  })),
})
