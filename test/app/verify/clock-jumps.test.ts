import { afterEach, expect, setSystemTime, test } from 'bun:test'
import { describeDifference } from '../../../src/app/verify/findings.ts'
import { dialects, wholeStream } from '../../e2e/dialects.ts'
import { settlement } from '../../store/support.ts'
import { jsonAnswer } from '../../support/fake-upstream.ts'
import { createRandom } from '../../support/random.ts'
import { type Clocked, startClocked, usual } from '../clocked.ts'
import { nothingUsed } from './rows.ts'
import { verifyStore } from './scene.ts'

// The clock is set forwards and backwards, by minutes or days, while requests are served and prices
// change: the records say which price each request was charged by, whatever the clock said.

const start = '2026-11-22T10:00:00Z'
const steps = 160
const dialectNames = ['chat', 'responses', 'messages', 'gemini'] as const

afterEach(() => setSystemTime())

const { inputTokens, outputTokens, cacheReadTokens, calls, usageRaw, amountNano } = nothingUsed
const unused = {
  ...{ inputTokens, outputTokens, reasoningTokens: 0, cacheReadTokens, cacheWriteTokens: 0 },
  ...{ cacheWrite1hTokens: 0, calls, usageRaw, amountNano, priceId: null },
}

/** Serves requests, some of them over several jumps of the clock and changes of the price. */
async function play(clocked: Clocked, random: () => number): Promise<number> {
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item
  const held: (() => void)[] = []
  let now = Date.parse(start)
  clocked.upstream.handle(async ({ json, path }) => {
    const dialect = Object.values(dialects).find((one) => path.startsWith(one.path(false)))
    const { stream = false } = json() as { stream?: boolean }
    const isStreamed = stream || path.includes(':stream')
    const { promise, resolve } = Promise.withResolvers<void>()
    held.push(resolve)
    await promise
    const one = dialect ?? dialects.gemini
    return isStreamed
      ? new Response(wholeStream(one, usual, ['Hello', ' there']))
      : jsonAnswer(one.body(usual))
  })
  const asked: Promise<unknown>[] = []
  const answer = () => held.splice(Math.floor(random() * held.length), 1)[0]?.()
  for (let step = 0; step < steps; step++) {
    const turn = random()
    if (turn < 0.25) {
      const sizeMs = pick([90_000, 3_600_000, 86_400_000, 12 * 86_400_000])
      now += Math.round((random() - 0.5) * 2 * sizeMs)
      setSystemTime(new Date(now))
      clocked.at(new Date(now).toISOString())
    } else if (turn < 0.4) {
      const input = 1 + Math.floor(random() * 9)
      await clocked.configure({ prices: { 'test-model': { input, output: 2 * input } } })
    } else if (turn < 0.75) {
      const [dialect, stream] = [dialects[pick(dialectNames)], random() < 0.5]
      const seen = clocked.upstream.requests.length
      asked.push(clocked.ask(dialect, { stream }).then((one) => one.text()))
      while (clocked.upstream.requests.length === seen) await Bun.sleep(1)
    } else {
      answer()
      await Bun.sleep(1)
    }
  }
  while (held.length > 0) answer()
  await Promise.all(asked)
  await clocked.tollgate.settled()
  return asked.length
}

test.each([1, 2, 3])('nothing differs after the clock has jumped; seed %d', async (seed) => {
  setSystemTime(new Date(start))
  await using clocked = await startClocked({
    start,
    balance: 1_000,
    token: { budget: { total: 500, day: 500, month: 500 } },
  })
  const asked = await play(clocked, createRandom(seed))
  const { verified, found } = await verifyStore(clocked.store.verification)
  expect(found.map(describeDifference)).toEqual([])
  expect(verified.requests).toBe(asked)
})

test('an answer in the background is not overdue because the clock was set forwards and back', async () => {
  await using clocked = await startClocked({ start })
  const { store } = clocked
  const at = (createdAt: number, requestId: string) =>
    settlement({ requestId, createdAt, ending: 'refused', ...unused })
  const now = Date.parse(start)
  const begun = {
    ...{ requestId: 'req_1_fetched', askedId: 'req_1', answerId: 'resp_1', createdAt: now },
    ...{ accountId: 1, tokenId: 1, channelId: 1, keyMark: 'mark', charge: '{}' },
  }
  await store.records.commit({ settle: [{ ...at(now, 'req_1'), begun }] })
  await store.records.commit({ settle: [at(now + 9 * 86_400_000, 'req_2'), at(now, 'req_3')] })
  const { found } = await verifyStore(store.verification)
  expect(found.map(describeDifference)).toEqual([])
})
