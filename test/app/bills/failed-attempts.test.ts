import { describe, expect, test } from 'bun:test'
import { requestIdOf } from '../../e2e/caller.ts'
import { allDialects } from '../../e2e/dialects.ts'
import { jsonAnswer, sseAnswer } from '../../support/fake-upstream.ts'
import { type Clocked, firstKey, startClocked } from '../clocked.ts'
import { begun, inAll, question, streamOf, text } from './bill-scene.ts'
import { tellers } from './told-answers.ts'

// B7: an attempt that failed may have been billed by its upstream. What it said it used is in its
// row, where a comparison with the upstream's own bill finds it; the client pays the answer it got.

const start = () => startClocked({ start: '2026-11-21T08:00:00Z', hasFirst: true })

async function receiptOf({ tollgate, store }: Clocked, answer: Response) {
  await answer.text()
  await tollgate.settled()
  return store.records.receipt(requestIdOf(answer))
}

describe.each(allDialects)('$name', (dialect) => {
  const teller = tellers[dialect.name]
  const body = () => jsonAnswer(teller.body('complete', text, inAll))
  const stream = streamOf(begun(teller, inAll) + teller.stop('complete', inAll))

  test.each([
    ['a whole body where a stream was asked for', true, body, stream],
    ['a stream where a whole body was asked for', false, stream, body],
  ])('B7: %s', async (_, streamed, wrong, right) => {
    await using clocked = await start()
    clocked.upstream.handle(({ headers }) =>
      JSON.stringify(headers).includes(firstKey) ? wrong() : right(),
    )
    const answer = await clocked.ask(dialect, { stream: streamed, question })
    expect(answer.status).toBe(200)
    const rows = await receiptOf(clocked, answer)
    const [failed, good, ...more] = rows?.attempts ?? []
    expect([failed, good]).toMatchObject([
      { channel: 'first', status: 200, cause: 'upstream_invalid' },
      { channel: 'main', status: 200, cause: null },
    ])
    expect(more).toEqual([])
    expect(JSON.parse(failed?.usageRaw ?? 'null')).toEqual(JSON.parse(good?.usageRaw ?? ''))
    // Charged once: 1,000 × 1,000 + 500 × 2,000.
    expect(rows?.request.amountNano).toBe(2_000_000)
    expect(await clocked.balanceNano()).toBe(100_000_000_000 - 2_000_000)
  })

  test('B7: all attempts failed: nothing is charged, and each has its row with what it used', async () => {
    await using clocked = await start()
    clocked.upstream.handle(body)
    const answer = await clocked.ask(dialect, { stream: true })
    expect(answer.status).toBe(502)
    const rows = await receiptOf(clocked, answer)
    expect(rows?.attempts.map(({ channel, usageRaw }) => [channel, usageRaw !== null])).toEqual([
      ['first', true],
      ['main', true],
    ])
    expect(rows?.request).toMatchObject({ ending: 'failed', amountNano: 0 })
  })
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
