import type { Inventory } from '../app/report/resources.ts'

/** What requests need and isn't there, each with the way out. */
export function missingIn(inventory: Inventory): readonly string[] {
  const { channels, groups, models, accounts, tokens } = inventory
  const way = (command: string) =>
    `Add one in the console, in tollgate.yaml ("tollgate init" writes one), or: tollgate ${command}`
  const found = []
  if (channels === 0) found.push(`No channel: there is no upstream. ${way('channel add …')}`)
  if (groups === 0) found.push(`No group: tokens can call nothing. ${way('group add …')}`)
  if (channels > 0 && groups > 0 && models === 0)
    found.push('No callable model: none has both a group with an active channel and a price.')
  if (accounts === 0) found.push(`No account: no request can be paid. ${way('account add …')}`)
  else if (tokens === 0) found.push(`No token: no client can call. ${way('token add …')}`)
  return found
}
