import { type Static, Type } from '@sinclair/typebox'
import { ListOf, PageQuery } from '../envelope.ts'
import { ExportFormat, oneOf, orNull } from '../shapes.ts'

const LedgerKind = oneOf(['opening', 'charge', 'credit', 'debit'])

export const LedgerEntry = Type.Object({
  id: Type.Integer(),
  created_at: Type.String(),
  kind: LedgerKind,
  amount: Type.String({ description: 'USD, exact and signed: a charge is negative.' }),
  balance_after: Type.String({ description: 'USD, exact.' }),
  request_id: orNull(Type.String(), 'Of a charge.'),
  reason: orNull(Type.String(), 'Of a change by hand.'),
})
export type LedgerEntry = Static<typeof LedgerEntry>

export const LedgerList = ListOf(LedgerEntry)
export type LedgerList = Static<typeof LedgerList>

const which = Type.Object({
  kind: Type.Optional(LedgerKind),
  since: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601 with its offset.' })),
  until: Type.Optional(Type.String({ maxLength: 40, description: 'The same; not included.' })),
})

export const LedgerQuery = Type.Object({ ...PageQuery.properties, ...which.properties })
export type LedgerQuery = Static<typeof LedgerQuery>

/** Which entries to write, and how. */
export const LedgerExportQuery = Type.Composite([
  which,
  Type.Object({ format: Type.Optional(ExportFormat) }),
])
export type LedgerExportQuery = Static<typeof LedgerExportQuery>
