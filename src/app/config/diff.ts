import type { Plan, PlanInput } from './change.ts'
import { planAccounts, planTokens } from './diff-accounts.ts'
import { planChannels, planGroups, planPrices } from './diff-catalog.ts'
import { holdBack } from './held-back.ts'

export type { Change, CurrentState, HeldBack, Plan, PlanInput } from './change.ts'

/** Compares the configuration with the store. Only `prune` removes what the file does not name. */
export async function planChanges({ config: whole, ...rest }: PlanInput): Promise<Plan> {
  const { config, heldBack } = holdBack(whole, rest.current)
  const input = { ...rest, config }
  const channels = planChannels(input)
  const groups = planGroups(input)
  const prices = planPrices(input)
  const accounts = await planAccounts(input)
  const tokens = planTokens(input)
  const parts = [channels, groups, prices, accounts, tokens]
  return {
    changes: parts.flatMap((part) => part.changes),
    heldBack,
    writes: {
      ...(channels.writes.length > 0 && { channels: channels.writes }),
      ...(groups.writes.length > 0 && { groups: groups.writes }),
      ...(prices.writes.length > 0 && { prices: prices.writes }),
      ...(accounts.writes.length > 0 && { accounts: accounts.writes }),
      ...(tokens.writes.length > 0 && { tokens: tokens.writes }),
      ...(parts.some((part) => part.remove.length > 0) && {
        remove: {
          channels: channels.remove,
          groups: groups.remove,
          prices: prices.remove,
          accounts: accounts.remove,
          tokenIds: tokens.remove,
        },
      }),
    },
  }
}
