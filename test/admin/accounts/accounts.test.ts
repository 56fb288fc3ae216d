import { afterAll, describe, expect, test } from 'bun:test'
import { settlement } from '../../store/support.ts'
import { people, startConsoleScene } from '../../support/console-scene.ts'

const scene = await startConsoleScene()
afterAll(scene.stop)

const accounts = '/api/v1/admin/accounts'
const ask = (method: string, path = '', body?: object) =>
  scene.ask('admin', method, accounts + path, body)
const idOf = async (email: string) => (await scene.store.admin.account(email))?.id ?? 0
const ids = { user: await idOf(people.user), admin: await idOf(people.admin) }
const get = async (id: number) => (await ask('GET', `/${id}`)).data
const newest = async () => (await scene.store.admin.audit(1))[0]
const audits = async () => (await scene.store.admin.audit(1000)).length

describe('who may manage accounts', () => {
  const routes = [
    ['GET', '', undefined],
    ['POST', '', { email: 'x@example.com' }],
    ['GET', `/${ids.user}`, undefined],
    ['PATCH', `/${ids.user}`, { revision: 'x' }],
    ['DELETE', `/${ids.user}`, { email: people.user }],
    ['POST', `/${ids.user}/credit`, { amount: '1', reason: 'x' }],
    ['POST', `/${ids.user}/debit`, { amount: '1', reason: 'x' }],
    ['GET', `/${ids.user}/ledger`, undefined],
  ] as const
  for (const [method, path, body] of routes) {
    test(`${method} ${path || '/'}: administrators only`, async () => {
      expect((await scene.ask(null, method, accounts + path, body)).status).toBe(401)
      expect((await scene.ask('user', method, accounts + path, body)).status).toBe(403)
    })
  }
})

describe('an account that is overdrawn', () => {
  test('is found in the list and the overview, and says since which request', async () => {
    const { store } = scene
    const overview = async () =>
      (await scene.ask('admin', 'GET', '/api/v1/admin/overview')).data.overdrawn
    const found = async () => (await ask('GET', '?balance=overdrawn')).data.items
    expect([await found(), await overview()]).toEqual([[], { count: 0, accounts: [] }])
    expect(await get(ids.user)).toMatchObject({ overdrawn: null, overdrawn_by: null })
    const { balanceNano = 0 } = (await store.admin.account(people.user)) ?? {}
    const charge = { requestId: 'req_dear', accountId: ids.user, amountNano: balanceNano + 5 }
    await store.records.commit({ settle: [settlement(charge)] })
    const account = { id: ids.user, email: people.user, overdrawn: '0.000000005' }
    expect(await found()).toEqual([expect.objectContaining(account)])
    expect(await get(ids.user)).toMatchObject({ ...account, overdrawn_by: 'req_dear' })
    expect(await overview()).toEqual({
      ...{ count: 1, accounts: [{ ...account, request_id: 'req_dear' }] },
    })
    const paid = { account: people.user, actor: 'a test', reason: 'paid', idempotencyKey: null }
    await store.admin.adjust({ ...paid, kind: 'credit', amountNano: balanceNano + 5 })
    expect([await found(), await overview()]).toEqual([[], { count: 0, accounts: [] }])
  })
})

describe('the list', () => {
  test('shows balances and tokens, newest first, and no secret', async () => {
    const { data } = await ask('GET')
    const items = data.items as { email: string }[]
    expect(items.map(({ email }) => email).sort()).toEqual(Object.values(people).sort())
    expect(items.find(({ email }) => email === people.user)).toMatchObject({
      role: 'user',
      status: 'active',
      reserved: '0',
      tokens: 1,
    })
    expect(JSON.stringify(data)).not.toMatch(/argon2|password|mark|hash/)
  })

  test('is searched, filtered and paged', async () => {
    const emails = async (query: string) =>
      ((await ask('GET', query)).data.items as { email: string }[]).map(({ email }) => email)
    expect(await emails('?search=OTHER')).toEqual([people.other])
    expect(await emails('?role=admin')).toEqual([people.admin])
    expect(await emails('?status=disabled')).toEqual([])
    const first = await ask('GET', '?page_size=2')
    expect(first.data).toMatchObject({ total: 3, page: 1 })
    const rest = await ask('GET', `?page_size=2&cursor=${first.data.next}`)
    expect(rest.data).toMatchObject({ page: 2, next: null })
    expect(rest.data.items).toHaveLength(1)
  })
})

