import { accountFields } from '../../resources/account.ts'
import { auditedFields, toColumns } from '../../resources/resource.ts'
import { tokenFields } from '../../resources/token.ts'
import type { Writes } from '../ports/admin.ts'
import { mostTokensCounted } from '../ports/edits.ts'
import { sql } from '../schema/sql.ts'
import { markAccountRemoved, writeAccount } from './account-changes.ts'
import { findAccounts } from './accounts.ts'
import { type Change, differences, differingColumns, note } from './changes.ts'
import {
  channelRows,
  groupsWith,
  readChannel,
  removeChannelNamed,
  writeChannel,
} from './channels.ts'
import { groupRows, loadChannelNames, removeGroupNamed, writeGroup } from './groups.ts'
import { countTokens } from './names.ts'
import { loadPrices, removePrice, shownPrice, writePrice } from './prices.ts'
import { inParts, type Steps } from './steps.ts'
import { removeTokenById, writeToken } from './token-changes.ts'
import { readToken, selectTokens } from './tokens.ts'

/** Applies changes in the order in which they name each other. Call it in a transaction. */
export function* applyWrites(writes: Writes, now: number): Steps<void> {
  const leaving = new Set(writes.remove?.tokenIds)
  for (const channel of writes.channels ?? []) yield* writeChannel(channel, now)
  for (const group of writes.groups ?? []) yield* writeGroup(group, now)
  for (const price of writes.prices ?? []) yield* writePrice(price, now)
  for (const account of writes.accounts ?? []) yield* writeAccount(account, now)
  for (const token of writes.tokens ?? []) yield* writeToken(token, { now, leaving })
  yield* removeAll({ ...writes.remove, tokenIds: [...leaving] }, now)
}

/** Removes in the order in which things let go of each other: a group after its tokens. */
function* removeAll(remove: NonNullable<Writes['remove']>, now: number): Steps<void> {
  for (const id of new Set(remove.tokenIds)) yield* removeTokenById(id, now)
  for (const email of new Set(remove.accounts)) yield* markAccountRemoved(email, now)
  for (const name of new Set(remove.groups)) yield* removeGroupNamed(name, now)
  for (const name of new Set(remove.channels)) yield* removeChannelNamed(name, now)
  for (const model of new Set(remove.prices)) yield* removePrice(model, now)
}

/** The same for an actor, with an audit row for each difference. Call it in a transaction. */
export function* applyNoted(writes: Writes, change: Change): Steps<void> {
  const before = yield* lookAt(writes)
  yield* applyWrites(writes, change.now)
  const after = yield* lookAt(writes)
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    yield* noteDifference(change, before.get(key), after.get(key))
  }
}

function* noteDifference(
  change: Change,
  before: Sight | undefined,
  after: Sight | undefined,
): Steps<void> {
  const { kind, subject } = before ?? after ?? {}
  if (subject === undefined) return
  if (after === undefined) return yield* note(change, `${kind}.remove`, subject, before?.gone ?? {})
  const { columns, made } = after
  const changed = differingColumns(before?.columns ?? {}, columns)
  if (Object.keys(changed).length === 0) return
  if (kind === 'price') {
    if ((before === undefined || isOfVendor(before)) && isOfVendor(after)) return
    const action = before && columns.unit === 'none' ? 'price.remove' : 'price.set'
    yield* note(change, action, subject, { from: before?.columns ?? null, to: columns })
  } else if (before === undefined) yield* note(change, `${kind}.create`, subject, made)
  else yield* note(change, `${kind}.set`, subject, differences(before.columns, changed))
}

/** List prices are added automatically for offered models, and change with new versions. */
const isOfVendor = ({ columns }: Sight) => columns.source === 'vendor' && columns.unit !== 'none'

type Detail = Readonly<Record<string, unknown>>

interface Sight {
  readonly kind: 'channel' | 'group' | 'price' | 'account' | 'token'
  readonly subject: string
  /** Compared before and after. */
  readonly columns: Detail
  /** The audit detail when it is new, and when it is removed. */
  readonly made: Detail
  readonly gone: Detail
}

