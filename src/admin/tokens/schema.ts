import { type Static, Type } from '@sinclair/typebox'
import { Status } from '../../resources/kinds.ts'
import { patchProperties, viewProperties } from '../../resources/resource.ts'
import { tokenFields } from '../../resources/token.ts'
import { ListOf, PageQuery } from '../envelope.ts'
import { newestFirst, orNull, SortBy } from '../shapes.ts'

const usd = Type.String({ maxLength: 40, description: 'USD, exact.' })
export const ListedToken = Type.Object({
  id: Type.Integer(),
  key_hint: Type.String({ description: 'How its key begins and ends.' }),
  ...viewProperties(tokenFields),
  spent: Type.Object({ total: usd, day: usd, month: usd }, { description: 'By the UTC day.' }),
  last_used_day: orNull(Type.String({ description: 'UTC day; null: never.' })),
  created_at: Type.String(),
})
export type ListedToken = Static<typeof ListedToken>

export const TokenDetails = Type.Composite([
  ListedToken,
  Type.Object({
    revision: Type.String({ description: 'Send it with a change, so that conflicts are found.' }),
    in_file: Type.Boolean({ description: 'tollgate.yaml names it, and writes it at each start.' }),
  }),
])
export type TokenDetails = Static<typeof TokenDetails>

export const TokenList = ListOf(ListedToken)
export type TokenList = Static<typeof TokenList>

export const TokenQuery = Type.Object({
  ...PageQuery.properties,
  search: Type.Optional(Type.String({ maxLength: 200, description: 'Part of name or hint.' })),
  group: Type.Optional(Type.String({ maxLength: 200 })),
  status: Type.Optional(Status),
  sort: SortBy(['created_at', 'name'], newestFirst),
})
export type TokenQuery = Static<typeof TokenQuery>

const { status, ...fields } = patchProperties(tokenFields)

/** A new token: its default name is the next free one. */
export const NewToken = Type.Object({
  ...fields,
  group: Type.Optional(fields.group, false),
})
export type NewToken = Static<typeof NewToken>

export const TokenPatch = Type.Object({
  revision: Type.Optional(Type.String({ maxLength: 40 })),
  ...fields,
  status,
})
export type TokenPatch = Static<typeof TokenPatch>

export const IssuedToken = Type.Object({ token: TokenDetails, key: Type.String() })
export type IssuedToken = Static<typeof IssuedToken>

export const RevealedKey = Type.Object({ key: Type.String() })
