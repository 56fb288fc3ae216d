import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startConsoleScene } from '../../support/console-scene.ts'

// A token is no part of the catalog: who makes one keeps nobody waiting.

let scene: Awaited<ReturnType<typeof startConsoleScene>>
let loads = 0
beforeAll(async () => {
  scene = await startConsoleScene()
  const { load } = scene.store.catalog
  Object.assign(scene.store.catalog, {
    load() {
      loads++
      return load()
    },
  })
})
afterAll(() => scene.stop())

const tokens = '/api/v1/tokens'

test('a token that is made, changed, removed and brought back is in force, without reading the catalog', async () => {
  const { data } = await scene.ask('user', 'POST', tokens, { group: 'default' })
  const { id } = data.token as { id: number }
  const ask = async () => (await scene.chat('test-model', String(data.key))).status
  const change = (body: object) => scene.ask('user', 'PATCH', `${tokens}/${id}`, body)
  expect(await ask()).toBe(200)
  await change({ models: ['other-model'] })
  expect(await ask()).toBe(403)
  await change({ models: [], budget: { total: '0' } })
  expect(await ask()).toBe(401)
  await change({ budget: { total: null }, status: 'disabled' })
  expect(await ask()).toBe(401)
  await change({ status: 'active' })
  expect(await ask()).toBe(200)
  await scene.ask('user', 'DELETE', `${tokens}/${id}`)
  expect(await ask()).toBe(401)
  await scene.ask('user', 'POST', `${tokens}/${id}/restore`)
  expect(await ask()).toBe(200)
  expect(loads).toBe(0)
})

test('a balance that is changed is in force, without reading the catalog', async () => {
  const account = await scene.store.admin.account('user@example.com')
  const path = `/api/v1/admin/accounts/${account?.id}`
  const debit = { amount: '100', reason: 'test', may_overdraw: true }
  expect((await scene.ask('admin', 'POST', `${path}/debit`, debit)).status).toBe(200)
  expect((await scene.chat()).status).toBe(401)
  await scene.ask('admin', 'POST', `${path}/credit`, { amount: '100', reason: 'test' })
  expect((await scene.chat()).status).toBe(200)
  expect(loads).toBe(0)
})

test('many changes of the catalog at once are read together', async () => {
  const make = (name: string) =>
    scene.ask('admin', 'POST', '/api/v1/admin/groups', { name, channels: ['main'] })
  const names = Array.from({ length: 20 }, (_, at) => `group ${at}`)
  const made = await Promise.all(names.map(make))
  expect(made.every(({ status }) => status === 200)).toBe(true)
  // Each reading that had begun did not see all; twice for each: list prices, and the catalog.
  expect(loads).toBeLessThan(2 * names.length)
  const { data } = await scene.ask('admin', 'GET', '/api/v1/groups')
  expect(data.items).toHaveLength(21)
})
