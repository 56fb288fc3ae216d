import { expect, test } from 'bun:test'
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { ask } from './caller.ts'
import { dialects } from './dialects.ts'
import { keyOn, startTranslating } from './translated.ts'

const megabyte = 1_048_576

/** Of an answer that is fetched later its origin is kept for a day: not the request that asked for it. */
test('answers in the background hold nothing of their requests', async () => {
  let made = 0
  await using upstream = startFakeUpstream(() =>
    jsonAnswer({ id: `resp_${made++}`, object: 'response', status: 'queued', background: true }),
  )
  await using gateway = await startTranslating(upstream.url)
  const question = 'x'.repeat(3 * megabyte)
  const key = keyOn(dialects.responses)
  const askMany = async (count: number) => {
    for (let at = 0; at < count; at++) {
      await (await ask(gateway.url, dialects.responses, false, { question, key })).text()
      upstream.clear()
    }
  }
  await askMany(20)
  // What is being collected comes and goes; what is kept grows by at least 3 MB an answer in each round.
  let grown = Number.POSITIVE_INFINITY
  for (let round = 0; round < 6 && grown >= 40 * megabyte; round++) {
    const before = gateway.residentBytes()
    await askMany(30)
    grown = gateway.residentBytes() - before
  }
  expect(grown).toBeLessThan(40 * megabyte)
})
