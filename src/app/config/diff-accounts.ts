import { hashPassword } from '../../admin/sign-in/hashing.ts'
import { formatNano } from '../../billing/money.ts'
import { keyHint } from '../../lib/ids.ts'
import { accountFields } from '../../resources/account.ts'
import { initialValues, planFields } from '../../resources/resource.ts'
import { tokenFields } from '../../resources/token.ts'
import type { AccountWrite, TokenView, TokenWrite } from '../../store/ports/admin.ts'
import { changeOf, type Part, type PlanInput, partOf, removalsOf } from './change.ts'
import type { TokenConfig } from './config.ts'
import { comparePassword, type Given } from './password.ts'

/** Plans accounts. An old password is known by its hash; a balance is set only at first. */
export async function planAccounts(input: PlanInput): Promise<Part<AccountWrite>> {
  const { config, current, secrets, prune } = input
  const live = new Map(current.accounts.map((view) => [view.email, view]))
  const planned = await Promise.all(
    config.accounts.map(async (account) => {
      const { email, password, openingNano } = account
      const view = live.get(email)
      const mark = view?.passwordMark ?? null
      const given =
        password === null ? 'same' : await comparePassword({ email, password }, mark, secrets)
      const change = changeOf(
        'account',
        email,
        view && { ...planFields(accountFields, view), ...(mark !== null && { password: 'set' }) },
        {
          ...planFields(accountFields, { ...initialValues(accountFields), ...view, ...account }),
          ...(!view && { balance: formatNano(openingNano) }),
          ...passwordField(mark, given),
        },
      )
      const { tokens: _, password: __, ...settings } = account
      const write: AccountWrite = {
        ...settings,
        ...(password !== null && given !== 'same' && { password: await written(password, given) }),
      }
      return { change, write }
    }),
  )
  const emails = config.accounts.map(({ email }) => email)
  return partOf(planned, prune ? removalsOf('account', [...live.keys()], emails) : [])
}

async function written(password: string, given: Given) {
  const mark = await hashPassword(password)
  return given === 'new' ? { hash: await hashPassword(password), mark } : { mark }
}

function passwordField(before: string | null, given: Given): { password?: string } {
  if (given === 'same') return before === null ? {} : { password: 'set' }
  if (given !== 'new') return { password: 'set, and kept with a better hash' }
  return { password: before === null ? 'set' : 'changed' }
}

const tokenName = (account: string, name: string) => `${account}/${name}`
const identity = (account: string, keyHash: string) => `${keyHash} ${account}`

/** Plans tokens. A token is its key; an entry with a known name and a new key replaces the key. */
export function planTokens({
  config,
  current,
  secrets,
  prune,
}: PlanInput): Part<TokenWrite, number> {
  const wanted = config.accounts.flatMap(({ email, tokens }) =>
    tokens.map((token) => ({ ...token, account: email, keyHash: secrets.keyedHash(token.key) })),
  )
  const kept = new Set(wanted.map(({ account, keyHash }) => identity(account, keyHash)))
  const named = new Set(wanted.map(({ account, name }) => tokenName(account, name)))
  const live = new Map(current.tokens.map((view) => [identity(view.account, view.keyHash), view]))
  const gone = current.tokens.filter(
    ({ account, name, keyHash }) =>
      !kept.has(identity(account, keyHash)) && (prune || named.has(tokenName(account, name))),
  )
  const old = new Map(gone.map((view) => [tokenName(view.account, view.name), view]))
  const shown = new Set<TokenView>()

  const planned = wanted.map((token) => {
    const name = tokenName(token.account, token.name)
    const same = live.get(identity(token.account, token.keyHash))
    const before = same ?? old.get(name)
    if (before) shown.add(before)
    const change = changeOf(
      'token',
      name,
      before && { ...planFields(tokenFields, before), key: 'set' },
      {
        ...planFields(tokenFields, token),
        key: before && !same ? 'changed' : 'set',
      },
    )
    return { change, write: writeOf(token, same, secrets.seal) }
  })
  const removed = gone.filter((view) => !shown.has(view))
  const names = removed.map(({ account, name }) => tokenName(account, name))
  const part = partOf(planned, removalsOf('token', names, []))
  return { ...part, remove: gone.map(({ id }) => id) }
}

function writeOf(
  token: TokenConfig & { readonly account: string; readonly keyHash: string },
  same: TokenView | undefined,
  seal: (text: string) => Uint8Array,
): TokenWrite {
  const { key, ...write } = token
  return { ...write, keySealed: same?.keySealed ?? seal(key), keyHint: keyHint(key) }
}
