import type { Command } from 'commander'
import { planConfig } from '../app/apply.ts'
import type { Plan } from '../app/config/diff.ts'
import { findConfig, openInstance } from '../app/instance.ts'
import { countChanges, describePlan, planReport } from './change-text.ts'
import { confirm } from './confirm.ts'
import { complain } from './errors.ts'
import { byCommandLine } from './lookup.ts'
import { type ConfigOption, withConfig, withExamples } from './open.ts'
import { writeJson, writeLines } from './output.ts'

interface ApplyOptions extends ConfigOption {
  readonly prune?: boolean
  readonly yes?: boolean
  readonly newDatabase?: boolean
  readonly json?: boolean
}

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
  withExamples(withConfig(command), 'tollgate apply', 'tollgate apply --prune --yes')
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
    // What was shown is what is written, whatever changed in between.
    if (plan.changes.length > 0) await instance.store.admin.write(plan.writes, byCommandLine)
    await report(plan, json ?? false)
  } finally {
    await instance.store.close()
  }
}

async function report(plan: Plan, json: boolean): Promise<void> {
  if (json) return writeJson(planReport(plan, true))
  const nothing = plan.changes.length === 0
  return writeLines([
    nothing
      ? 'Nothing to change: the database is what the file says.'
      : `Done: ${countChanges(plan, 'past')}.`,
  ])
}
