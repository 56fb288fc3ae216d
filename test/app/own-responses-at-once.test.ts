import { afterAll, beforeAll, expect, test } from 'bun:test'
import { allDialects, type Dialect } from '../e2e/dialects.ts'
import { watchHoldUps } from '../support/cpu-time.ts'
import { model, Scene } from './own-responses-scene.ts'

// A request of some bytes may stand for a conversation of megabytes: many of them from one account are
// its own burden, and hold nobody else up.

const [chat] = allDialects.filter(({ name }) => name === 'chat') as [Dialect]
let scene: Scene
beforeAll(async () => {
  scene = await new Scene(chat).start()
})
afterAll(() => scene.stop())

/** The longest time for which nothing else could be done while work was under way, in milliseconds. */
async function longestStop(work: () => Promise<unknown>): Promise<number> {
  const watch = watchHoldUps()
  await work()
  return watch.stop()
}

test('many conversations that are continued at once hold others up about as long as one', async () => {
  const ask = (body: object) => scene.gateway.ask('/v1/responses', { model, ...body })
  const input = Array.from({ length: 3_000 }, () => ({ role: 'user', content: 'x'.repeat(1_000) }))
  const { id } = (await (await ask({ input })).json()) as { id: string }
  const goOn = async () => {
    const answer = await ask({ input: 'Go on.', previous_response_id: id, store: false })
    expect(answer.status).toBe(200)
    await answer.text()
  }
  const stopOf = (count: number) =>
    longestStop(() => Promise.all(Array.from({ length: count }, goOn)))
  await goOn()
  // One after the other: what they hold up together, without a pause, is not the sum of them.
  let times = Number.POSITIVE_INFINITY
  for (let round = 0; round < 4 && times >= 8; round++) {
    const ofOne = Math.min(await stopOf(1), await stopOf(1), await stopOf(1))
    times = (await stopOf(32)) / ofOne
    console.log(
      `32 hold others up ${times.toFixed(1)} times as long as one (${ofOne.toFixed(1)} ms)`,
    )
  }
  expect(times).toBeLessThan(8)
}, 240_000)
