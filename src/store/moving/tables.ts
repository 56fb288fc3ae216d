import type { MovedTable } from '../ports/copies.ts'
import { StoreError } from '../ports/store-error.ts'

const byId = (name: string, money: readonly string[] = []): MovedTable => ({
  name,
  key: ['id'],
  money,
})

/** All tables that are moved from store to store: what is named by others comes before these. */
export const movedTables: readonly MovedTable[] = [
  byId('account', ['balance_nano', 'reserved_nano']),
  byId('channel'),
  byId('group'),
  { name: 'group_channel', key: ['group_id', 'position'] },
  byId('token'),
  byId('model_price'),
  { name: 'setting', key: ['name'] },
  byId('credential'),
  byId('session'),
  byId('verification'),
  byId('two_factor'),
  byId('passkey'),
  { name: 'used_code', key: ['account_id', 'code_hash'] },
  byId('audit'),
  { name: 'cooling', key: ['channel_id', 'key', 'model'] },
  { name: 'availability', key: ['size', 'started_at', 'group_id', 'model'] },
  { name: 'usage_day', key: ['token_id', 'day', 'model'], money: ['amount_nano'] },
  {
    name: 'usage_total',
    key: ['day', 'model'],
    money: ['amount_nano'],
    partsTable: 'usage_total_part',
  },
  // The processes that they were set aside by are no nodes of the new place.
  {
    name: 'reservation',
    key: ['request_id'],
    money: ['amount_nano'],
    without: ['node_id', 'is_open'],
  },
  { name: 'background_answer', key: ['request_id'] },
  { name: 'kept_answer', key: ['answer_id', 'account_id'] },
  byId('ledger', ['amount_nano']),
  byId('request', ['amount_nano']),
  { name: 'attempt', key: ['request_row', 'position'], without: ['request_id'] },
]

/** Tables that stay where they are, and why. */
export const leftTables: { readonly [name: string]: string } = {
  node: 'processes that serve from one place: of these none may be left when it is moved',
  document: 'of PostgreSQL alone: what nodes build anew from the other tables',
  token_spending:
    'of PostgreSQL alone: sums of usage_day and reservation, made when they are needed',
  response: 'kept for a day at the most: who continues one sends the whole conversation instead',
  response_share: 'sums of response',
  program: 'made with the tables',
  schema_version: 'of PostgreSQL alone, and made with the tables',
  unfinished_move: 'the mark of a move itself',
}

/** How statements name it. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A list of names, as statements have it. */
export const quotedList = (names: readonly string[]): string => names.map(quoted).join(', ')

/** What one who opens the target of an unfinished move is told. */
export const unfinished = (place: string): StoreError =>
  new StoreError(
    `The database ${place} is not whole: moving another one into it was begun and not finished. Run ` +
      '"tollgate migrate" again as before: it goes on where it was. To give it up, remove this ' +
      'database.',
  )
