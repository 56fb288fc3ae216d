import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { allDialects } from '../../e2e/dialects.ts'
import { jsonAnswer, sseAnswer } from '../../support/fake-upstream.ts'
import {
  begun,
  billOf,
  expectSound,
  inAll,
  pieces,
  silentAfter,
  soFar,
  startBillScene,
  streamOf,
  text,
} from './bill-scene.ts'
import { tellers } from './told-answers.ts'

// B10: how an answer ends decides what it costs. Four endings, four protocols, usage told or not.
// The question has 10 tokens and the answer 8 (counted by hand, see bill-scene.ts).

let scene: Awaited<ReturnType<typeof startBillScene>>
beforeAll(async () => {
  scene = await startBillScene()
})
afterAll(() => scene[Symbol.asyncDispose]())

describe.each(allDialects)('B10: $name', (dialect) => {
  const teller = tellers[dialect.name]

  describe.each(['complete', 'incomplete'] as const)('%s', (how) => {
    // The upstream's word counts, whatever we would have counted:
    // 1,000 × 1,000 + 500 × 2,000. An answer that stopped at a limit was generated all the same.
    const told = billOf(how, 1000, 500, 2_000_000, false)
    // Nothing told: 10 × 1,000 for the question + 8 × 2,000 for what was delivered, and it is said
    // that we counted.
    const untold = billOf(how, 10, 8, 26_000, true)

    test('streamed, usage told: as told', async () => {
      const whole = begun(teller, soFar) + teller.stop(how, inAll)
      expect(await scene.whole(dialect, true, streamOf(whole))).toEqual(told)
    })

    test('streamed, usage not told: as counted', async () => {
      const whole = begun(teller) + teller.stop(how)
      expect(await scene.whole(dialect, true, streamOf(whole))).toEqual(untold)
    })

    test('plain, usage told: as told', async () => {
      const body = teller.body(how, text, inAll)
      expect(await scene.whole(dialect, false, () => jsonAnswer(body))).toEqual(told)
    })

    test('plain, usage not told: as counted', async () => {
      const body = teller.body(how, text)
      expect(await scene.whole(dialect, false, () => jsonAnswer(body))).toEqual(untold)
    })
  })

  // Both broken off in mid-answer. What was told last says 3 tokens of output, but 8 were delivered:
  // 1,000 × 1,000 + 8 × 2,000, and it is said that we counted the output.
  const partly = (ending: string) => billOf(ending, 1000, 8, 1_016_000, true)
  // Nothing told: 10 × 1,000 + 8 × 2,000.
  const counted = (ending: string) => billOf(ending, 10, 8, 26_000, true)
  // What was told last is more than can be seen (reasoning, say): 1,000 × 1,000 + 20 × 2,000.
  const unseen = (ending: string) => billOf(ending, 1000, 20, 1_040_000, false)
  const hidden = { input: 1000, output: 20 }

  test('cut by the upstream, usage told until then: its input, the delivered output', async () => {
    expect(await scene.cutOff(dialect, begun(teller, soFar))).toEqual(partly('cut'))
  })

  test('cut by the upstream, usage not told: as counted', async () => {
    expect(await scene.cutOff(dialect, begun(teller))).toEqual(counted('cut'))
  })

  test('cut by the upstream, more told than can be seen: as told', async () => {
    expect(await scene.cutOff(dialect, begun(teller, hidden))).toEqual(unseen('cut'))
  })

  test('client left, usage told until then: its input, the delivered output', async () => {
    const id = await scene.leave(dialect, silentAfter(begun(teller, soFar)))
    expect(await scene.bill(id)).toEqual(partly('client_left'))
  })

  test('client left, usage not told: as counted', async () => {
    const id = await scene.leave(dialect, silentAfter(begun(teller)))
    expect(await scene.bill(id)).toEqual(counted('client_left'))
  })

  test('client left, more told than can be seen: as told', async () => {
    const id = await scene.leave(dialect, silentAfter(begun(teller, hidden)))
    expect(await scene.bill(id)).toEqual(unseen('client_left'))
  })

  test('failed inside of the stream, usage told: as told', async () => {
    const whole = begun(teller, soFar) + teller.error(inAll)
    const bill = await scene.whole(dialect, true, streamOf(whole))
    expect(bill).toEqual(billOf('failed', 1000, 500, 2_000_000, false))
  })

  test('failed inside of the stream, usage told until then: its input, the delivered output', async () => {
    // The error's own event says nothing of usage: 1,000 × 1,000 + 8 × 2,000.
    const [one, ...more] = [teller.start(soFar), teller.piece(pieces[0], soFar)]
    const late = pieces.slice(1).map((piece) => teller.piece(piece))
    const whole = [one, ...more, ...late, teller.error()].join('')
    expect(await scene.whole(dialect, true, streamOf(whole))).toEqual(partly('failed'))
  })

  test('failed inside of the stream, usage not told: what was delivered, as counted', async () => {
    const bill = await scene.whole(dialect, true, streamOf(begun(teller) + teller.error()))
    expect(bill).toEqual(counted('failed'))
  })

  test('failed before any text, usage not told: nothing came, so nothing is charged', async () => {
    const bill = await scene.whole(dialect, true, streamOf(teller.start() + teller.error()))
    expect(bill).toEqual(billOf('failed', 0, 0, 0, false))
  })
})

test('B10: what a message says at its start is not what its output was', async () => {
  // This protocol reports its input first, with a placeholder as output (1, say), and its output
  // last. An upstream that leaves the last report out has told the input only:
  // 1,000 × 1,000 + 8 × 2,000.
  const { messages } = tellers
  const [dialect] = allDialects.filter(({ name }) => name === 'messages')
  if (!dialect) throw new Error('There is no messages dialect.')
  const whole = begun(messages, { input: 1000, output: 1 }) + messages.stop('complete')
  const bill = await scene.whole(dialect, true, streamOf(whole))
  expect(bill).toEqual(billOf('complete', 1000, 8, 1_016_000, true))
})

test('B10: a plain answer that breaks off is never seen, and costs nothing', async () => {
  for (const dialect of allDialects) {
    const body = JSON.stringify(tellers[dialect.name].body('complete', text, inAll))
    const half = () =>
      sseAnswer(body.slice(0, -20), {
        ending: 'break',
        headers: { 'content-type': 'application/json' },
      })
    const bill = await scene.whole(dialect, false, half)
    expect(bill).toEqual(billOf('failed', 0, 0, 0, false))
  }
})

test('B10: the balance is the sum of all these bills', () => expectSound(scene))
