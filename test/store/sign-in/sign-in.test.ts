import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mostPending, mostSessions } from '../../../src/store/ports/sign-in.ts'
import { type AnyStore, eachEngine, type TestStore } from '../each-engine.ts'
import { accountWrite, now } from '../support.ts'

eachEngine((open) => {
  const hour = 3_600_000
  let opened: TestStore
  let store: AnyStore

  /** Begins a session of the account 1, its cookie's hash `hash`. */
  const begin = (tokenHash: string, more: object = {}) =>
    store.signIn.startSession({
      ...{ accountId: 1, tokenHash, expiresAt: now + hour, address: 'a', userAgent: 'u', ...more },
    })

  afterEach(() => opened[Symbol.asyncDispose]())
  beforeEach(async () => {
    opened = await open(() => now, 'empty')
    store = opened.store
    await store.admin.write({ accounts: [accountWrite({ password: { hash: 'h', mark: 'm' } })] })
  })

  describe('a session', () => {
    test('counts until it expires', async () => {
      await begin('one')
      expect(await store.signIn.session('one', now)).toEqual({
        ...{ id: 1, accountId: 1, email: 'ann@example.com', role: 'user', isVouched: true },
        ...{ createdAt: now, expiresAt: now + hour },
      })
      expect(await store.signIn.session('one', now + hour)).toBeUndefined()
      expect(await store.signIn.session('two', now)).toBeUndefined()
    })

    test.each([
      ['disabled', () => store.admin.write({ accounts: [accountWrite({ status: 'disabled' })] })],
      [
        'disabled in the console',
        () => store.edits.setAccount(1, { status: 'disabled' }, { actor: 'root@example.com' }),
      ],
      ['removed', () => store.admin.write({ remove: { accounts: ['ann@example.com'] } })],
      [
        'given another password',
        () =>
          store.admin.write({ accounts: [accountWrite({ password: { hash: 'x', mark: 'y' } })] }),
      ],
    ])('ends for good when its account is %s', async (_, change) => {
      await begin('one')
      await change()
      expect(await store.signIn.session('one', now)).toBeUndefined()
      await store.admin.write({ accounts: [accountWrite()] })
      expect(await store.signIn.session('one', now)).toBeUndefined()
    })

    test('goes on when its account is written as it is, and has its new role at once', async () => {
      await begin('one')
      await store.admin.write({ accounts: [accountWrite({ role: 'admin' })] })
      expect(await store.signIn.session('one', now)).toMatchObject({ role: 'admin' })
    })

    test('is listed without its hash, and ended alone or with all others', async () => {
      await store.admin.write({ accounts: [accountWrite({ email: 'bob@example.com' })] })
      for (const hash of ['one', 'two', 'three']) await begin(hash)
      await begin('other', { accountId: 2 })
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
    await begin('of bob', { accountId: 2 })
    for (let at = 0; at <= mostSessions; at++) await begin(`session ${at}`)
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

  test('a new session forgets those of its account that are over', async () => {
    await begin('over', { expiresAt: now })
    await begin('one')
    expect(await opened.rows('SELECT token_hash FROM session')).toEqual([{ token_hash: 'one' }])
  })

  describe('an account', () => {
    test('is found in any case, unless it may not sign in', async () => {
      const find = () => store.signIn.account({ email: 'ANN@example.com' })
      const ann = { id: 1, email: 'ann@example.com', passwordHash: 'h', hasSecondFactor: false }
      expect(await find()).toEqual(ann)
      await store.admin.write({ accounts: [accountWrite({ status: 'disabled' })] })
      expect([await find(), await store.signIn.account({ id: 1 })]).toEqual([undefined, undefined])
      await store.admin.write({ accounts: [accountWrite()] })
      await store.admin.write({ remove: { accounts: ['ann@example.com'] } })
      expect(await find()).toBeUndefined()
    })

    test('that registers itself is a user with nothing, and takes no address of another', async () => {
      const entry = { email: 'New@example.com', name: 'New', passwordHash: 'h' }
      expect(await store.signIn.openAccount(entry)).toMatchObject({ id: 2, passwordHash: 'h' })
      expect(await store.admin.account('new@example.com')).toMatchObject({
        ...{ role: 'user', status: 'active', balanceNano: 0, passwordMark: null, isVouched: false },
      })
      for (const email of ['NEW@example.com', 'ann@example.com'])
        expect(await store.signIn.openAccount({ ...entry, email })).toBeUndefined()
    })

    test('is opened once by several who want it at once', async () => {
      const entry = { email: 'new@example.com', name: 'New', passwordHash: 'h' }
      const all = [1, 2, 3].map(() => store.signIn.openAccount(entry))
      const opened = (await Promise.all(all)).map((account) => account?.id)
      expect(opened.filter((id) => id !== undefined)).toEqual([2])
    })
  })

  describe('an identity', () => {
    const identity = { provider: 'p', subject: 's', email: 'Ann@example.com', name: 'Ann' }
    const enter = (more: object = {}, mayOpen = false) =>
      store.signIn.accountOf({ ...identity, isVerified: true, ...more }, mayOpen)

    test('is linked where both sides have checked the address, and stays so', async () => {
      expect(await enter({ isVerified: false })).toBe('account_not_linked')
      expect(await enter()).toMatchObject({ id: 1 })
      expect(await enter({ isVerified: false, email: 'other@example.com' })).toMatchObject({
        id: 1,
      })
      const { providers } = await store.signIn.waysIn(1)
      expect(providers).toEqual([{ provider: 'p', createdAt: now }])
    })

    test('does not get an account that somebody registered with its address', async () => {
      const entry = { email: 'bob@example.com', name: '', passwordHash: 'h' }
      await store.signIn.openAccount(entry)
      expect(await enter({ email: 'bob@example.com' }, true)).toBe('account_not_linked')
    })

    test('opens an account only where that is allowed, vouched for as it was checked', async () => {
      const email = 'new@example.com'
      expect(await enter({ email })).toBe('signup_disabled')
      expect(await enter({ email, isVerified: false }, true)).toMatchObject({ id: 2, email })
      expect(await store.admin.account(email)).toMatchObject({ isVouched: false, role: 'user' })
      await enter({ email })
      expect(await store.admin.account(email)).toMatchObject({ isVouched: true })
    })

    test('of a disabled account opens nothing', async () => {
      await enter()
      await store.admin.write({ accounts: [accountWrite({ status: 'disabled' })] })
      expect(await enter({}, true)).toBe('account_disabled')
    })

    test('is taken away, but never the last way in, nor the password', async () => {
      await enter({ email: 'new@example.com' }, true)
      expect(await store.signIn.unlink(2, 'p')).toBe(false)
      // Nor are two names at one provider, where there is nothing else.
      await enter({ email: 'new@example.com', subject: 'second' }, true)
      expect(await store.signIn.unlink(2, 'p')).toBe(false)
      await enter({ subject: 'other' })
      expect(await store.signIn.unlink(1, 'credential')).toBe(false)
      expect([await store.signIn.unlink(1, 'p'), await store.signIn.unlink(1, 'p')]).toEqual([
        ...[true, false],
      ])
      expect(await store.signIn.waysIn(1)).toMatchObject({ hasPassword: true, providers: [] })
    })
  })

  describe('what was begun', () => {
    const keep = (more: object = {}) =>
      store.signIn.keepPending({ id: 'x', accountId: 1, data: '', expiresAt: now + 1, ...more })

    test.each([
      { accountId: 1, data: '' },
      { accountId: 1, data: '{"a": 1}' },
      { accountId: null, data: '{"a": 1}' },
    ])('comes back as it was, once: %j', async (pending) => {
      await keep(pending)
      const kept = { id: 'x', ...pending, expiresAt: now + 1 }
      expect(await store.signIn.pending('x')).toEqual([kept])
      const both = await Promise.all([1, 2].map(() => store.signIn.takePending('x')))
      expect(both.filter((one) => one !== undefined)).toEqual([kept])
    })

    test('is over in time, and forgotten when the next is kept', async () => {
      await keep({ expiresAt: now })
      expect(await store.signIn.takePending('x')).toBeUndefined()
      await keep({ expiresAt: now })
      await keep({ id: 'y' })
      expect(await opened.rows('SELECT identifier FROM verification')).toEqual([
        ...[{ identifier: 'y' }],
      ])
    })

    test('is one of so many of its account: the oldest goes, and no other account pays', async () => {
      await keep({ id: 'other', accountId: 11, data: '' })
      await keep({ id: 'begun', accountId: 1, data: '{}' })
      await keep({ id: 'nobody', accountId: null, data: '{}' })
      for (let count = 0; count < mostPending + 3; count++)
        await keep({ id: `device ${count}`, accountId: 1, data: '' })
      const left = await opened.rows('SELECT identifier FROM verification ORDER BY id')
      const names = left.map((row) => Reflect.get(row, 'identifier'))
      expect(names.slice(0, 4)).toEqual(['other', 'begun', 'nobody', 'device 3'])
      expect(names).toHaveLength(3 + mostPending)
      for (let count = 0; count < mostPending; count++)
        await keep({ id: `flow ${count}`, accountId: 1, data: '{}' })
      expect(await store.signIn.pending('begun')).toEqual([])
      expect(await store.signIn.pending('flow 0')).toHaveLength(1)
      expect(await store.signIn.pending('device 3')).toHaveLength(1)
    })

    test('ends when its account is signed out everywhere, and no other', async () => {
      for (const [id, accountId] of [
        ['a', 1],
        ['b', 1],
        ['c', 11],
        ['d', null],
      ] as const)
        await keep({ id, accountId, data: id === 'a' ? '' : '1' })
      const change = { account: 'ann@example.com', actor: 'command line' }
      await store.signIn.setPassword({ ...change, passwordHash: 'new' })
      const left = await opened.rows('SELECT identifier FROM verification ORDER BY id')
      expect(left).toEqual([{ identifier: 'c' }, { identifier: 'd' }])
    })
  })

  describe('a second factor', () => {
    const find = () => store.signIn.secondFactor(1)

    test('is offered until it is on', async () => {
      expect(await store.signIn.offerSecondFactor(1, 'first', 'codes')).toBe(true)
      expect(await store.signIn.offerSecondFactor(1, 'second', 'codes')).toBe(true)
      expect(await find()).toMatchObject({ secret: 'second', isOn: false })
      // The one that was proved is turned on, not the one that took its place since.
      expect(await store.signIn.turnOnSecondFactor(1, 'first')).toBe(false)
      expect(await store.signIn.account({ id: 1 })).toMatchObject({ hasSecondFactor: false })
      expect(await store.signIn.turnOnSecondFactor(1, 'second')).toBe(true)
      expect(await store.signIn.turnOnSecondFactor(1, 'second')).toBe(false)
      expect(await store.signIn.offerSecondFactor(1, 'third', 'codes')).toBe(false)
      expect(await find()).toMatchObject({ secret: 'second', isOn: true })
      expect(await store.signIn.account({ id: 1 })).toMatchObject({ hasSecondFactor: true })
      await store.signIn.removeSecondFactor(1)
      expect(await store.signIn.account({ id: 1 })).toMatchObject({ hasSecondFactor: false })
    })

    test('is locked by so many wrong codes in a row, however many come at once', async () => {
      await store.signIn.offerSecondFactor(1, 's', 'c')
      const wrong = () => store.signIn.noteWrongCode(1, { after: 3, ms: 10 })
      await Promise.all([wrong(), wrong()])
      expect(await find()).toMatchObject({ lockedUntil: null })
      await store.signIn.takeCode(1, 'right')
      await Promise.all([wrong(), wrong()])
      expect(await find()).toMatchObject({ lockedUntil: null })
      await wrong()
      expect(await find()).toMatchObject({ lockedUntil: now + 10 })
      await Promise.all([wrong(), wrong()])
      // A right code that was looked at before the lock, and comes after it, opens nothing.
      expect(await store.signIn.takeCode(1, 'late')).toBe(false)
      expect(await find()).toMatchObject({ lockedUntil: now + 10 })
      await opened.change(`UPDATE two_factor SET locked_until = ${now}`)
      await wrong()
      expect(await find()).toMatchObject({ lockedUntil: null })
    })

    test('spends a backup code once: of two who change the codes one does', async () => {
      await store.signIn.offerSecondFactor(1, 's', 'c')
      const both = ['d', 'e'].map((to) => store.signIn.replaceBackupCodes(1, 'c', to))
      expect((await Promise.all(both)).toSorted()).toEqual([false, true])
    })
  })

  test('a passkey is its own, and its counter moves once', async () => {
    const key = { credentialId: 'k', publicKey: 'p', counter: 1, deviceType: 'singleDevice' }
    const more = { accountId: 1, name: 'n', isBackedUp: false, transports: 'usb', aaguid: '' }
    expect(await store.signIn.addPasskey({ ...key, ...more })).toBe(1)
    expect(await store.signIn.addPasskey({ ...key, ...more })).toBeUndefined()
    const passkey = { id: 1, counter: 1 }
    const both = [2, 2].map((counter) => store.signIn.countPasskey(passkey, counter))
    expect((await Promise.all(both)).toSorted()).toEqual([false, true])
    expect(await store.signIn.passkey('k')).toMatchObject({ accountId: 1, counter: 2 })
    expect(await store.signIn.removePasskey(2, 1)).toBe(false)
    expect(await store.signIn.removePasskey(1, 1)).toBe(true)
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
    await begin('one')
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

  test.each([
    ['its owner', 'set', 'ann@example.com', 1],
    ['an operator', 'set', 'command line', 0],
    ['the configuration', 'written', '', 0],
    ['nobody: the same one is kept with a better hash', 'marked', '', 1],
  ])('other ways in after a password of %s', async (_, way, actor, left) => {
    const key = { credentialId: 'k', publicKey: 'p', counter: 1, deviceType: 'singleDevice' }
    const more = { name: 'n', isBackedUp: false, transports: 'usb', aaguid: '' }
    await store.admin.write({ accounts: [accountWrite({ email: 'bob@example.com' })] })
    await store.signIn.addPasskey({ accountId: 1, ...key, ...more })
    await store.signIn.addPasskey({ accountId: 2, ...key, ...more, credentialId: 'other' })
    const identity = { provider: 'company', subject: '1', name: '', isVerified: true }
    await store.signIn.accountOf({ ...identity, email: 'ann@example.com' }, false)
    const password = way === 'marked' ? { mark: 'better' } : { hash: 'new', mark: 'new' }
    if (way !== 'set') await store.admin.write({ accounts: [accountWrite({ password })] })
    else await store.signIn.setPassword({ account: 'ann@example.com', passwordHash: 'new', actor })
    const ways = await store.signIn.waysIn(1)
    expect(ways).toMatchObject({ hasPassword: true })
    expect([ways.passkeys.length, ways.providers.length]).toEqual([left, left])
    expect((await store.signIn.waysIn(2)).passkeys).toHaveLength(1)
  })

  test('a removed account leaves nothing to sign in with', async () => {
    await store.signIn.offerSecondFactor(1, 's', 'c')
    await store.admin.write({ remove: { accounts: ['ann@example.com'] } })
    for (const table of ['credential', 'two_factor'])
      expect(await opened.rows(`SELECT * FROM ${table}`)).toEqual([])
  })
})
