import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mostSessions, type SignInCondition } from '../../../src/store/ports/sign-in.ts'
import { type AnyStore, eachEngine, type TestStore } from '../each-engine.ts'
import { accountWrite, now } from '../support.ts'

eachEngine((open, engine) => {
  const hour = 3_600_000
  let opened: TestStore
  let store: AnyStore

  const is = (column: string, value: string | number): SignInCondition => ({
    ...{ column, value, operator: 'eq', connector: 'AND' },
  })

  /** A session of the account 1, its cookie's hash `hash`. */
  const session = (hash: string, more: object = {}) => ({
    ...{ account_id: 1, token_hash: hash, expires_at: now + hour },
    ...{ created_at: now, updated_at: now, ...more },
  })

  afterEach(() => opened[Symbol.asyncDispose]())
  beforeEach(async () => {
    opened = await open(() => now, 'empty')
    store = opened.store
    await store.admin.write({ accounts: [accountWrite({ password: { hash: 'h', mark: 'm' } })] })
  })

  describe('a session', () => {
    test('counts until it expires', async () => {
      await store.signIn.records.create('session', session('one'))
      expect(await store.signIn.session('one', now)).toEqual({
        ...{ id: 1, accountId: 1, email: 'ann@example.com', role: 'user', isVouched: true },
        ...{ createdAt: now, expiresAt: now + hour },
      })
      expect(await store.signIn.session('one', now + hour)).toBeUndefined()
      expect(await store.signIn.session('two', now)).toBeUndefined()
    })

    test.each([
      ['disabled', () => store.admin.write({ accounts: [accountWrite({ status: 'disabled' })] })],
      ['removed', () => store.admin.write({ remove: { accounts: ['ann@example.com'] } })],
      [
        'given another password',
        () =>
          store.admin.write({ accounts: [accountWrite({ password: { hash: 'x', mark: 'y' } })] }),
      ],
    ])('ends for good when its account is %s', async (_, change) => {
      await store.signIn.records.create('session', session('one'))
      await change()
      expect(await store.signIn.session('one', now)).toBeUndefined()
      await store.admin.write({ accounts: [accountWrite()] })
      expect(await store.signIn.session('one', now)).toBeUndefined()
    })

    test('goes on when its account is written as it is, and has its new role at once', async () => {
      await store.signIn.records.create('session', session('one'))
      await store.admin.write({ accounts: [accountWrite({ role: 'admin' })] })
      expect(await store.signIn.session('one', now)).toMatchObject({ role: 'admin' })
    })

    test('is listed without its hash, and ended alone or with all others', async () => {
      await store.admin.write({ accounts: [accountWrite({ email: 'bob@example.com' })] })
      for (const hash of ['one', 'two', 'three'])
        await store.signIn.records.create('session', session(hash))
      await store.signIn.records.create('session', session('other', { account_id: 2 }))
      const listed = await store.signIn.sessions(1, now)
      expect(listed.map(({ id }) => id)).toEqual([3, 2, 1])
      expect(JSON.stringify(listed)).not.toContain('two')
      expect(await store.signIn.endSessions(1, { id: 4 })).toBe(0)
      expect(await store.signIn.endSessions(1, { id: 2 })).toBe(1)
      expect(await store.signIn.endSessions(1, { except: 3 })).toBe(1)
      expect(await store.signIn.sessions(1, now)).toHaveLength(1)
      expect(await store.signIn.sessions(2, now)).toHaveLength(1)
    })
  })

  test("an account has so many sessions: another one ends its oldest, and no other account's", async () => {
    await store.admin.write({ accounts: [accountWrite({ email: 'bob@example.com' })] })
    await store.signIn.records.create('session', session('of bob', { account_id: 2 }))
    for (let at = 0; at <= mostSessions; at++)
      await store.signIn.records.create('session', session(`session ${at}`))
    expect(await store.signIn.session('session 0', now)).toBeUndefined()
    expect(await store.signIn.session('session 1', now)).toBeDefined()
    expect(await store.signIn.session('of bob', now)).toBeDefined()
    expect(await store.signIn.sessions(1, now)).toHaveLength(mostSessions)
  })

  test.each(['ANN@example.com', 'Ann@Example.Com'])(
    'no second account is written for %s: capital letters make no other address',
    async (email) => {
      const writing = store.admin.write({ accounts: [accountWrite({ email, role: 'admin' })] })
      await expect(writing).rejects.toThrow('there is an account "ann@example.com" already')
      expect(await store.admin.accounts()).toHaveLength(1)
      await store.admin.write({ remove: { accounts: ['ann@example.com'] } })
      await store.admin.write({ accounts: [accountWrite({ email })] })
      expect(await store.admin.account(email)).toMatchObject({ email })
    },
  )

  describe('the rows of the sign-in library', () => {
    const { records } = { records: () => store.signIn.records }

    test('an account is found in any case, unless it may not sign in', async () => {
      const find = () =>
        records().find('account', { where: [is('email', 'ANN@example.com')], limit: 1 })
      expect(await find()).toMatchObject([{ id: 1, email: 'ann@example.com', email_verified: 1 }])
      await store.admin.write({ accounts: [accountWrite({ status: 'disabled' })] })
      expect(await find()).toEqual([])
      await store.admin.write({ accounts: [accountWrite()] })
      await store.admin.write({ remove: { accounts: ['ann@example.com'] } })
      expect(await find()).toEqual([])
    })

    test('an account that signs up is a user with nothing', async () => {
      const row = { email: 'new@example.com', email_verified: 0, created_at: now }
      expect(await records().create('account', row)).toMatchObject({ id: 2, ...row })
      expect(await store.admin.account('new@example.com')).toMatchObject({
        ...{ role: 'user', status: 'active', balanceNano: 0, passwordMark: null },
      })
      expect(records().create('account', row)).rejects.toThrow(
        engine === 'SQLite' ? 'UNIQUE' : 'unique constraint',
      )
      expect(records().create('account', { ...row, role: 'admin' })).rejects.toThrow('no column')
      expect(records().remove('account', [])).rejects.toThrow('not removed')
    })

    test('conditions are all of these and one of those', async () => {
      for (const [at, hash] of ['a', 'b', 'c', 'd'].entries())
        await records().create('session', session(hash, { expires_at: now + at }))
      const found = async (...where: SignInCondition[]) =>
        (await records().find('session', { where, limit: 9 })).map((row) => row.token_hash).join('')
      const or = { connector: 'OR' } as const
      expect(await found()).toBe('abcd')
      expect(await found({ ...is('expires_at', now + 1), operator: 'gt' })).toBe('cd')
      expect(await found({ ...is('expires_at', now + 1), operator: 'lte' })).toBe('ab')
      expect(await found({ ...is('token_hash', 'a'), operator: 'ne' })).toBe('bcd')
      expect(await found({ ...is('token_hash', ''), operator: 'in', value: ['b', 'x', 'd'] })).toBe(
        'bd',
      )
      expect(await found({ ...is('id', 1), operator: 'not_in', value: [1, 2] })).toBe('cd')
      expect(await found({ ...is('address', ''), value: null })).toBe('abcd')
      const any = [is('token_hash', 'a'), is('token_hash', 'c')].map((one) => ({ ...one, ...or }))
      expect(await found(...any)).toBe('ac')
      expect(await found({ ...is('expires_at', now), operator: 'gt' }, ...any)).toBe('c')
      expect(found(is('token_hash" OR 1', 'a'))).rejects.toThrow('no column')
      const order = { column: 'expires_at', descending: true }
      const page = await records().find('session', { where: [], limit: 2, offset: 1, order })
      expect(page.map((row) => row.token_hash)).toEqual(['c', 'b'])
      expect(await records().count('session', any)).toBe(2)
    })

    test('one of several who ask gets a row that is there once', async () => {
      const row = {
        identifier: 'code',
        value: '1',
        expires_at: now,
        created_at: now,
        updated_at: now,
      }
      await records().create('verification', row)
      const where = [is('identifier', 'code')]
      const both = [
        records().consume('verification', where),
        records().consume('verification', where),
      ]
      expect((await Promise.all(both)).map((one) => one?.value)).toEqual(['1', undefined])
    })

    test('a number grows where the condition still holds', async () => {
      const secret = { account_id: 1, secret: 's', backup_codes: 'b', verified: 1 }
      await records().create('two_factor', secret)
      const where = [is('id', 1), { ...is('failed_count', 2), operator: 'lt' } as const]
      const grow = () => records().updateOne('two_factor', where, {}, { failed_count: 1 })
      const counts = await Promise.all([grow(), grow(), grow()])
      const grown = counts.map((row) => row?.failed_count)
      // Where they really run at once, nobody says which is the first.
      expect(engine === 'SQLite' ? grown : grown.toSorted()).toEqual([1, 2, undefined])
    })
  })

  describe('the first administrator', () => {
    const make = (email: string) => store.signIn.makeAdministrator(email, 'hash')
    const actions = async () => (await store.admin.audit(9)).map(({ action }) => action)

    test('is made once', async () => {
      expect(await store.signIn.hasAdministrator()).toBe(false)
      expect(await make('root@example.com')).toBe('created')
      expect(await store.signIn.hasAdministrator()).toBe(true)
      expect(await make('other@example.com')).toBe('closed')
      expect(await store.admin.account('root@example.com')).toMatchObject({ role: 'admin' })
      expect(await actions()).toEqual(['account.first_admin'])
    })

    test('may be an account without a password, but no other', async () => {
      const none = { email: 'Op@example.com', role: 'admin' } as const
      const off = { email: 'off@example.com', status: 'disabled' } as const
      await store.admin.write({ accounts: [accountWrite(none), accountWrite(off)] })
      expect(await store.signIn.hasAdministrator()).toBe(false)
      expect(await make('ann@example.com')).toBe('taken')
      expect(await make('off@example.com')).toBe('taken')
      expect(await make('op@EXAMPLE.com')).toBe('promoted')
      expect(await store.signIn.passwordHash(2)).toBe('hash')
    })

    test('counts only while it can sign in', async () => {
      await make('root@example.com')
      const off = accountWrite({ email: 'root@example.com', role: 'admin', status: 'disabled' })
      await store.admin.write({ accounts: [off] })
      expect(await store.signIn.hasAdministrator()).toBe(false)
    })
  })

  test('a password set by hand ends sessions, keeps the mark and leaves an audit row', async () => {
    await store.signIn.records.create('session', session('one'))
    const change = { account: 'ann@example.com', actor: 'command line' }
    await store.signIn.setPassword({ ...change, passwordHash: 'new' })
    expect(await store.signIn.session('one', now)).toBeUndefined()
    expect(await store.signIn.passwordHash(1)).toBe('new')
    expect(await store.admin.account('ann@example.com')).toMatchObject({ passwordMark: 'm' })
    const [entry] = await store.admin.audit(1)
    expect(entry).toMatchObject({
      action: 'account.password',
      subject: 'ann@example.com',
      detail: {},
    })
  })

  test('a removed account leaves nothing to sign in with', async () => {
    const secret = { account_id: 1, secret: 's', backup_codes: 'b', verified: 1 }
    await store.signIn.records.create('two_factor', secret)
    await store.admin.write({ remove: { accounts: ['ann@example.com'] } })
    for (const table of ['credential', 'two_factor'] as const)
      expect(await store.signIn.records.count(table, [])).toBe(0)
  })
})
