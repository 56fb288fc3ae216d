import { sql } from 'kysely'
import { type Clock, utcDay } from '../../lib/clock.ts'
import type { AdminStore } from '../ports/admin.ts'
import type { Edit, EditStore } from '../ports/edits.ts'
import {
  addAccount,
  changeAccount,
  readEditableAccount,
  removeAccount,
  setAccount,
} from './account-changes.ts'
import {
  countAccountsAndTokens,
  findAccount,
  findAccounts,
  findAccountsAt,
  listAccounts,
  readOverdrawn,
} from './accounts.ts'
import { loadEditable } from './catalog.ts'
import { addAudit, type Change, readAudit } from './changes.ts'
import { addChannel, recoverChannel, removeChannel, setChannel } from './channels.ts'
import { addGroup, removeGroup, setGroup } from './groups.ts'
import { adjustBalance, listLedger } from './ledger.ts'
import { setPrice } from './prices.ts'
import { readSettings, setSettings } from './settings.ts'
import type { Engine, Steps } from './steps.ts'
import { addToken, findToken, removeToken, restoreToken, setToken } from './token-changes.ts'
import { listTokens, spentWith } from './tokens.ts'
import { applyNoted, applyWrites } from './writes.ts'

/** Managing accounts and tokens: each change is one transaction. */
export function createAdminStore({ read, write }: Engine, clock: Clock): AdminStore {
  return {
    write: (writes, by) =>
      write(() =>
        by ? applyNoted(writes, { now: clock(), edit: by }) : applyWrites(writes, clock()),
      ),
    adjust: (adjustment) => write(() => adjustBalance(adjustment, clock())),
    changeAccount: (change) => write(() => changeAccount(change, clock())),
    changeToken: ({ id, actor, ...fields }) =>
      write(() => setToken({ now: clock(), edit: { actor } }, { id }, fields)),
    audit: async (limit) =>
      (await read(() => readAudit(sql`ORDER BY id DESC LIMIT ${limit}`))).reverse(),
    ledger: (account, limit) => read(() => listLedger(account, limit)),
    spending: (tokenIds) => read(() => spentWith(tokenIds, utcDay(clock()))),
    accounts: () => read(listAccounts),
    accountsNamed: (emails) => read(() => findAccounts(emails)),
    accountsAt: (addresses) => read(() => findAccountsAt(addresses)),
    account: (email) => read(() => findAccount(email)),
    tokens: (filter) => read(() => listTokens(filter)),
    overdrawn: (filter) => read(() => readOverdrawn(filter)),
    counts: (atMost) => read(() => countAccountsAndTokens(atMost)),
  }
}

/** Changes by hand: each is one transaction, with its audit row. */
export function createEdits({ read, write, snapshot }: Engine, clock: Clock): EditStore {
  const change = <Result>(edit: Edit, work: (by: Change) => Steps<Result>): Promise<Result> =>
    write(() => work({ now: clock(), edit }))
  return {
    findAccount: (id) => read(() => readEditableAccount(id)),
    addAccount: (account, edit) => change(edit, (by) => addAccount(by, account)),
    setAccount: (id, fields, edit) => change(edit, (by) => setAccount(by, id, fields)),
    removeAccount: (id, edit) => change(edit, (by) => removeAccount(by, id)),

    findToken: (token) => read(() => findToken(token, utcDay(clock()))),
    addToken: (token, edit) => change(edit, (by) => addToken(by, token)),
    setToken: (token, fields, edit) => change(edit, (by) => setToken(by, token, fields)),
    removeToken: (token, edit) => change(edit, (by) => removeToken(by, token)),
    restoreToken: (token, edit) => change(edit, (by) => restoreToken(by, token)),

    editableCatalog: () => snapshot(loadEditable),
    addChannel: (channel, edit) => change(edit, (by) => addChannel(by, channel)),
    setChannel: (id, channel, edit) => change(edit, (by) => setChannel(by, id, channel)),
    removeChannel: (id, { takeOutOfGroups, ...edit }) =>
      change(edit, (by) => removeChannel(by, id, takeOutOfGroups)),
    recoverChannel: (id, edit) => change(edit, (by) => recoverChannel(by, id)),
    addGroup: (group, edit) => change(edit, (by) => addGroup(by, group)),
    setGroup: (id, group, edit) => change(edit, (by) => setGroup(by, id, group)),
    removeGroup: (id, { moveTokensTo, ...edit }) =>
      change(edit, (by) => removeGroup(by, id, moveTokensTo)),
    setPrice: ({ price, replaces, ...edit }) => change(edit, (by) => setPrice(by, price, replaces)),

    storedSettings: () => read(readSettings),
    setSettings: (changes, edit) => change(edit, (by) => setSettings(by, changes)),
    noteChange: (note) => write(() => addAudit({ ...note, createdAt: clock() })),
  }
}
