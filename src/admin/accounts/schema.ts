import { type Static, Type } from '@sinclair/typebox'
import { accountFields } from '../../resources/account.ts'
import { Status } from '../../resources/kinds.ts'
import { patchProperties, viewProperties } from '../../resources/resource.ts'
import { ListOf } from '../envelope.ts'
import { newestFirst, oneOf, orNull, Proof, Role, SortBy } from '../shapes.ts'

const Text = Type.String()
const Usd = Type.String({ maxLength: 40, description: 'USD, a plain decimal.' })

export const AccountItem = Type.Object({
  id: Type.Integer(),
  email: Text,
  is_vouched: Type.Boolean({
    description: 'Its address is known to be its owner’s: it did not just register itself.',
  }),
  ...viewProperties(accountFields),
  balance: Usd,
  reserved: Usd,
  overdrawn: orNull(Usd, 'How far its balance is below its credit limit; null: it is not.'),
  tokens: Type.Integer(),
  created_at: Text,
})
export type AccountItem = Static<typeof AccountItem>

export const AccountList = ListOf(AccountItem)

export const AccountDetail = Type.Object({
  ...AccountItem.properties,
  revision: Text,
  is_self: Type.Boolean({ description: 'It is the one that asks.' }),
  in_file: Type.Boolean({
    description: 'tollgate.yaml names it: its role and status are written anew at each start.',
  }),
  overdrawn_by: orNull(
    Text,
    'The request whose charge took it below its credit limit; null: it is not, or not known.',
  ),
  low_threshold: Type.String({ description: 'USD below which its balance counts as low.' }),
})
export type AccountDetail = Static<typeof AccountDetail>

export const AccountFilter = Type.Object({
  search: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the e-mail.' })),
  role: Type.Optional(Role),
  status: Type.Optional(Status),
  balance: Type.Optional(
    Type.Literal('overdrawn', { description: 'Only those below their credit limit.' }),
  ),
  sort: SortBy(['created_at', 'email'], newestFirst),
})
export type AccountFilter = Static<typeof AccountFilter>

const fields = patchProperties(accountFields)

export const NewAccount = Type.Object({
  email: Type.String({ maxLength: 320 }),
  balance: Type.Optional(Usd),
  ...{ role: fields.role, credit_limit: fields.credit_limit, limits: fields.limits },
  password: Type.Optional(
    Type.String({ maxLength: 1000, description: 'Left out: it can not sign in by password.' }),
  ),
})
export type NewAccount = Static<typeof NewAccount>

export const AccountPatch = Type.Object({
  revision: Type.String({ maxLength: 100 }),
  is_vouched: Type.Optional(Type.Literal(true)),
  ...fields,
})
export type AccountPatch = Static<typeof AccountPatch>

export const AdjustmentOrder = Type.Object({
  amount: Usd,
  reason: Type.String({ maxLength: 1000, description: 'Goes into the ledger and the audit.' }),
  idempotency_key: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'A repeated request with the same key changes the balance once. Or: Idempotency-Key.',
    }),
  ),
  may_overdraw: Type.Optional(
    Type.Boolean({ description: 'A debit: below what the credit limit allows, too.' }),
  ),
})
export type AdjustmentOrder = Static<typeof AdjustmentOrder>

export const AdjustmentDone = Type.Object({
  ledger_id: Type.Integer(),
  amount: Usd,
  balance: Usd,
  is_repeat: Type.Boolean({ description: 'The key was used before: nothing changed now.' }),
})

/** What an account can sign in with. */
export const WaysIn = Type.Object({
  has_password: Type.Boolean(),
  two_factor: Type.Boolean({ description: 'Whether a code is asked for, too.' }),
  passkeys: Type.Integer(),
  providers: Type.Array(Text),
})
export type WaysIn = Static<typeof WaysIn>

export const NewPassword = Type.Object({
  new_password: Type.String({
    maxLength: 1000,
    description: 'Of the account: 10 to 256 characters.',
  }),
  ...Proof.properties,
})
export type NewPassword = Static<typeof NewPassword>

export const AccountRemoval = Type.Object({
  email: Type.String({ maxLength: 320, description: 'Its e-mail once more, to be sure.' }),
  revision: Type.Optional(Type.String({ maxLength: 100 })),
})

export const LedgerFilter = Type.Object({
  kind: Type.Optional(oneOf(['all', 'by_hand'])),
  sort: SortBy(['created_at'], newestFirst),
})
