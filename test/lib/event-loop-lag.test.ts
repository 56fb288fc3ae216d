import { expect, test } from 'bun:test'
import { createLagMeter } from '../../src/lib/process-state.ts'

function scene() {
  let now = 5_000
  let task = () => {}
  let stopped = false
  const meter = createLagMeter(
    () => now,
    (given) => {
      task = given
      return () => {
        stopped = true
      }
    },
  )
  return {
    meter,
    /** The timer fires so late. */
    fire(lateMs: number) {
      now += 1_000 + lateMs
      task()
    },
    isStopped: () => stopped,
  }
}

test('the longest delay of the last minute is told, an older one is forgotten', () => {
  const { meter, fire } = scene()
  expect(meter.longestMs()).toBe(0)
  fire(40)
  fire(-3)
  fire(15)
  expect(meter.longestMs()).toBe(40)
  for (let i = 0; i < 57; i++) fire(1)
  expect(meter.longestMs()).toBe(40)
  fire(1)
  expect(meter.longestMs()).toBe(15)
})

test('its timer ends with it', () => {
  const { meter, isStopped } = scene()
  meter.stop()
  expect(isStopped()).toBe(true)
})
