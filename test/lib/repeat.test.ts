import { expect, test } from 'bun:test'
import { repeatByTimer } from '../../src/lib/clock.ts'

test('a task is done again and again, until it is ended', async () => {
  let count = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = repeatByTimer(() => {
    if (++count < 3) return
    end()
    resolve()
  }, 1)
  await promise
  await new Promise((done) => setTimeout(done, 20))
  expect(count).toBe(3)
})

test('a process is not kept alive by it', async () => {
  const path = require.resolve('../../src/lib/clock.ts')
  const script = `const { repeatByTimer } = await import(${JSON.stringify(path)}); repeatByTimer(() => {}, 10)`
  const child = Bun.spawn([process.execPath, '-e', script])
  expect(await child.exited).toBe(0)
})
