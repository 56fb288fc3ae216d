import { formatNano } from '../../../billing/money.ts'
import { accountFields } from '../../../resources/account.ts'
import { channelFields } from '../../../resources/channel.ts'
import { groupFields } from '../../../resources/group.ts'
import { priceDefinitions, priceValues } from '../../../resources/price.ts'
import { toFile } from '../../../resources/resource.ts'
import { tokenFields } from '../../../resources/token.ts'
import type { AccountView } from '../../../store/ports/admin.ts'
import type { GroupSettings, PriceSetting } from '../../../store/ports/catalog.ts'
import type { ListedToken } from '../../../store/ports/lists.ts'
import type { ChannelState } from './state.ts'

/** A secret of the file: the environment variable that holds it. */
export class Placeholder {
  readonly variable: string

  constructor(variable: string) {
    this.variable = variable
  }
}

/** Unique names of environment variables. */
export function createPlaceholders() {
  const given = new Set<string>()
  return (...parts: readonly string[]): Placeholder => {
    const base = parts
      .join('_')
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, '_')
      .replace(/^_+|_+$/g, '')
    let name = base
    for (let count = 2; given.has(name); count++) name = `${base}_${count}`
    given.add(name)
    return new Placeholder(name)
  }
}
export type NextPlaceholder = ReturnType<typeof createPlaceholders>

/** A channel of the file, with placeholders for its keys and its proxy. */
export function channelEntry(channel: ChannelState, next: NextPlaceholder): object {
  const { name, status, keyCount, hasProxy } = channel
  const keys = Array.from({ length: keyCount }, () => next('channel', name, 'key'))
  return {
    name,
    ...(status === 'disabled' && { enabled: false }),
    ...(status === 'draining' && { drain: true }),
    ...(keys.length === 1 ? { api_key: keys[0] } : { api_keys: keys }),
    ...toFile(channelFields, channel),
    ...(hasProxy && { proxy: next('channel', name, 'proxy') }),
  }
}

export const groupEntry = (group: GroupSettings): object => ({
  name: group.name,
  ...toFile(groupFields, group),
})

/** A price of the file; undefined: removed prices have no form in the file. */
export const priceEntry = (price: PriceSetting): object | undefined =>
  price.terms.unit === 'none'
    ? undefined
    : toFile(priceDefinitions[price.terms.unit], priceValues(price))

/** An account without its tokens; its balance becomes its opening balance. */
export const accountEntry = (account: Omit<AccountView, 'passwordMark'>): object => ({
  email: account.email,
  ...toFile(accountFields, account),
  balance: formatNano(Math.max(account.balanceNano, 0)),
})

/** A token, with a placeholder for its key. */
export const tokenEntry = (token: ListedToken, next: NextPlaceholder): object => ({
  name: token.name,
  key: next('token', String(token.id), 'key'),
  ...toFile(tokenFields, token),
})
