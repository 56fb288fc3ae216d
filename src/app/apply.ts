import type { Config } from './config/config.ts'
import { type Plan, planChanges } from './config/diff.ts'
import type { Instance } from './instance.ts'

/** What a configuration would change; nothing is written. */
export async function planConfig(
  { store, secrets }: Instance,
  config: Config,
  { prune }: { readonly prune: boolean },
): Promise<Plan> {
  const [catalog, accounts, tokens] = await Promise.all([
    store.catalog.load(),
    store.admin.accounts(),
    configuredTokens(store, config, prune),
  ])
  return planChanges({ config, current: { catalog, accounts, tokens }, secrets, prune })
}

/** Makes the store what the configuration says, in one transaction; returns what that changed. */
export async function applyConfig(
  instance: Instance,
  config: Config,
  options: { readonly prune: boolean },
): Promise<Plan> {
  const plan = await planConfig(instance, config, options)
  if (plan.changes.length > 0) await instance.store.admin.write(plan.writes)
  return plan
}

/** The tokens to compare with: of the accounts that the file names, or of all when pruning. */
async function configuredTokens(store: Instance['store'], config: Config, prune: boolean) {
  const tokens = []
  const filters = prune ? [{}] : config.accounts.map(({ email }) => ({ account: email }))
  for (const filter of filters) {
    let afterId = 0
    for (;;) {
      const page = await store.admin.tokens({ ...filter, afterId, limit: 1_000 })
      tokens.push(...page)
      const last = page.at(-1)
      if (last === undefined) break
      afterId = last.id
    }
  }
  return tokens
}
