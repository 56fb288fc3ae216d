import { expect, test } from 'bun:test'
import { createPauses, inSlices } from '../../src/lib/slices.ts'

function* work(steps: number, stepMs: number): Generator<void, number> {
  for (let at = 0; at < steps; at++) {
    const end = performance.now() + stepMs
    while (performance.now() < end);
    yield
  }
  return steps
}

test('lets others run while it works, and gives the result', async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  expect(await inSlices(work(60, 1))).toBe(60)
  clearInterval(timer)
  expect(turns).toBeGreaterThan(3)
})

test('short work is done without a pause, and a failure is passed on', async () => {
  let paused = false
  setImmediate(() => {
    paused = true
  })
  expect(await inSlices(work(3, 0))).toBe(3)
  expect(paused).toBe(false)
  // biome-ignore lint/correctness/useYield: it fails before it could.
  const failing = (function* (): Generator<void, number> {
    throw new Error('broken')
  })()
  await expect(inSlices(failing)).rejects.toThrow('broken')
})

test('pauses let others run within a loop that never waits, and short loops have none', async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const pauses = createPauses()
  for (let at = 0; at < 60; at++) {
    for (const end = performance.now() + 1; performance.now() < end; );
    await pauses()
  }
  clearInterval(timer)
  expect(turns).toBeGreaterThan(3)
  let paused = false
  setImmediate(() => {
    paused = true
  })
  await createPauses()()
  expect(paused).toBe(false)
})
