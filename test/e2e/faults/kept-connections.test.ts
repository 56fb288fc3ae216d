import { expect, test } from 'bun:test'
import { leaveWhenReused, wait } from '../../support/fault/steps.ts'
import { answerWell } from '../../support/fault/well.ts'
import { startChannels } from '../channel-scene.ts'
import { allDialects } from '../dialects.ts'

// Upstreams end connections that were kept, and may do so just when one is used again: the request goes there once
// more, over a new connection. No channel is blamed for it, and none is needed in its place.

// Streams have connections of their own, on which nothing is read ahead of their clients.
const cases = (['end', 'reset'] as const).flatMap((how) =>
  [false, true].map((stream) => [how, stream ? 'streams' : 'whole answers', stream] as const),
)

test.each(cases)(
  'a kept connection that is gone when it is reused is replaced (%s, %s)',
  async (how, _kind, stream) => {
    await using scene = await startChannels({ a: {}, b: { priority: 1 } })
    const { a } = scene.channels
    a.behave((request) => [...answerWell(request), leaveWhenReused(how)])
    for (const dialect of allDialects) {
      const { status, text, attempts } = await scene.ask(dialect, { stream })
      expect(status).toBe(200)
      expect(stream ? dialect.isWhole(text) : text.includes('hello')).toBeTrue()
      expect(attempts).toEqual([{ channel: 'a', cause: null }])
    }
    expect(await scene.cooling()).toEqual([])
  },
)

test('connections are kept while their upstream keeps them', async () => {
  await using scene = await startChannels({ a: {} })
  const { a } = scene.channels
  for (const dialect of allDialects) {
    for (const stream of [false, true]) await scene.ask(dialect, { stream })
  }
  // One carries nothing: by it the gateway finds out whether there is anybody. Streams have one of their own.
  expect(a.connections()).toBe(3)
  a.behave((request) => [wait(10), ...answerWell(request)])
  await Promise.all(allDialects.map((dialect) => scene.ask(dialect)))
  expect(a.connections()).toBeLessThanOrEqual(2 + allDialects.length)
})
