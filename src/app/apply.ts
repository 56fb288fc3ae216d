import type { SecretBox } from '../lib/secrets.ts'
import { type TokenView, WriteRefused } from '../store/ports/admin.ts'
import type { Store } from '../store/ports/store.ts'
import type { Config } from './config/config.ts'
import { type Plan, planChanges } from './config/diff.ts'
import type { Instance } from './instance.ts'

/** What a configuration would change; nothing is written. */
export async function planConfig(
  { store, secrets }: Pick<Instance, 'store' | 'secrets'>,
  config: Config,
  { prune }: { readonly prune: boolean },
): Promise<Plan> {
  const addresses = [
    ...config.accounts.map(({ email }) => email),
    ...config.groups.flatMap((group) => group.accounts ?? []),
  ]
  const [catalog, accounts, tokens] = await Promise.all([
    store.catalog.load(),
    prune ? store.admin.accounts() : store.admin.accountsAt([...new Set(addresses)]),
    prune ? allTokens(store) : configuredTokens(store, secrets, config),
  ])
  return planChanges({ config, current: { catalog, accounts, tokens }, secrets, prune })
}

/** Applies the configuration to the store in one transaction; returns what changed. */
export async function applyConfig(
  instance: Pick<Instance, 'store' | 'secrets'>,
  config: Config,
  options: { readonly prune: boolean },
): Promise<Plan> {
  const planAndWrite = async () => {
    const plan = await planConfig(instance, config, options)
    if (plan.changes.length > 0) await instance.store.admin.write(plan.writes)
    return plan
  }
  try {
    return await planAndWrite()
  } catch (error) {
    // Another process may have written since.
    if (!(error instanceof WriteRefused)) throw error
    return await planAndWrite()
  }
}

const pageSize = 500

async function allTokens({ admin }: Store): Promise<readonly TokenView[]> {
  const tokens: TokenView[] = []
  for (;;) {
    const page = await admin.tokens({ afterId: tokens.at(-1)?.id ?? 0, limit: pageSize })
    tokens.push(...page)
    if (page.length < pageSize) return tokens
  }
}

/** The store's tokens that match the file's keys or names; an account may have a million others. */
async function configuredTokens(
  { admin }: Store,
  secrets: SecretBox,
  { accounts }: Config,
): Promise<readonly TokenView[]> {
  const wanted = accounts.flatMap(({ email, tokens }) =>
    tokens.map(({ name, key }) => ({ account: email, name, keyHash: secrets.keyedHash(key) })),
  )
  const found = new Map<number, TokenView>()
  for (let from = 0; from < wanted.length; from += pageSize) {
    const keyHashes = wanted.slice(from, from + pageSize).map(({ keyHash }) => keyHash)
    for (const token of await admin.tokens({ keyHashes })) found.set(token.id, token)
  }
  const inPlace = new Set([...found.values()].map(identityOf))
  for (const token of wanted) {
    if (inPlace.has(identityOf(token))) continue
    const { account, name } = token
    for (const other of await admin.tokens({ account, name })) found.set(other.id, other)
  }
  return [...found.values()].sort((a, b) => a.id - b.id)
}

const identityOf = ({ account, name, keyHash }: Pick<TokenView, 'account' | 'name' | 'keyHash'>) =>
  JSON.stringify([account, name, keyHash])