describe('making an account', () => {
  test('opens it with its balance and its password', async () => {
    const { status, data } = await ask('POST', '', {
      email: 'new@example.com',
      balance: '12.5',
      credit_limit: '3',
      limits: { rpm: 10 },
      password: 'a long enough password',
    })
    expect(status).toBe(200)
    expect(data).toMatchObject({
      email: 'new@example.com',
      balance: '12.5',
      credit_limit: '3',
      limits: { rpm: 10, tpm: null, concurrency: null },
      is_self: false,
      in_file: false,
    })
    const entry = await newest()
    expect(entry).toMatchObject({ action: 'account.create', detail: { password: 'set' } })
    expect(JSON.stringify(entry)).not.toContain('argon2')
  })

  test('names the field at fault', async () => {
    const refused = async (body: object) => {
      const { status, reason, field } = await ask('POST', '', body)
      return [status, reason, field]
    }
    expect(await refused({ email: 'nobody' })).toEqual([400, 'invalid_value', 'email'])
    expect(await refused({ email: 'NEW@example.com' })).toEqual([409, 'name_taken', 'email'])
    const email = 'more@example.com'
    expect(await refused({ email, balance: '-1' })).toEqual([400, 'invalid_value', 'balance'])
    expect(await refused({ email, balance: '1e999' })).toEqual([400, 'invalid_value', 'balance'])
    expect(await refused({ email, password: 'short' })).toEqual([400, 'invalid_value', 'password'])
    expect((await refused({ email, limits: { rpm: 0 } }))[0]).toBe(400)
    expect(await idOf(email)).toBe(0)
  })
})

describe('changing an account', () => {
  test('changes only what is named', async () => {
    const before = await get(ids.user)
    const patch = { revision: before.revision, credit_limit: '7.25' }
    const { data } = await ask('PATCH', `/${ids.user}`, patch)
    expect(data).toEqual({ ...before, credit_limit: '7.25', revision: data.revision as string })
    expect(data.revision).not.toBe(before.revision as string)
    expect(await newest()).toMatchObject({
      actor: people.admin,
      action: 'account.set',
      subject: people.user,
      detail: { credit_limit_nano: { from: 0, to: 7_250_000_000 } },
    })
  })

  test('sets one limit and leaves the others', async () => {
    const { revision } = await get(ids.user)
    await ask('PATCH', `/${ids.user}`, { revision, limits: { rpm: 5, tpm: 1_000_000 } })
    const next = await get(ids.user)
    const { data } = await ask('PATCH', `/${ids.user}`, {
      revision: next.revision,
      limits: { rpm: null },
    })
    expect(data.limits).toEqual({ rpm: null, tpm: 1_000_000, concurrency: null })
  })

  test('that changes nothing leaves no audit row', async () => {
    const { revision } = await get(ids.user)
    const before = await audits()
    await ask('PATCH', `/${ids.user}`, { revision, role: 'user', credit_limit: '7.250' })
    expect(await audits()).toBe(before)
  })

  test('conflicts with what somebody else has done, and tells it', async () => {
    const { status, reason, data } = await ask('PATCH', `/${ids.user}`, {
      revision: 'of yesterday',
      credit_limit: '1',
    })
    expect([status, reason]).toEqual([409, 'conflict'])
    expect(data).toMatchObject({ credit_limit: '7.25' })
  })

  test('suspending refuses its tokens at once', async () => {
    expect((await scene.chat()).status).toBe(200)
    const { revision } = await get(ids.user)
    const { data } = await ask('PATCH', `/${ids.user}`, { revision, status: 'disabled' })
    expect((await scene.chat()).status).toBeGreaterThanOrEqual(401)
    await ask('PATCH', `/${ids.user}`, { revision: data.revision, status: 'active' })
    expect((await scene.chat()).status).toBe(200)
  })

  test('an administrator keeps the own role and account', async () => {
    const { revision } = await get(ids.admin)
    for (const patch of [{ role: 'user' }, { status: 'disabled' }]) {
      const { status, reason } = await ask('PATCH', `/${ids.admin}`, { revision, ...patch })
      expect([status, reason]).toEqual([403, 'not_allowed'])
    }
    const away = await ask('DELETE', `/${ids.admin}`, { email: people.admin })
    expect([away.status, away.reason]).toEqual([403, 'not_allowed'])
  })

  test('one administrator stays, whoever asks', async () => {
    const edit = { actor: 'somebody' }
    for (const fields of [{ role: 'user' }, { status: 'disabled' }] as const) {
      const work = scene.store.edits.setAccount(ids.admin, fields, edit)
      expect(work).rejects.toThrow('last administrator')
    }
    expect(scene.store.edits.removeAccount(ids.admin, edit)).rejects.toThrow('last administrator')
    expect(await get(ids.admin)).toMatchObject({ role: 'admin', status: 'active' })
  })
})

