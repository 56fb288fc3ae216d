import { expect, test } from 'bun:test'
import { createEnding } from '../../src/app/ending.ts'
import type { Logger } from '../../src/lib/log.ts'

function createScene() {
  const told: unknown[] = []
  const error: Logger['error'] = (message, fields) => told.push([message, fields])
  return { told, ending: createEnding({ info: () => {}, warn: () => {}, error }) }
}

const never = new Promise<void>(() => {})

test('what hangs, or fails, does not keep what comes behind it, and is named', async () => {
  const { told, ending } = createScene()
  const done: string[] = []
  await ending.step('one', () => done.push('one'), 60_000)
  await ending.step('a silent store', () => never, 1)
  await ending.step('one that throws', () => Promise.reject(new Error('no')), 60_000)
  await ending.step(
    'one that throws at once',
    () => {
      throw new Error('never')
    },
    60_000,
  )
  await ending.step('two', async () => done.push('two'), 60_000)
  expect(done).toEqual(['one', 'two'])
  expect(ending.left).toEqual(['a silent store', 'one that throws', 'one that throws at once'])
  expect(told).toEqual([
    ['the stop does not wait any longer', { for: 'a silent store', limit_ms: 1 }],
    ['a step of the stop has failed', { step: 'one that throws', error: 'Error: no' }],
    ['a step of the stop has failed', { step: 'one that throws at once', error: 'Error: never' }],
  ])
})

test('tells what it waits for', async () => {
  const { ending } = createScene()
  const { promise, resolve } = Promise.withResolvers<void>()
  expect(ending.now()).toBeUndefined()
  const step = ending.step('settlements', () => promise, 60_000)
  expect(ending.now()).toBe('settlements')
  resolve()
  await step
  expect(ending.now()).toBeUndefined()
})
