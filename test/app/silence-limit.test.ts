import { expect, test } from 'bun:test'
import { allDialects } from '../e2e/dialects.ts'
import { until } from '../e2e/until.ts'
import { chunk, end, httpBytes, httpHead, write } from '../support/fault/steps.ts'
import { answerWell } from '../support/fault/well.ts'
import { startHeartbeats } from './heartbeat-scene.ts'

// A connection may be silent while a model thinks, and no longer than any other behind the answer: a client
// could keep many of them for nothing.

const scripts = {
  'an answer': answerWell,
  'a refusal': () => [write(httpBytes({ status: 400, body: '{"error":{"message":"no"}}' })), end],
  'a stream that breaks off': () => [
    write(httpHead({ type: 'text/event-stream', framing: 'chunked' })),
    write(chunk(': hello\n\n')),
    end,
  ],
}

const cases = Object.entries(scripts).flatMap(([name, script]) =>
  [false, true].map((stream) => [name, stream ? 'streamed' : 'whole', script, stream] as const),
)

test.each(cases)(
  'behind %s, %s, its connection may be silent for a minute',
  async (_, __, script, stream) => {
    await using scene = await startHeartbeats()
    scene.upstream.handle(script)
    for (const dialect of allDialects) {
      await scene.hear(dialect, stream)
      await until('the limit', () => scene.limits.length === 2)
      expect(scene.limits.splice(0)).toEqual([0, 60])
    }
  },
)

test('behind a stream that fails after heartbeats, too', async () => {
  await using scene = await startHeartbeats()
  for (const dialect of allDialects) {
    scene.upstream.handle(() => [
      scene.untilBeats(dialect, 2),
      write(httpBytes({ status: 400, body: '{"error":{"message":"no"}}' })),
      end,
    ])
    await scene.hear(dialect, true)
    await until('the limit', () => scene.limits.length === 2)
    expect(scene.limits.splice(0)).toEqual([0, 60])
  }
})
