import { type Static, Type } from '@sinclair/typebox'
import { oneOf, orNull } from '../shapes.ts'

const Text = Type.String()
const Kind = oneOf(['verify', 'backup'])

/** The kinds of differences, one per check: the console translates by them. */
export const differenceKinds = [
  'damage',
  'forbidden',
  'dangling',
  'counts',
  'usage',
  'price',
  'tier',
  'amount',
  'owner',
  'charge_missing',
  'charge_amount',
  'charge_owner',
  'charge_unfounded',
  'entry',
  'balance_after',
  'balance',
  'reserved',
  'spending',
  'reservation',
  'background',
  'day',
  'total',
  'attempts',
] as const

export type DifferenceKind = (typeof differenceKinds)[number]

export const VerifyDifference = Type.Object({
  kind: oneOf(differenceKinds, 'Machine word of the check.'),
  text: Type.String({ description: 'All of it in words: `request req_…: amount_nano is 90, …`.' }),
  changes: Type.Array(Type.Object({ field: Text, stored: Text, expected: Text }), {
    description: 'Fields that hold something else than they should.',
  }),
})
export type VerifyDifference = Static<typeof VerifyDifference>

const VerifyReport = Type.Object({
  valid: Type.Boolean(),
  is_damaged: Type.Boolean({ description: 'The file itself is broken: nothing else was checked.' }),
  requests: Type.Integer(),
  ledger_entries: Type.Integer(),
  accounts: Type.Integer(),
  charged: Type.String({ description: 'USD, the sum of all requests.' }),
  duration_ms: Type.Integer(),
  differences_total: Type.Integer(),
  kinds: Type.Record(Type.String(), Type.Integer()),
  differences: Type.Array(VerifyDifference, { description: 'The first of them.' }),
})

const BackupReport = Type.Object({
  name: Text,
  size_bytes: Type.Integer(),
  requests: Type.Integer(),
  accounts: Type.Integer(),
  ledger_entries: Type.Integer(),
})

export const JobView = Type.Object({
  id: Text,
  kind: Kind,
  state: oneOf(['running', 'done', 'failed', 'cancelled']),
  started_by: Text,
  started_at: Text,
  ended_at: orNull(Text),
  progress: orNull(
    Type.Object({
      part: Text,
      done: Type.Number(),
      total: Type.Number({ description: '0: it is not known how much it is.' }),
    }),
  ),
  failure: orNull(Text),
  verify: orNull(VerifyReport),
  backup: orNull(BackupReport),
})
export type JobView = Static<typeof JobView>

export const JobList = Type.Object({ items: Type.Array(JobView) })
export const NewJob = Type.Object({ kind: Kind })

const BackupView = Type.Object({
  name: Text,
  size_bytes: Type.Integer(),
  created_at: Text,
})
export const BackupList = Type.Object({
  folder: orNull(Text),
  items: Type.Array(BackupView),
})

export const DownloadTicket = Type.Object({
  path: Type.String({ description: 'Where it is, once and for a minute.' }),
})
