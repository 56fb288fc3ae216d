import { afterAll, expect, test } from 'bun:test'
import { version } from '../../../package.json'
import { startConsoleScene } from '../../support/console-scene.ts'
import { jsonAnswer } from '../../support/fake-upstream.ts'

const path = '/api/v1/admin/nodes'
const scene = await startConsoleScene()
afterAll(scene.stop)

async function only(): Promise<Record<string, unknown>> {
  const { status, data } = await scene.ask('admin', 'GET', path)
  expect(status).toBe(200)
  const items = data.items as Record<string, unknown>[]
  expect(items).toHaveLength(1)
  return items[0] ?? {}
}

test('a process that serves alone is its only node, and says that it is', async () => {
  const { data } = await scene.ask('admin', 'GET', path)
  expect(data).toMatchObject({ database: ':memory:', is_shared: false })
  expect(await only()).toMatchObject({
    ...{ version, is_this: true, is_alive: true, leads: true, counting: 'alone' },
    ...{ silent_seconds: 0, requests: 0, streams: 0, requests_per_minute: 0 },
    ...{ reserved_requests: 0, reserved: '0', processes: [] },
  })
  expect((await only()).memory_bytes).toBeGreaterThan(1e6)
})

test('what is under way is told, with what is set aside for it', async () => {
  const answer = Promise.withResolvers<void>()
  scene.upstream.handle(async () => {
    await answer.promise
    return jsonAnswer({})
  })
  const asked = scene.chat()
  while ((await only()).reserved_requests !== 1) await Bun.sleep(5)
  const node = await only()
  expect(node).toMatchObject({ requests: 1, streams: 0, requests_per_minute: 1 })
  expect(Number(node.reserved)).toBeGreaterThan(0)
  answer.resolve()
  await (await asked).text()
  await scene.tollgate.settled()
  expect(await only()).toMatchObject({ requests: 0, requests_per_minute: 1, reserved: '0' })
})

test('nodes are for administrators', async () => {
  expect((await scene.send(null, 'GET', path)).status).toBe(401)
  expect((await scene.send('user', 'GET', path)).status).toBe(403)
})
