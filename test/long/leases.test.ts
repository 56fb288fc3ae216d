import { test } from 'bun:test'
import { runSchedules } from '../leases/schedules.ts'
import { rounds } from '../support/rounds.ts'

// A million schedules in a long run, in parts: `test/leases/simulation.test.ts` says what they promise.

const parts = 20
const each = rounds(300, 50_000)

for (let part = 0; part < parts; part++) {
  test(`schedules of leases, part ${part + 1} of ${parts}`, () => {
    runSchedules(10_000 + part * each, each)
  })
}
