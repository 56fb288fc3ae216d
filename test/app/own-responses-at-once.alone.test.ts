import { afterAll, beforeAll, expect, test } from 'bun:test'
import { allDialects, type Dialect } from '../e2e/dialects.ts'
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
  let [longest, last, isOver] = [0, performance.now(), false]
  const watching = (async () => {
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve))
      const now = performance.now()
      longest = Math.max(longest, now - last)
      last = now
    }
  })()
  await work()
  isOver = true
  await watching
  return longest
}

test('many conversations that are continued at once hold others up about as long as one', async () => {
  const ask = (body: object) => scene.gateway.ask('/v1/responses', { model, ...body })
  const input = Array.from({ length: 5_000 }, () => ({ role: 'user', content: 'x'.repeat(1_000) }))
  const { id } = (await (await ask({ input })).json()) as { id: string }
  const goOn = async () => {
    const answer = await ask({ input: 'Go on.', previous_response_id: id, store: false })
    expect(answer.status).toBe(200)
    await answer.text()
  }
  const timesOf = async (count: number) => {
    const times: number[] = []
    for (let round = 0; round < 3; round++) {
      times.push(await longestStop(() => Promise.all(Array.from({ length: count }, goOn))))
    }
    return Math.min(...times)
  }
  await goOn()
  const ofOne = await timesOf(1)
  // One after the other: what they hold up together, without a pause, is not the sum of them.
  expect((await timesOf(32)) / ofOne).toBeLessThan(8)
}, 60_000)