describe('credit and debit', () => {
  const adjust = (kind: string, body: object) => ask('POST', `/${ids.user}/${kind}`, body)

  test('change the balance exactly, with an entry and an audit row', async () => {
    const before = await scene.store.admin.account(people.user)
    const { data } = await adjust('credit', { amount: '0.000000001', reason: 'a gift' })
    expect(data.is_repeat).toBe(false)
    const after = await scene.store.admin.account(people.user)
    expect((after?.balanceNano ?? 0) - (before?.balanceNano ?? 0)).toBe(1)
    expect(await newest()).toMatchObject({ actor: people.admin, action: 'account.credit' })
    const { data: ledger } = await ask('GET', `/${ids.user}/ledger?kind=by_hand`)
    expect((ledger.items as object[])[0]).toMatchObject({
      kind: 'credit',
      amount: '0.000000001',
      reason: 'a gift',
    })
  })

  test('a double click pays once', async () => {
    const order = { amount: '5', reason: 'paid', idempotency_key: 'form-1' }
    const [one, two] = await Promise.all([adjust('credit', order), adjust('credit', order)])
    expect([one?.data.is_repeat, two?.data.is_repeat].sort()).toEqual([false, true])
    expect(one?.data.balance).toBe(two?.data.balance as string)
    const other = await adjust('credit', { ...order, amount: '6' })
    expect([other.status, other.reason]).toEqual([400, 'invalid_value'])
  })

  test('the header is a key, too', async () => {
    const credit = () =>
      scene.tollgate.app.handle(
        new Request(`http://gateway.example${accounts}/${ids.user}/credit`, {
          method: 'POST',
          headers: {
            'x-test-person': people.admin,
            'content-type': 'application/json',
            'idempotency-key': 'header-1',
          },
          body: JSON.stringify({ amount: '1', reason: 'paid' }),
        }),
      )
    const answers = [await (await credit()).json(), await (await credit()).json()]
    expect(answers.map((one) => (one as { data: { is_repeat: boolean } }).data.is_repeat)).toEqual([
      false,
      true,
    ])
  })

  test('a debit below the credit limit is explained, and allowed on purpose', async () => {
    const order = { amount: '1000', reason: 'chargeback' }
    const { status, reason, field, message } = await adjust('debit', order)
    expect([status, reason, field]).toEqual([409, 'would_overdraw', 'amount'])
    expect(message).toContain('no less than -7.25 USD')
    const { data } = await adjust('debit', { ...order, may_overdraw: true })
    expect(data.balance).toStartWith('-')
  })

  test('need an amount and a reason', async () => {
    for (const [body, wrong] of [
      [{ amount: '0', reason: 'x' }, 'amount'],
      [{ amount: '-1', reason: 'x' }, 'amount'],
      [{ amount: '0.0000000001', reason: 'x' }, 'amount'],
      [{ amount: '1', reason: '  ' }, 'reason'],
      [{ amount: '1', reason: 'two\nlines' }, 'reason'],
    ] as const) {
      const { status, field } = await adjust('credit', body)
      expect([status, field]).toEqual([400, wrong])
    }
  })
})

describe('removing an account', () => {
  test('asks for its e-mail, and takes its tokens along; records stay', async () => {
    const wrong = await ask('DELETE', `/${ids.user}`, { email: 'somebody@example.com' })
    expect([wrong.status, wrong.field]).toEqual([400, 'email'])
    expect((await ask('DELETE', `/${ids.user}`, { email: people.user })).status).toBe(200)
    expect((await ask('GET', `/${ids.user}`)).status).toBe(404)
    expect((await scene.chat()).status).toBe(401)
    expect(await newest()).toMatchObject({ action: 'account.remove', subject: people.user })
    expect((await ask('DELETE', `/${ids.user}`, { email: people.user })).status).toBe(404)
  })
})
