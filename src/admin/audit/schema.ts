import { type Static, Type } from '@sinclair/typebox'
import { PageQuery, SearchedListOf } from '../envelope.ts'
import { orNull } from '../shapes.ts'

const value = (description: string) => Type.Optional(orNull(Type.String(), description))

export const AuditChange = Type.Object({
  name: Type.String(),
  from: value('Null: there was none. Absent: not shown.'),
  to: value('Null: there is none now. Absent: not shown.'),
})
export type AuditChange = Static<typeof AuditChange>

export const AuditItem = Type.Object({
  id: Type.Integer(),
  created_at: Type.String(),
  actor: Type.String({ description: 'An e-mail, or `command line`.' }),
  action: Type.String({ description: 'What was done: account.credit, token.set …' }),
  subject: Type.String({ description: "The account's e-mail, `token 3`, a name." }),
  changes: Type.Array(AuditChange, { description: 'Secrets are redacted.' }),
})
export type AuditItem = Static<typeof AuditItem>

export const AuditList = SearchedListOf(AuditItem)

export const AuditQuery = Type.Composite([
  PageQuery,
  Type.Object({
    actor: Type.Optional(Type.String({ minLength: 1, maxLength: 320 })),
    action: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'How the action begins.' }),
    ),
    subject: Type.Optional(Type.String({ minLength: 1, maxLength: 320 })),
    since: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601; or a day, UTC.' })),
  }),
])
