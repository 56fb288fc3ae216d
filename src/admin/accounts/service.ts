import type { Static } from '@sinclair/typebox'
import { formatNano, nanoDecimals, overdrawnNano, parseDecimal } from '../../billing/money.ts'
import { accountFields, type SomeAccountSettings } from '../../resources/account.ts'
import { initialValues, onlyNamed, toWritten } from '../../resources/resource.ts'
import { type AccountWrite, WouldOverdraw } from '../../store/ports/admin.ts'
import type { EditableAccount } from '../../store/ports/edits.ts'
import type { Store } from '../../store/ports/store.ts'
import type { SignedIn } from '../access.ts'
import { ApiError } from '../api-error.ts'
import { type Checked, edit, requireRight } from '../refusals.ts'
import { findAccount, viewAccount } from './lists.ts'
import type {
  AccountDetail,
  AccountPatch,
  AccountRemoval,
  AdjustmentOrder,
  NewAccount,
} from './schema.ts'

interface AccountParts {
  readonly store: Store
  readonly check: (
    entry: object,
  ) => Checked<Pick<AccountWrite, 'email' | 'openingNano'> & SomeAccountSettings>
  /** Throws an `ApiError` for an unacceptable password. */
  readonly readPassword: (email: string, password: string) => Promise<AccountWrite['password']>
  readonly isInFile: (email: string) => boolean
  /** The default threshold below which a balance counts as low. */
  readonly balanceLowNano: () => number
  readonly accountsChanged: () => void
}

export type AccountService = ReturnType<typeof createAccountService>

/** Accounts, for administrators. Refusals are thrown as `ApiError`. */
export function createAccountService(parts: AccountParts) {
  const { store, accountsChanged } = parts

  async function describe(who: SignedIn, account: EditableAccount): Promise<AccountDetail> {
    return {
      ...viewAccount(account),
      overdrawn_by: await causeOf(account),
      revision: account.revision,
      is_self: account.id === who.accountId,
      in_file: parts.isInFile(account.email),
      low_threshold: formatNano(account.balanceLowNano ?? parts.balanceLowNano()),
    }
  }

  async function causeOf(account: EditableAccount): Promise<string | null> {
    if (overdrawnNano(account) === 0) return null
    const { accounts } = await store.admin.overdrawn({ accountId: account.id, atMost: 1 })
    return accounts[0]?.requestId ?? null
  }

  const find = (id: number) => findAccount(store.edits, id)

  const get = async (who: SignedIn, id: number) => describe(who, await find(id))

  return {
    get,
    async create(who: SignedIn, { email, balance = '0', password, ...rest }: NewAccount) {
      const entry = { email, balance: balance.trim(), ...toWritten(accountFields, rest) }
      const { openingNano, ...checked } = requireRight(parts.check(entry))
      const usual = initialValues(accountFields)
      const hashed = password ? await parts.readPassword(email, password) : undefined
      const account: AccountWrite = {
        ...{ ...usual, ...onlyNamed(accountFields, checked, rest), email, openingNano },
        limits: { ...usual.limits, ...checked.limits },
        ...(hashed && { password: hashed }),
      }
      const work = () => store.edits.addAccount(account, { actor: who.email })
      const id = await edit(work, { field: 'email' })
      accountsChanged()
      return get(who, id)
    },
    async change(who: SignedIn, id: number, patch: AccountPatch) {
      refuseOnSelf(who, id, patch)
      const { revision, is_vouched, ...fields } = patch
      const checked = requireRight(parts.check(toWritten(accountFields, fields)))
      const named = {
        ...onlyNamed(accountFields, checked, fields),
        ...(is_vouched && { isVouched: is_vouched }),
      }
      const work = () => store.edits.setAccount(id, named, { actor: who.email, revision })
      await edit(work, { present: () => get(who, id) })
      accountsChanged()
      return get(who, id)
    },
    async adjust(who: SignedIn, id: number, kind: 'credit' | 'debit', order: AdjustmentOrder) {
      const { email } = await find(id)
      const { amountNano, reason } = readOrder(order)
      try {
        const done = await edit(() =>
          store.admin.adjust({
            ...{ account: email, kind, amountNano, reason, actor: who.email },
            idempotencyKey: order.idempotency_key ?? null,
            mayOverdraw: kind === 'debit' ? order.may_overdraw === true : true,
          }),
        )
        accountsChanged()
        const { ledgerId, balanceNano, isRepeat } = done
        return {
          ledger_id: ledgerId,
          amount: formatNano(amountNano),
          balance: formatNano(balanceNano),
          is_repeat: isRepeat,
        }
      } catch (error) {
        throw isOverdraft(error) ? wouldOverdraw(await find(id), amountNano) : error
      }
    },
    async remove(who: SignedIn, id: number, { email, revision }: Static<typeof AccountRemoval>) {
      const account = await find(id)
      if (id === who.accountId) throw onSelf('remove your own account')
      if (email !== account.email) {
        const asked = `Type the e-mail of the account, ${account.email}, to remove it.`
        throw new ApiError('invalid_value', asked, { field: 'email', fault: 'not_known' })
      }
      const work = () => store.edits.removeAccount(id, { actor: who.email, revision })
      await edit(work, { present: () => get(who, id) })
      accountsChanged()
    },
  }
}

function readUsd(field: string, text: string): number {
  const nano = parseDecimal(text.trim(), nanoDecimals)
  if (nano !== undefined && nano >= 0) return nano
  throw new ApiError(
    'invalid_value',
    `${field}: ${JSON.stringify(text)} is not an amount: write USD as a plain number with at most 9 decimals, such as 100 or 2.5.`,
    { field, fault: 'unfit_amount' },
  )
}

function readOrder({ amount, reason }: AdjustmentOrder) {
  const amountNano = readUsd('amount', amount)
  if (amountNano === 0) {
    throw new ApiError('invalid_value', 'amount: it is nothing: write more than 0.', {
      field: 'amount',
      fault: 'unfit_amount',
    })
  }
  const words = reason.trim()
  if (words === '' || words.length > 500 || /\p{Cc}/u.test(words)) {
    const asked = 'reason: say in one line why (at most 500 characters); the ledger keeps it.'
    throw new ApiError('invalid_value', asked, { field: 'reason', fault: 'unfit_line' })
  }
  return { amountNano, reason: words }
}

const isOverdraft = (error: unknown) =>
  error instanceof ApiError && error.cause instanceof WouldOverdraw

function wouldOverdraw(account: EditableAccount, amountNano: number): ApiError {
  const { balanceNano, creditLimitNano } = account
  const balance = `${formatNano(balanceNano)} USD`
  const after = `${formatNano(balanceNano - amountNano)} USD`
  const least = `${formatNano(-creditLimitNano)} USD`
  return new ApiError(
    'would_overdraw',
    `The balance is ${balance} and would be ${after}, but the credit limit allows no less than ${least}. Take less, raise the credit limit, or allow the overdraft.`,
    { field: 'amount' },
  )
}

function refuseOnSelf(who: SignedIn, id: number, { role, status }: AccountPatch): void {
  if (id !== who.accountId) return
  if (role === 'user') throw onSelf('take your own role away', 'role')
  if (status === 'disabled') throw onSelf('suspend your own account', 'status')
}

const onSelf = (what: string, field?: string) =>
  new ApiError('not_allowed', `You can't ${what}: another administrator has to do that.`, {
    fault: 'own_account',
    ...(field !== undefined && { field }),
  })
