import { describe, expect, test } from 'bun:test'
import { requestIdOf } from '../../e2e/caller.ts'
import { allDialects, dialects } from '../../e2e/dialects.ts'
import { until } from '../../e2e/until.ts'
import { jsonAnswer, sseAnswer } from '../../support/fake-upstream.ts'
import { failedBody } from '../../support/fault/well.ts'
import { type Clocked, startClocked } from '../clocked.ts'
import { begun, inAll, question, streamOf, text } from './bill-scene.ts'
import { tellers } from './told-answers.ts'

// B7: what an attempt that failed says it used is in its row. An answer in another form than the one
// that was asked for is put into that, and charged as any other. Where it can't be, it is of no use to
// its client, but its vendor has made it: it is charged, and no other channel makes it once more.

const start = () => startClocked({ start: '2026-11-21T08:00:00Z', hasFirst: true })

async function receiptOf({ tollgate, store }: Clocked, answer: Response) {
  await answer.text()
  await tollgate.settled()
  return store.records.receipt(requestIdOf(answer))
}

/** What the parts come to: 1,000 × 1,000 + 500 × 2,000. */
const costNano = 2_000_000
const wholeNano = 100_000_000_000

describe.each(allDialects)('$name', (dialect) => {
  const teller = tellers[dialect.name]
  const body = () => jsonAnswer(teller.body('complete', text, inAll))
  const stream = streamOf(begun(teller, inAll) + teller.stop('complete', inAll))

  test.each([
    ['a whole body where a stream was asked for', true, body],
    ['a stream where a whole body was asked for', false, stream],
  ])('B7: %s is charged by its report, and made only once', async (_, streamed, wrong) => {
    await using clocked = await start()
    clocked.upstream.handle(wrong)
    const answer = await clocked.ask(dialect, { stream: streamed, question })
    expect(answer.status).toBe(200)
    const rows = await receiptOf(clocked, answer)
    expect(rows?.attempts).toMatchObject([{ channel: 'first', status: 200, cause: null }])
    const { usageRaw } = rows?.attempts[0] ?? {}
    expect(JSON.parse(usageRaw ?? 'null')).toEqual(JSON.parse(rows?.request.usageRaw ?? ''))
    expect(rows?.request).toMatchObject({
      ...{ ending: 'complete', status: 200, cause: null, estimated: false },
      amountNano: costNano,
    })
    expect(await clocked.balanceNano()).toBe(wholeNano - costNano)
  })

  test('B7: the same without a report costs what came, and its input', async () => {
    await using clocked = await start()
    clocked.upstream.handle(streamOf(begun(teller) + teller.stop('complete')))
    const answer = await clocked.ask(dialect, { stream: false, question })
    expect(answer.status).toBe(200)
    const rows = await receiptOf(clocked, answer)
    expect(rows?.attempts.length).toBe(1)
    expect(rows?.request).toMatchObject({ ending: 'complete', estimated: true, inputTokens: 10 })
    expect(rows?.request.outputTokens).toBe(8)
    expect(await clocked.balanceNano()).toBe(wholeNano - 26_000)
  })

  test('B7: who leaves before it comes pays it, too', async () => {
    await using clocked = await start()
    const { promise, resolve } = Promise.withResolvers<void>()
    clocked.upstream.handle(async () => {
      await promise
      return stream()
    })
    const leaving = new AbortController()
    const coming = clocked.ask(dialect, { question, signal: leaving.signal })
    await until('the upstream is asked', () => clocked.upstream.requests.length > 0)
    leaving.abort()
    resolve()
    await coming.catch(() => {})
    await clocked.tollgate.settled()
    expect(clocked.upstream.requests.length).toBe(1)
    expect(await clocked.balanceNano()).toBe(wholeNano - costNano)
  })

  test('S4: an error in the other form is another channel’s turn, and costs nothing', async () => {
    await using clocked = await start()
    clocked.upstream.handle(() => jsonAnswer(failedBody[dialect.name]('no machines left')))
    const answer = await clocked.ask(dialect, { stream: true })
    expect(answer.status).toBe(502)
    const rows = await receiptOf(clocked, answer)
    expect(rows?.attempts.map(({ channel }) => channel)).toEqual(['first', 'main'])
    expect(rows?.request).toMatchObject({ ending: 'failed', amountNano: 0 })
  })
})

test('B7: Gemini’s stream as an array, where a whole answer was asked for, is charged', async () => {
  await using clocked = await start()
  const { gemini } = dialects
  const parts = begun(tellers.gemini, inAll) + tellers.gemini.stop('complete', inAll)
  const chunks = [...parts.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))
  clocked.upstream.handle(() => jsonAnswer(chunks))
  const answer = await clocked.ask(gemini, { question })
  expect(answer.status).toBe(502)
  expect((await receiptOf(clocked, answer))?.attempts.length).toBe(1)
  expect(await clocked.balanceNano()).toBe(wholeNano - costNano)
})

test('B7: what is no answer at all has a row without usage', async () => {
  await using clocked = await start()
  clocked.upstream.handle(() => sseAnswer('<html>'.repeat(100_000)))
  const [dialect] = allDialects
  if (!dialect) throw new Error('There is no dialect.')
  const answer = await clocked.ask(dialect)
  expect(answer.status).toBe(502)
  const rows = await receiptOf(clocked, answer)
  expect(rows?.attempts.map(({ cause, usageRaw }) => [cause, usageRaw])).toEqual([
    ['upstream_invalid', null],
    ['upstream_invalid', null],
  ])
})
