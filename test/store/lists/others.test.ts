import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  type AccountFilter,
  type AuditFilter,
  BadCursor,
  type LedgerFilter,
  type ListedAttempt,
  type ListedAttemptFilter,
  type ListedTokenFilter,
} from '../../../src/store/ports/lists.ts'
import type { LedgerEntry } from '../../../src/store/ports/records.ts'
import { madeStart } from '../../support/made-ledger.ts'
import { eachEngine } from '../each-engine.ts'
import { collect, now } from '../support.ts'
import { createMadeStore, type MadeStore, readPages, sizeOfPages } from './scene.ts'

const hourMs = 3_600_000
eachEngine((_open, name) => {
  let made: MadeStore

  beforeAll(async () => {
    made = await createMadeStore(500, name)
  })
  afterAll(() => made[Symbol.asyncDispose]())

  const span = { since: madeStart + 30 * hourMs, until: madeStart + 90 * hourMs }

  describe('attempts', () => {
    let all: (Omit<ListedAttempt, 'account' | 'accountId'> & { readonly usageRaw: unknown })[]
    beforeAll(async () => {
      const filter = { channelIds: [1, 2], requestAgeMs: 0 }
      const { lists, records: exported } = made.store
      const rows = await collect(lists.exportRequests({}))
      const places = new Map(rows.map(({ requestId, id }) => [requestId, id]))
      const place = ({ requestId, position }: { requestId: string; position: number }) =>
        (places.get(requestId) ?? 0) * 100 + position
      const records = await collect(exported.attempts(filter))
      all = records
        .map(({ request, isLast: _, ...attempt }) => {
          const { requestId, model } = request
          return { ...attempt, requestId, model }
        })
        .sort((a, b) => place(b) - place(a))
    })

    type Case = readonly [string, ListedAttemptFilter, (one: ListedAttempt) => boolean]
    test.each<Case>([
      ['all', {}, () => true],
      ['of a channel', { channel: 'second' }, ({ channel }) => channel === 'second'],
      ['of no channel', { channel: 'third' }, () => false],
      ['failed', { outcome: 'failed' }, ({ cause }) => cause !== null],
      ['succeeded', { outcome: 'succeeded' }, ({ cause }) => cause === null],
      ['with a cause', { cause: 'upstream_error' }, ({ cause }) => cause === 'upstream_error'],
      ['since a time', { since: span.since }, ({ startedAt }) => startedAt >= span.since],
      [
        'failed of a channel since a time',
        { outcome: 'failed', channel: 'first', since: span.since },
        (one) => one.cause !== null && one.channel === 'first' && one.startedAt >= span.since,
      ],
    ])('%s come once, newest first', async (_, filter, fits) => {
      const expected = all.filter((one) => fits({ ...one, account: '', accountId: 0 }))
      for (const size of [sizeOfPages(expected.length, 3), 1_000]) {
        const list = (page: object) => made.store.lists.attempts(filter, { size, ...page })
        const rows = await readPages(list, size)
        const upwards = (page: object) => list({ ...page, isAscending: true })
        expect(await readPages(upwards, size)).toEqual(rows.toReversed())
        expect(rows.map(({ account: _, accountId: __, ...row }) => row)).toEqual(
          expected.map(({ usageRaw: _, ...row }) => row),
        )
        expect((await list({})).total).toBe(expected.length)
      }
    })
  })

  describe('the ledger', () => {
    let all: LedgerEntry[]
    let models: ReadonlyMap<string, string | null>
    beforeAll(async () => {
      all = (await collect(made.store.records.exportLedger({}))).sort((a, b) => b.id - a.id)
      const requests = await collect(made.store.lists.exportRequests({}))
      models = new Map(requests.map(({ requestId, model }) => [requestId, model]))
    })
    const modelOf = ({ requestId }: LedgerEntry) => models.get(requestId ?? '') ?? null
    const isIn = ({ createdAt }: LedgerEntry) => createdAt >= span.since && createdAt < span.until
    const email = 'account-9@example.com'

    type Case = readonly [string, LedgerFilter, (entry: LedgerEntry) => boolean]
    test.each<Case>([
      ['all of it', {}, () => true],
      ['an account', { accountId: 9 }, ({ account }) => account === email],
      ['kinds', { kinds: ['credit', 'opening'] }, ({ kind }) => /credit|opening/.test(kind)],
      ['no kind', { kinds: [] }, () => false],
      ['charges', { kinds: ['charge'] }, ({ kind }) => kind === 'charge'],
      [
        'a kind of an account',
        { accountId: 9, kinds: ['debit'] },
        ({ account, kind }) => account === email && kind === 'debit',
      ],
      [
        'charges of an account',
        { accountId: 9, kinds: ['charge'] },
        ({ account, kind }) => account === email && kind === 'charge',
      ],
      ['a span', span, isIn],
      [
        'a span of an account',
        { ...span, accountId: 9 },
        (one) => isIn(one) && one.account === email,
      ],
    ])('%s: comes once, newest first; exported, oldest first', async (_, filter, fits) => {
      const expected = all.filter(fits)
      for (const size of [sizeOfPages(expected.length, 7), 1_000]) {
        const list = (page: object) => made.store.lists.ledger(filter, { size, ...page })
        const rows = await readPages(list, size)
        expect(rows.map(({ model: _, ...entry }) => entry)).toEqual(expected)
        expect(rows.map(({ model }) => model)).toEqual(expected.map(modelOf))
        const upwards = (page: object) => list({ ...page, isAscending: true })
        expect(await readPages(upwards, size)).toEqual(rows.toReversed())
        expect((await list({})).total).toBe(expected.length)
      }
      const exported = await collect(made.store.lists.exportLedger(filter))
      expect(exported).toEqual([...expected].reverse())
    })
  })

  test.each<readonly [AuditFilter, readonly number[]]>([
    [{}, [2, 1]],
    [{ action: 'account.' }, [2, 1]],
    [{ action: 'account.c' }, [1]],
    [{ action: 'account_c' }, []],
    [{ actor: 'command line' }, [2, 1]],
    [{ actor: 'command' }, []],
    [{ subject: 'account-9@example.com' }, [2, 1]],
    [{ subject: 'account-9@example.com', action: 'account.debit' }, [2]],
    [{ subject: 'account-8@example.com' }, []],
    [{ since: madeStart * 2 }, []],
  ])('the audit %j', async (filter, ids) => {
    const list = (page: object) => made.store.lists.audit(filter, { size: 1, ...page })
    const rows = await readPages(list, 1)
    expect(rows.map(({ id }) => id)).toEqual([...ids])
    const own = await made.store.admin.audit(10)
    expect(rows).toEqual(own.filter(({ id }) => ids.includes(id)).reverse())
  })

  test.each<readonly [AccountFilter, readonly number[]]>([
    [{ search: 'COUNT-3' }, [39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 3]],
    [{ search: '%' }, []],
    [{ search: 'account-7@', status: 'active' }, [7]],
    [{ search: 'account-7@', status: 'disabled' }, []],
    [{ role: 'admin' }, []],
  ])('accounts %j', async (filter, ids) => {
    const list = (page: object) => made.store.lists.accounts(filter, { size: 4, ...page })
    const rows = await readPages(list, 4)
    expect(rows.map(({ id }) => id)).toEqual([...ids])
    expect((await list({})).total).toBe(ids.length)
    for (const isAscending of [true, false]) {
      const byName = (page: object) => list({ ...page, isByName: true, isAscending })
      const names = rows.map(({ email }) => email).sort()
      const found = await readPages(byName, 4)
      expect(found.map(({ email }) => email)).toEqual(isAscending ? names : names.reverse())
      expect((await byName({})).total).toBe(ids.length)
    }
    for (const row of rows) {
      expect(row).toEqual((await made.store.admin.account(row.email)) as typeof row)
    }
  })

  test('accounts without a condition are all live ones', async () => {
    const rows = await readPages((page) => made.store.lists.accounts({}, { ...page, size: 12 }), 12)
    expect(rows.map(({ id }) => id).reverse()).toEqual(
      (await made.store.admin.accounts()).map(({ id }) => id),
    )
  })

  test.each<readonly [ListedTokenFilter, readonly number[]]>([
    [{ accountId: 7 }, [35, 34, 33, 32, 31]],
    [{ accountId: 7, search: 'TOKEN-2' }, [33]],
    [{ accountId: 7, group: 'default' }, [35, 34, 33, 32, 31]],
    [{ accountId: 7, group: 'flat' }, []],
    [{ group: 'none' }, []],
    [{ accountId: 7, status: 'disabled' }, []],
  ])('tokens %j', async (filter, ids) => {
    const list = (page: object) => made.store.lists.tokens(filter, { size: 2, ...page })
    const rows = await readPages(list, 2)
    expect(rows.map(({ id }) => id)).toEqual([...ids])
    expect((await list({})).total).toBe(ids.length)
    if (filter.accountId === undefined) return
    const byName = (page: object) => list({ ...page, isByName: true, isAscending: true })
    const names = await readPages(byName, 2)
    expect(names.map(({ name }) => name)).toEqual(rows.map(({ name }) => name).sort())
  })

  test('a cursor of one order is none of the other, and no text that a database refuses', async () => {
    const { accounts } = made.store.lists
    const byName = { size: 2, isByName: true }
    const cursors = ['7', 'n!', `n${Buffer.from('a\0b').toString('base64url')}`]
    for (const cursor of cursors) {
      await expect(accounts({}, { ...byName, cursor })).rejects.toBeInstanceOf(BadCursor)
    }
    const { next } = await accounts({}, byName)
    await expect(accounts({}, { size: 2, cursor: next ?? '' })).rejects.toBeInstanceOf(BadCursor)
  })

  test('a token comes with what was spent by now, and without what only its owner may see', async () => {
    const { rows } = await made.store.lists.tokens({ accountId: 7 }, { size: 10 })
    const spent = await made.store.admin.spending(rows.map(({ id }) => id))
    for (const [at, { spent: own, lastUsedDay, ...row }] of rows.entries()) {
      expect(own).toEqual(spent[at]?.spent ?? own)
      const [stored] = await made.store.admin.tokens({ id: row.id })
      const { keyHash: _, keySealed: __, ...token } = stored ?? {}
      expect<object>(row).toEqual({ ...token, accountId: 7 })
      const requests = await collect(made.store.lists.exportRequests({ tokenId: row.id }))
      const days = requests.map(({ createdAt }) => new Date(createdAt).toISOString().slice(0, 10))
      expect(lastUsedDay).toBe(days.sort().at(-1) ?? null)
    }
    expect(rows.some(({ spent: { totalNano } }) => totalNano > 0)).toBeTrue()
    expect(rows[0]?.spent.day).toBe(new Date(now).toISOString().slice(0, 10))
  })
})
