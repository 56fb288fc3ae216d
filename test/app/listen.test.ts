import { expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { listen } from '../../src/app/listen.ts'

test('an app that has been closed is held by nobody', async () => {
  const waiting = () => process.listenerCount('beforeExit')
  const before = waiting()
  const listening = listen(new Elysia().get('/', 'here'), { host: '127.0.0.1', port: 0 })
  expect(await (await fetch(listening.url)).text()).toBe('here')
  await listening.close()
  expect(waiting()).toBe(before)
})
