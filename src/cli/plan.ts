import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { planConfig } from '../app/apply.ts'
import { findConfig, openInstance } from '../app/instance.ts'
import { isOnServer } from '../app/store-place.ts'
import { countChanges, describePlan, planReport } from './change-text.ts'
import { complain } from './errors.ts'
import { type ConfigOption, withConfig, withExamples } from './open.ts'
import { writeJson, writeLines } from './output.ts'

interface PlanOptions extends ConfigOption {
  readonly prune?: boolean
  readonly json?: boolean
}

/** `tollgate plan`: what `apply` would change. */
export function addPlan(program: Command): void {
  const command = program
    .command('plan')
    .description('show what the configuration file would change in the database')
    .option('--prune', 'also show what --prune would remove')
    .option('--json', 'as JSON')
    .action(showPlan)
  withExamples(withConfig(command), 'tollgate plan', 'tollgate plan --prune --json')
}

async function showPlan({ config: named, prune = false, json }: PlanOptions): Promise<void> {
  const { config, warnings } = await findConfig(named)
  for (const warning of warnings) complain(`warning: ${warning}`)
  // Looking leaves nothing behind: a database that is not there yet is imagined.
  const { store } = config
  const isImagined = !isOnServer(store) && !existsSync(store.path)
  const instance = await openInstance({
    store: isImagined ? { ...store, path: ':memory:' } : store,
  })
  try {
    const plan = await planConfig(instance, config, { prune })
    if (json) return await writeJson(planReport(plan, false))
    const nothing = plan.changes.length === 0
    const summary = nothing
      ? 'Nothing to change: the database is what the file says.'
      : `${countChanges(plan, 'future')}. "tollgate apply${prune ? ' --prune' : ''}" does it.`
    await writeLines([...describePlan(plan), summary])
  } finally {
    await instance.store.close()
  }
}