/** The present state of what is to be written or removed, by a key of its own. */
function* lookAt(writes: Writes): Steps<Map<string, Sight>> {
  const sights = [
    ...(yield* channelsOf(writes)),
    ...(yield* groupsOf(writes)),
    ...(yield* pricesOf(writes)),
    ...(yield* accountsOf(writes)),
    ...(yield* tokensOf(writes)),
  ]
  return new Map(sights.map((sight) => [`${sight.kind} ${sight.subject}`, sight]))
}

const namesOf = (
  written: readonly { readonly name: string }[] = [],
  removed: readonly string[] = [],
): ReadonlySet<string> => new Set([...written.map(({ name }) => name), ...removed])

function* channelsOf({ channels, remove }: Writes): Steps<readonly Sight[]> {
  const names = namesOf(channels, remove?.channels)
  if (names.size === 0) return []
  const sights: Sight[] = []
  for (const row of yield* channelRows()) {
    const { id, name, speaks, models } = readChannel(row)
    if (!names.has(name)) continue
    sights.push({
      kind: 'channel',
      subject: `channel ${name}`,
      columns: row,
      made: { id, speaks, models: models.map((model) => model.id) },
      gone: { id, groups: yield* groupsWith(id) },
    })
  }
  return sights
}

function* groupsOf({ groups, remove }: Writes): Steps<readonly Sight[]> {
  const names = namesOf(groups, remove?.groups)
  if (names.size === 0) return []
  const links = yield* loadChannelNames()
  return (yield* groupRows())
    .filter(({ name }) => names.has(name))
    .map((row) => {
      const { id, name, multiplier_millionths } = row
      const channels = links.get(id) ?? []
      return {
        kind: 'group',
        subject: `group ${name}`,
        columns: { ...row, channels },
        made: { id, channels, multiplier_millionths },
        gone: { id },
      }
    })
}

function* pricesOf({ prices = [], remove }: Writes): Steps<readonly Sight[]> {
  const models = new Set([...prices.map(({ model }) => model), ...(remove?.prices ?? [])])
  if (models.size === 0) return []
  return (yield* loadPrices())
    .filter(({ model }) => models.has(model))
    .map((row) => ({
      kind: 'price',
      subject: row.model,
      columns: shownPrice(row),
      // A price is never removed: one with the terms `none` replaces it.
      made: {},
      gone: {},
    }))
}

function* accountsOf({ accounts = [], remove }: Writes): Steps<readonly Sight[]> {
  const leaving = new Set(remove?.accounts)
  const emails = new Set([...accounts.map(({ email }) => email), ...leaving])
  const sights: Sight[] = []
  for (const account of yield* findAccounts([...emails])) {
    const { id, email, role, status, balanceNano, passwordMark } = account
    const tokens = leaving.has(email)
      ? yield* countTokens('account_id', id, mostTokensCounted)
      : undefined
    sights.push({
      kind: 'account',
      subject: email,
      columns: {
        ...toColumns(accountFields, account),
        password_mark: passwordMark,
      },
      made: {
        role,
        status,
        opening_nano: balanceNano,
        ...(passwordMark !== null && { password: 'set' }),
      },
      gone: { balance_nano: balanceNano, tokens },
    })
  }
  return sights
}

function* tokensOf({ tokens = [], remove }: Writes): Steps<readonly Sight[]> {
  const keys = tokens.map(({ keyHash }) => keyHash)
  const written = yield* inParts(keys, (part) => selectTokens(sql`AND token.key_hash IN (${part})`))
  const ids = remove?.tokenIds ?? []
  const removed = yield* inParts(ids, (part) => selectTokens(sql`AND token.id IN (${part})`))
  return [...written, ...removed].map((row) => {
    const token = readToken(row)
    const { id, account, name, group } = token
    return {
      kind: 'token',
      subject: `token ${id}`,
      columns: auditedFields(tokenFields, token),
      made: { account, name, group },
      gone: { account, name },
    }
  })
}
