import { describe, expect, test } from 'bun:test'
import { costNano } from '../e2e/dialects.ts'
import { startStorm, type Trick, tricks } from './storm-scene.ts'

// A4: whatever requests look like, an account never goes below zero by more than what one of them costs,
// and no upstream is asked for what is refused.

const balance = 0.01
const both = (trick: Trick) => (trick.streams === false ? [false] : [false, true])
const storms = tricks.flatMap((trick) =>
  both(trick).map((stream) => [trick.name, stream ? 'streamed' : 'whole', trick, stream] as const),
)

describe('A4: 50 requests at once on a cent', () => {
  test.each(storms)('%s, %s', async (_, _how, trick, stream) => {
    await using storm = await startStorm({ balance })
    const shots = Array.from({ length: 50 }, () => ({ trick, stream }))
    const { statuses, asked } = await storm.send(shots)
    const through = statuses.filter((status) => status === 200).length
    // A usual answer has to be covered where it is not streamed: eight of them are not.
    expect(through > 0).toBe(stream || trick.name !== 'several answers without a limit')
    expect(await storm.balanceNano()).toBeGreaterThanOrEqual(-costNano(trick.used))
    expect(asked).toBe(through)
    expect(new Set(statuses.filter((status) => status !== 200))).toBeOneOf([
      new Set(),
      new Set([401]),
      new Set([429]),
      new Set([401, 429]),
    ])
  })
})
