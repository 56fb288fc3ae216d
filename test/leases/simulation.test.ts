import { expect, test } from 'bun:test'
import { runSchedules } from './schedules.ts'
import { runSchedule } from './simulation.ts'

// The promises that every schedule is held to, after each step: what requests hold and have cost is never
// more than the balance of their account, nor than the budget of their token, but for overruns and what was under way on
// a node that was taken for dead. At the end all is stored once, and nothing stays leased.

test('in any order of messages and faults, no more is promised than there is', () => {
  runSchedules(1, 4_000)
})

test('most requests of an account in use begin on a lease', () => {
  let leased = 0
  let all = 0
  for (let seed = 1; seed <= 500; seed++) {
    const { requests } = runSchedule(seed)
    all += requests.filter(({ moneys: [account] }) => account?.openingNano === 10_000).length
    leased += requests.filter(({ wasLeased }) => wasLeased).length
  }
  expect(leased / all).toBeGreaterThan(0.1)
})
