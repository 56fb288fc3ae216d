import { afterAll, expect, test } from 'bun:test'
import { startConsoleScene } from '../support/console-scene.ts'

// What a client sends arrives whole, or is refused: a budget that is written wrong is no token without one.

const scene = await startConsoleScene()
afterAll(scene.stop)

const wrong: readonly (readonly [string, object])[] = [
  ['budget', { budget: 5 }],
  ['budget', { budget: '5' }],
  ['budget', { budget: null }],
  ['limits', { limits: [5] }],
  ['budgets', { budgets: { total: '5' } }],
  ['budget.week', { budget: { week: '5' } }],
  ['constructor', { constructor: 5 }],
]
test.each(wrong)('%s is refused by name in %j', async (field, given) => {
  const order = { name: 'wrong', group: 'default', ...given }
  const made = await scene.ask('user', 'POST', '/api/v1/tokens', order)
  expect(made).toMatchObject({ status: 400, reason: 'invalid_value', field })
  expect(made.message).toStartWith(`${field}: `)
})

test('so it is within lists, and for a body that is none', async () => {
  const channel = { name: 'new', speaks: { chat: 'https://a.example/v1' }, api_keys: ['k'] }
  const models = [{ id: 'one' }, { id: 'two', alias: 'second' }]
  const path = '/api/v1/admin/channels'
  const made = await scene.ask('admin', 'POST', path, { ...channel, models })
  expect(made).toMatchObject({ status: 400, field: 'models[1].alias' })
  const none = await scene.ask('admin', 'PATCH', '/api/v1/admin/accounts/1', [])
  expect(none).toMatchObject({ status: 400 })
})

test('what is nested too deep for a validator is refused before it', async () => {
  const deep = (levels: number): unknown => (levels === 0 ? 'one' : [deep(levels - 1)])
  const order = { name: 'deep', group: 'default', models: deep(6_000) }
  const made = await scene.ask('user', 'POST', '/api/v1/tokens', order)
  expect(made).toMatchObject({ status: 400, reason: 'invalid_value' })
  expect(made.message).toContain('32 levels')
  expect(scene.lines).toEqual([])
})
