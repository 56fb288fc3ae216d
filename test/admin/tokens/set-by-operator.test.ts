import { afterAll, expect, test } from 'bun:test'
import { people, startConsoleScene } from '../../support/console-scene.ts'

// What an operator takes from a token its owner does not give back to it.

const scene = await startConsoleScene()
afterAll(scene.stop)
const { id: accountId } = (await scene.store.admin.account(people.user)) ?? { id: 0 }

async function issue(body: object = {}) {
  const asked = { group: 'default', ...body }
  const { data } = await scene.ask('user', 'POST', '/api/v1/tokens', asked)
  const { id } = data.token as { id: number }
  return {
    own: (patch: object) => scene.ask('user', 'PATCH', `/api/v1/tokens/${id}`, patch),
    operator: (patch: object) =>
      scene.ask('admin', 'PATCH', `/api/v1/admin/accounts/${accountId}/tokens/${id}`, patch),
  }
}
const statusOf = async (asked: Promise<{ readonly status: number }>) => (await asked).status

test('what an operator has switched off is switched on by an operator', async () => {
  const { own, operator } = await issue()
  await operator({ status: 'disabled' })
  expect(await own({ status: 'active' })).toMatchObject({ status: 403, reason: 'not_allowed' })
  await own({ name: 'renamed' })
  expect(await statusOf(own({ status: 'active' }))).toBe(403)
  expect(await statusOf(operator({ status: 'active' }))).toBe(200)
  for (const status of ['disabled', 'active']) expect(await statusOf(own({ status }))).toBe(200)
})

test.each([
  ['limits', 'rpm', 10, 5, 11],
  ['limits', 'tpm', 1000, 1, 1001],
  ['limits', 'concurrency', 2, 1, 3],
  ['budget', 'total', '2', '1', '2.1'],
  ['budget', 'day', '2', '1', '20'],
  ['budget', 'month', '0', '0', '1'],
])(
  '%s.%s that an operator has set is lowered by its owner, and raised no further',
  async (...row) => {
    const [part, field, set, lower, higher] = row
    const { own, operator } = await issue()
    const to = (value: unknown) => ({ [part]: { [field]: value } })
    expect(await statusOf(own(to(higher)))).toBe(200)
    expect(await statusOf(operator(to(set)))).toBe(200)
    expect(await statusOf(own(to(lower)))).toBe(200)
    for (const value of [higher, null]) expect(await statusOf(own(to(value)))).toBe(403)
    expect(await statusOf(own(to(set)))).toBe(200)
    expect(await statusOf(operator(to(null)))).toBe(200)
    expect(await statusOf(own(to(higher)))).toBe(200)
  },
)

test('so is what one request may cost, which the export tells, too', async () => {
  const { own, operator } = await issue({ name: 'capped', max_cost_per_request: '0.5' })
  const to = (value: string | null) => ({ max_cost_per_request: value })
  expect(await statusOf(own(to('2')))).toBe(200)
  expect((await operator(to('0.25'))).data).toMatchObject(to('0.25'))
  expect(await statusOf(own(to('0.1')))).toBe(200)
  for (const value of ['0.3', null]) expect(await statusOf(own(to(value)))).toBe(403)
  const unfit = { status: 400, field: 'max_cost_per_request', fault: 'unfit_amount' }
  for (const value of ['-1', 'much', '']) expect(await own(to(value))).toMatchObject(unfit)
  const [row] = (await scene.store.admin.audit(100)).slice(-1)
  const change = { from: 250_000_000, to: 100_000_000 }
  expect(row).toMatchObject({ action: 'token.set', detail: { max_cost_nano: change } })
  const file = await scene.send('admin', 'GET', '/api/v1/admin/config.yaml')
  expect(await file.text()).toMatch(/name: capped\n(.+\n)+? +max_cost_per_request: "0\.1"\n/)
})

test('so is what a token had when an operator made it', async () => {
  const path = `/api/v1/admin/accounts/${accountId}/tokens`
  const asked = { group: 'default', limits: { rpm: 10 } }
  const { data } = await scene.ask('admin', 'POST', path, asked)
  const { id } = data.token as { id: number }
  const own = (rpm: number | null) =>
    statusOf(scene.ask('user', 'PATCH', `/api/v1/tokens/${id}`, { limits: { rpm } }))
  expect([await own(5), await own(11), await own(null), await own(10)]).toEqual([
    200, 403, 403, 200,
  ])
})

test('what its owner alone has set is its owner’s', async () => {
  const { own } = await issue({ limits: { rpm: 1 }, budget: { total: '1' } })
  expect(await statusOf(own({ limits: { rpm: null }, budget: { total: null } }))).toBe(200)
})
