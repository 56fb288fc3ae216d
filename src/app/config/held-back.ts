import { accountFields } from '../../resources/account.ts'
import { planFields } from '../../resources/resource.ts'
import type { StoredAccount } from '../../store/ports/admin.ts'
import type { CurrentState, HeldBack } from './change.ts'
import type { AccountConfig, Config } from './config.ts'
import { compareFields } from './diff-fields.ts'

/** Leaves out what the file would give self-registered accounts: they only claim an address. */
export function holdBack(
  config: Config,
  current: Pick<CurrentState, 'accounts'>,
): { readonly config: Config; readonly heldBack: readonly HeldBack[] } {
  const claimed = new Map(
    current.accounts
      .filter(({ isVouched }) => !isVouched)
      .map((view) => [view.email.toLowerCase(), view]),
  )
  if (claimed.size === 0) return { config, heldBack: [] }
  const known = new Set(current.accounts.map(({ email }) => email))
  // In other letters it is the same address: an account beside the claimed one could not sign in.
  const claimOf = ({ email }: AccountConfig) => {
    const view = claimed.get(email.toLowerCase())
    return view?.email === email || !known.has(email) ? view : undefined
  }
  const accounts = config.accounts.map((account) => {
    const view = claimOf(account)
    return view ? asItIs(account, view) : account
  })
  const heldBack = [...claimed.values()].map((view) => {
    const account = config.accounts.find((one) => claimOf(one) === view)
    const groups = config.groups.filter((group) =>
      group.accounts?.includes(view.email.toLowerCase()),
    )
    const named = groups.map(({ name }) => `group ${name}`)
    return { account: view.email, fields: [...(account ? given(account, view) : []), ...named] }
  })
  return {
    config: { ...config, accounts },
    heldBack: heldBack.filter(({ fields }) => fields.length > 0),
  }
}

/** An account of the file as the store has it, but for being off. */
const asItIs = ({ status, openingNano }: AccountConfig, view: StoredAccount) => ({
  ...{ email: view.email, openingNano, role: view.role, password: null, tokens: [] },
  status: status === 'disabled' ? status : view.status,
})

/** What of it the file would change. */
function given(account: AccountConfig, view: StoredAccount): string[] {
  const changes = compareFields(
    planFields(accountFields, view),
    planFields(accountFields, { ...view, ...account }),
  )
  return [
    ...changes
      .filter(({ field, to }) => field !== 'enabled' || to === 'true')
      .map(({ field }) => field),
    ...(account.password === null ? [] : ['password']),
    ...account.tokens.map(({ name }) => `token ${name}`),
  ]
}

/** What an operator says when an address is its owner's. */
export const vouchCommand = (account: string): string => `tollgate account set ${account} --vouch`

/** Says that the file gives an account nothing, and what makes it so. */
export const heldBackText = ({ account, fields }: HeldBack): string =>
  `account ${account} registered itself, and nobody has vouched for its address: the file does not ` +
  `give it ${fields.join(', ')}. If it is its owner's: ${vouchCommand(account)}`
