import { type Clock, utcDay } from '../../lib/clock.ts'
import type { AdminStore } from '../ports/admin.ts'
import type { Edit, EditStore, StoredSettings } from '../ports/edits.ts'
import { parseColumn } from '../schema/columns.ts'
import { sql } from '../schema/sql.ts'
import * as accountEdits from './account-changes.ts'
import * as accounts from './accounts.ts'
import { loadEditable } from './catalog.ts'
import { addAudit, type Change, checkRevision, note, readAudit, revisionOf } from './changes.ts'
import * as channels from './channels.ts'
import * as groups from './groups.ts'
import { adjustBalance, listLedger } from './ledger.ts'
import { setPrice } from './prices.ts'
import { all, type Engine, run, type Steps } from './steps.ts'
import * as tokenEdits from './token-changes.ts'
import { listTokens, spentWith } from './tokens.ts'
import { applyNoted, applyWrites } from './writes.ts'

export function createAdminStore({ read, write }: Engine, clock: Clock): AdminStore {
  return {
    write: (writes, by) =>
      write(() =>
        by ? applyNoted(writes, { now: clock(), edit: by }) : applyWrites(writes, clock()),
      ),
    adjust: (adjustment) => write(() => adjustBalance(adjustment, clock())),
    changeAccount: (change) => write(() => accountEdits.changeAccount(change, clock())),
    changeToken: ({ id, actor, ...fields }) =>
      write(() => tokenEdits.setToken({ now: clock(), edit: { actor } }, { id }, fields)),
    audit: async (limit) =>
      (await read(() => readAudit(sql`ORDER BY id DESC LIMIT ${limit}`))).reverse(),
    ledger: (account, limit) => read(() => listLedger(account, limit)),
    spending: (tokenIds) => read(() => spentWith(tokenIds, utcDay(clock()))),
    accounts: () => read(() => accounts.readCounted()),
    accountsNamed: (emails) => read(() => accounts.findAccounts(emails)),
    accountsAt: (addresses) => read(() => accounts.findAccountsAt(addresses)),
    account: (email) => read(() => accounts.findAccount(email)),
    tokens: (filter) => read(() => listTokens(filter)),
    overdrawn: (filter) => read(() => accounts.readOverdrawn(filter)),
    counts: (atMost) => read(() => accounts.countAccountsAndTokens(atMost)),
  }
}

export function createEdits({ read, write, snapshot }: Engine, clock: Clock): EditStore {
  const change = <Result>(edit: Edit, work: (by: Change) => Steps<Result>): Promise<Result> =>
    write(() => work({ now: clock(), edit }))
  return {
    findAccount: (id) => read(() => accountEdits.readEditableAccount(id)),
    addAccount: (account, edit) => change(edit, (by) => accountEdits.addAccount(by, account)),
    setAccount: (id, fields, edit) => change(edit, (by) => accountEdits.setAccount(by, id, fields)),
    removeAccount: (id, edit) => change(edit, (by) => accountEdits.removeAccount(by, id)),

    findToken: (token) => read(() => tokenEdits.findToken(token, utcDay(clock()))),
    addToken: (token, edit) => change(edit, (by) => tokenEdits.addToken(by, token)),
    setToken: (token, fields, edit) => change(edit, (by) => tokenEdits.setToken(by, token, fields)),
    removeToken: (token, edit) => change(edit, (by) => tokenEdits.removeToken(by, token)),
    restoreToken: (token, edit) => change(edit, (by) => tokenEdits.restoreToken(by, token)),

    editableCatalog: () => snapshot(loadEditable),
    addChannel: (channel, edit) => change(edit, (by) => channels.addChannel(by, channel)),
    setChannel: (id, channel, edit) => change(edit, (by) => channels.setChannel(by, id, channel)),
    removeChannel: (id, { takeOutOfGroups, ...edit }) =>
      change(edit, (by) => channels.removeChannel(by, id, takeOutOfGroups)),
    recoverChannel: (id, edit) => change(edit, (by) => channels.recoverChannel(by, id)),
    addGroup: (group, edit) => change(edit, (by) => groups.addGroup(by, group)),
    setGroup: (id, group, edit) => change(edit, (by) => groups.setGroup(by, id, group)),
    removeGroup: (id, { moveTokensTo, ...edit }) =>
      change(edit, (by) => groups.removeGroup(by, id, moveTokensTo)),
    setPrice: ({ price, replaces, ...edit }) => change(edit, (by) => setPrice(by, price, replaces)),

    storedSettings: () => read(readSettings),
    setSettings: (changes, edit) => change(edit, (by) => setSettings(by, changes)),
    noteChange: (note) => write(() => addAudit({ ...note, createdAt: clock() })),
  }
}

function* readSettings(): Steps<StoredSettings> {
  const rows = yield* all(
    sql<{ name: string; value: string }>`SELECT name, value FROM setting ORDER BY name`,
  )
  const texts = Object.fromEntries(rows.map(({ name, value }) => [name, value]))
  return {
    values: new Map(rows.map(({ name, value }) => [name, parseColumn<unknown>(value)])),
    revision: revisionOf({ all: JSON.stringify(texts) }, ['all']),
  }
}

function* setSettings(
  change: Change,
  changes: ReadonlyMap<string, string | number | boolean | null>,
): Steps<void> {
  const { now, edit } = change
  const before = yield* readSettings()
  checkRevision(edit.revision, before.revision, 'a setting')
  const detail: Record<string, { from: unknown; to: unknown }> = {}
  for (const [name, to] of changes) {
    const from = before.values.get(name) ?? null
    if (from === to) continue
    detail[name] = { from, to }
    yield* run(sql`DELETE FROM setting WHERE name = ${name}`)
    if (to === null) continue
    yield* run(sql`INSERT INTO setting (name, value, updated_at)
      VALUES (${name}, ${JSON.stringify(to)}, ${now})`)
  }
  if (Object.keys(detail).length > 0) yield* note(change, 'settings.set', 'settings', detail)
}
