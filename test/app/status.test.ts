import { expect, test } from 'bun:test'
import { schemas } from '../../src/app/schemas.ts'
import type { StatusDocument, StatusGroup } from '../../src/site/status/schema.ts'
import { type Dialect, dialects } from '../e2e/dialects.ts'
import { createValidator } from '../site/schemas/ajv.ts'
import { jsonAnswer } from '../support/fake-upstream.ts'
import { type Clocked, startClocked } from './clocked.ts'

const validate = createValidator(schemas.status.content())
const moreGroups = [
  { name: 'idle', channels: ['main'] },
  { name: 'off', channels: ['main'], enabled: false },
]
const chat: Dialect = dialects.chat

/** The status as anybody reads it. */
async function statusOf({ tollgate }: Clocked, query = ''): Promise<StatusDocument['data']> {
  const request = new Request(`http://gateway.example/api/v1/status${query}`)
  const response = await tollgate.app.handle(request)
  const document = (await response.json()) as StatusDocument
  expect([response.status, validate(document)]).toEqual([200, []])
  return document.data
}

async function groupOf(scene: Clocked, name = 'default', query = ''): Promise<StatusGroup> {
  const found = (await statusOf(scene, query)).groups.find((group) => group.name === name)
  if (!found) throw new Error(`no group ${name}`)
  return found
}

/** Asks so many times and reads the answers to their ends; gives their statuses. */
async function askAll(scene: Clocked, times: number, dialect = chat, stream = false) {
  const statuses = []
  for (let i = 0; i < times; i++) {
    const response = await scene.ask(dialect, { stream })
    await response.text()
    statuses.push(response.status)
  }
  return statuses
}

test('what was asked is what is told, for the group and its model, and nothing for the others', async () => {
  await using scene = await startClocked({ start: '2026-11-22T08:00:30Z', moreGroups })
  expect(await askAll(scene, 3)).toEqual([200, 200, 200])
  const { generated_at, groups } = await statusOf(scene)
  expect(generated_at).toBe('2026-11-22T08:00:30.000Z')
  expect(groups.map(({ name, state }) => [name, state])).toEqual([
    ['default', 'operational'],
    ['idle', 'no_data'],
  ])
  const [asked, idle] = groups
  for (const window of ['1h', '24h', '7d', '90d'] as const) {
    expect(asked?.availability[window]).toEqual({ requests: 3, ratio: 1 })
    expect(idle?.availability[window]).toEqual({ requests: 0, ratio: null })
  }
  expect(asked?.models.map(({ name }) => name)).toEqual(['test-model'])
  expect(idle?.models).toEqual([])
  expect(asked?.hours.at(-1)).toEqual({ requests: 3, failed: 0 })
})

test('failures of the upstream count, those of clients do not', async () => {
  await using scene = await startClocked({ start: '2026-11-22T08:00:30Z', moreGroups })
  expect(await askAll(scene, 1)).toEqual([200])
  scene.upstream.handle(() => jsonAnswer({ error: { message: 'broken' } }, 500))
  for (const status of await askAll(scene, 1)) expect(status).toBeGreaterThanOrEqual(500)
  scene.upstream.handle(() =>
    jsonAnswer({ error: { message: 'no', type: 'invalid_request_error' } }, 400),
  )
  scene.at('2026-11-22T08:10:00Z')
  expect(await askAll(scene, 4)).toEqual([400, 400, 400, 400])
  const unknown = await scene.send('/v1/chat/completions', { model: 'nobody', messages: [] })
  expect(unknown.status).toBeGreaterThanOrEqual(400)
  const group = await groupOf(scene)
  expect(group.availability['1h']).toEqual({ requests: 2, ratio: 0.5 })
  expect(group.state).toBe('degraded')
  expect(group.hours.at(-1)).toEqual({ requests: 2, failed: 1 })
  expect(group.models.map(({ name }) => name)).toEqual(['test-model'])
})

test('it is made anew after five seconds, and one group alone has the same figures', async () => {
  await using scene = await startClocked({ start: '2026-11-22T08:00:30Z', moreGroups })
  await askAll(scene, 1)
  expect((await groupOf(scene)).availability['1h'].requests).toBe(1)
  await askAll(scene, 1)
  expect((await groupOf(scene)).availability['1h'].requests).toBe(1)
  expect((await groupOf(scene, 'default', '?group=default')).availability['1h'].requests).toBe(2)
  scene.at('2026-11-22T08:00:35Z')
  const group = await groupOf(scene)
  expect(group).toEqual(await groupOf(scene, 'default', '?group=default'))
  expect(group.availability['1h'].requests).toBe(2)
})

test('the hours, days and windows go on with the clock', async () => {
  await using scene = await startClocked({ start: '2026-11-20T23:59:30Z', moreGroups })
  await askAll(scene, 2)
  expect((await groupOf(scene)).availability['1h'].requests).toBe(2)
  scene.at('2026-11-21T00:59:30Z')
  await askAll(scene, 1)
  const group = await groupOf(scene)
  expect(group.availability).toMatchObject({
    ...{ '1h': { requests: 1 }, '24h': { requests: 3 }, '7d': { requests: 3 } },
  })
  expect(group.hours.slice(-2).map(({ requests }) => requests)).toEqual([2, 1])
  expect(group.days.slice(-2).map(({ requests }) => requests)).toEqual([2, 1])
})

test('a group that is switched off is gone at once, and one that is back has its figures', async () => {
  await using scene = await startClocked({ start: '2026-11-22T08:00:30Z', moreGroups })
  await askAll(scene, 1)
  expect((await groupOf(scene)).availability['1h'].requests).toBe(1)
  await scene.configure({ group: { enabled: false } })
  expect((await statusOf(scene)).groups.map(({ name }) => name)).toEqual(['idle'])
  await scene.configure({ group: { enabled: true } })
  expect((await groupOf(scene)).availability['1h'].requests).toBe(1)
})
