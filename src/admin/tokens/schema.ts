import { type Static, Type } from '@sinclair/typebox'
import { ListOf, PageQuery } from '../envelope.ts'
import { CheckedLimitsChange, LimitsView } from '../limits.ts'
import { orNull, Status } from '../shapes.ts'

const usd = Type.String({ maxLength: 40, description: 'USD, exact.' })
const usdOrNull = orNull(usd, 'USD; null: no limit.')
/** A token as lists show it: without its key. */
export const ListedToken = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  key_hint: Type.String({ description: 'How its key begins and ends.' }),
  group: Type.String(),
  status: Status,
  models: Type.Array(Type.String(), { description: 'Empty: all of its group.' }),
  ip_allow: Type.Array(Type.String(), { description: 'Addresses and CIDR blocks; empty: any.' }),
  strict: Type.Boolean({ description: 'Refuses what translation would leave out.' }),
  expires_at: orNull(Type.String({ description: 'Null: never.' })),
  budget: Type.Object({ total: usdOrNull, day: usdOrNull, month: usdOrNull }),
  limits: LimitsView,
  spent: Type.Object({ total: usd, day: usd, month: usd }, { description: 'By the UTC day.' }),
  last_used_day: orNull(Type.String({ description: 'UTC day; null: never.' })),
  created_at: Type.String(),
})
export type ListedToken = Static<typeof ListedToken>

/** A token with what is needed to change it. */
export const TokenDetails = Type.Composite([
  ListedToken,
  Type.Object({
    revision: Type.String({ description: 'To be named by who changes it.' }),
    in_file: Type.Boolean({ description: 'tollgate.yaml names it, and writes it at each start.' }),
  }),
])
export type TokenDetails = Static<typeof TokenDetails>

/** A page of tokens. */
export const TokenList = ListOf(ListedToken)
export type TokenList = Static<typeof TokenList>

/** Which tokens to list. */
export const TokenQuery = Type.Object({
  ...PageQuery.properties,
  search: Type.Optional(Type.String({ maxLength: 200, description: 'Part of name or hint.' })),
  group: Type.Optional(Type.String({ maxLength: 200 })),
  status: Type.Optional(Status),
})
export type TokenQuery = Static<typeof TokenQuery>

const fields = {
  models: Type.Array(Type.String({ maxLength: 200 }), { maxItems: 500 }),
  ip_allow: Type.Array(Type.String({ maxLength: 100 }), { maxItems: 500 }),
  strict: Type.Boolean(),
  expires_at: orNull(Type.String({ maxLength: 40, description: 'ISO 8601 with its offset.' })),
  budget: Type.Partial(Type.Object({ total: usdOrNull, day: usdOrNull, month: usdOrNull })),
  limits: CheckedLimitsChange,
}
const name = Type.String({ maxLength: 200 })
const group = Type.String({ maxLength: 200 })

/** A token to be made: what is left out is not limited. */
export const NewToken = Type.Object({
  name: Type.Optional(Type.String({ maxLength: 200, description: 'Else: the next token-1, …' })),
  group,
  ...Type.Partial(Type.Object(fields)).properties,
})
export type NewToken = Static<typeof NewToken>

/** What is to be changed of a token: what is left out stays. */
export const TokenPatch = Type.Object({
  revision: Type.Optional(Type.String({ maxLength: 40 })),
  ...Type.Partial(Type.Object({ name, group, status: Status, ...fields })).properties,
})
export type TokenPatch = Static<typeof TokenPatch>

/** A token that was just made, with its key. */
export const IssuedToken = Type.Object({ token: TokenDetails, key: Type.String() })
export type IssuedToken = Static<typeof IssuedToken>

/** A key, in the clear. */
export const RevealedKey = Type.Object({ key: Type.String() })
