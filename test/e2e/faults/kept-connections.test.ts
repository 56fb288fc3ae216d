import { expect, test } from 'bun:test'
import { leaveWhenReused, wait } from '../../support/fault/steps.ts'
import { answerWell } from '../../support/fault/well.ts'
import { startChannels } from '../channel-scene.ts'
import { allDialects } from '../dialects.ts'

// Upstreams end connections that were kept, and may do so just when one is used again. The request
// may have reached them: it is for another channel then, as after any lost connection.

test.each(['end', 'reset'] as const)(
  'a kept connection that is gone when it is reused (%s): another channel answers',
  async (how) => {
    await using scene = await startChannels({ a: {}, b: { priority: 1 } })
    const { a } = scene.channels
    a.behave((request) => [...answerWell(request), leaveWhenReused(how)])
    for (const dialect of allDialects) {
      for (const stream of [false, true]) {
        const { status, text, attempts } = await scene.ask(dialect, { stream })
        expect(status).toBe(200)
        expect(stream ? dialect.isWhole(text) : text.includes('hello')).toBeTrue()
        const isFresh = attempts.length === 1
        expect(attempts).toEqual(
          isFresh
            ? [{ channel: 'a', cause: null }]
            : [
                { channel: 'a', cause: 'connection_lost' },
                { channel: 'b', cause: null },
              ],
        )
      }
    }
    // It answers every second time: failures with answers between them are not in a row.
    expect(a.count()).toBe(allDialects.length)
    expect(await scene.cooling()).toEqual([])
  },
)

test('connections are kept while their upstream keeps them', async () => {
  await using scene = await startChannels({ a: {} })
  const { a } = scene.channels
  for (const dialect of allDialects) {
    for (const stream of [false, true]) await scene.ask(dialect, { stream })
  }
  // One carries nothing: by it the gateway finds out whether there is anybody.
  expect(a.connections()).toBe(2)
  a.behave((request) => [wait(10), ...answerWell(request)])
  await Promise.all(allDialects.map((dialect) => scene.ask(dialect)))
  expect(a.connections()).toBeLessThanOrEqual(1 + allDialects.length)
})
