import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { readUntil, requestIdOf } from '../../e2e/caller.ts'
import { allDialects, type Dialect, dialects } from '../../e2e/dialects.ts'
import { readLedger } from '../../e2e/ledger.ts'
import { openFile } from '../../support/tables.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { shownModels } from '../../support/tollgate-yaml.ts'
import { type Clocked, startClocked } from '../clocked.ts'
import {
  begun,
  billIn,
  billOf,
  inAll,
  question,
  silentAfter,
  soFar,
  startBillScene,
} from './bill-scene.ts'
import { tellers } from './told-answers.ts'

// B10, the other endings: a client that leaves a group that reads on, and a stop of the process.
// The question has 10 tokens and the delivered answer 8 (counted by hand, see bill-scene.ts).

describe('a client leaves, and its group reads the upstream to its end', () => {
  let clocked: Clocked
  beforeAll(async () => {
    clocked = await startClocked({
      ...{ start: '2026-11-21', models: shownModels, group: { on_disconnect: 'drain' } },
    })
  })
  afterAll(() => clocked[Symbol.asyncDispose]())

  /** Leaves when all of the text is there; then the upstream goes on, or breaks off. */
  async function drain(dialect: Dialect, begin: string, rest: string | undefined) {
    const go = Promise.withResolvers<void>()
    clocked.upstream.handle(() => stepwise(begin, go.promise, rest))
    const leaving = new AbortController()
    const { signal } = leaving
    const answer = await clocked.ask(dialect, { stream: true, question, signal, maxTokens: null })
    const { reader } = await readUntil(answer, (so) => so.includes(' seven eight'))
    leaving.abort()
    const left = reader.cancel()
    go.resolve()
    await left
    await clocked.tollgate.settled()
    const rows = await clocked.store.records.receipt(requestIdOf(answer))
    if (!rows) throw new Error('The request left no record.')
    return billIn(rows)
  }

  describe.each(allDialects)('B10: $name', (dialect) => {
    const teller = tellers[dialect.name]

    test('usage told at the end: as told, whatever the client has seen', async () => {
      // 1,000 × 1,000 + 500 × 2,000: the upstream was let finish, so it is the whole answer's bill.
      const bill = await drain(dialect, begun(teller, soFar), teller.stop('complete', inAll))
      expect(bill).toEqual(billOf('client_left', 1000, 500, 2_000_000, false))
    })

    test('usage not told: as counted, with the words that came after the client had left', async () => {
      // 10 × 1,000 + (8 + 2) × 2,000
      const rest = teller.piece(' nine ten') + teller.stop('incomplete')
      const bill = await drain(dialect, begun(teller), rest)
      expect(bill).toEqual(billOf('client_left', 10, 10, 30_000, true))
    })

    test('the upstream breaks off all the same: as far as it came', async () => {
      // 1,000 × 1,000 + 8 × 2,000: the report until then is behind the text.
      const bill = await drain(dialect, begun(teller, soFar), undefined)
      expect(bill).toEqual(billOf('client_left', 1000, 8, 1_016_000, true))
    })
  })

  test('B10: the balance is what all these bills leave of it', async () => {
    const spent = allDialects.length * (2_000_000 + 30_000 + 1_016_000)
    expect(await clocked.balanceNano()).toBe(100_000_000_000 - spent)
  })
})

test('B2: what is read on without a client ends when the money does, too', async () => {
  await using clocked = await startClocked({
    ...{ start: '2026-11-21', balance: 0.002, group: { on_disconnect: 'drain' } },
    models: shownModels,
  })
  const { chat } = dialects
  // 1,000 tokens can be paid, and there are 3,000 to come, most of them in one chunk.
  const story = Array.from({ length: 3_000 }, () => chat.piece(' one')).join('')
  const go = Promise.withResolvers<void>()
  const begin = chat.first(inAll) + chat.piece('hello')
  clocked.upstream.handle(() => stepwise(begin, go.promise, story))
  const leaving = new AbortController()
  const answer = await clocked.ask(chat, { stream: true, signal: leaving.signal, maxTokens: null })
  const { reader } = await readUntil(answer, (so) => so.includes('hello'))
  leaving.abort()
  const left = reader.cancel()
  go.resolve()
  await left
  expect(await clocked.balanceNano()).toBeWithin(0, 20_000)
  const rows = await clocked.store.records.receipt(requestIdOf(answer))
  const said = { estimated: true, ending: 'cut', cause: 'balance_used_up' }
  expect(rows?.request).toMatchObject(said)
})

test('B10: the process is stopped: what was delivered, in all protocols', async () => {
  const folder = createTempDir()
  try {
    const scene = await startBillScene({ store: join(folder.path, 'tollgate.db') })
    const { upstream, running } = scene
    const asked: { name: string; told: boolean; id: string; text: Promise<string> }[] = []
    for (const dialect of allDialects) {
      for (const told of [true, false]) {
        upstream.handle(silentAfter(begun(tellers[dialect.name], told ? soFar : undefined)))
        const answer = await scene.ask(dialect, true)
        asked.push({ name: dialect.name, told, id: requestIdOf(answer), text: answer.text() })
      }
    }
    // The second call cuts the grace short.
    await Promise.all([running.serving.stop(), running.serving.stop()])
    for (const { text } of asked) expect(await text).toContain('seven eight')
    await using ledger = readLedger(openFile(join(folder.path, 'tollgate.db')))
    const bills: unknown[][] = []
    for (const { name, told, id } of asked) {
      const { ending, input_tokens, output_tokens, estimated, amount_nano, charged_nano } =
        (await ledger.record(id)) ?? {}
      const counts = [input_tokens, output_tokens, estimated, amount_nano, charged_nano]
      bills.push([name, told, ending, ...counts])
    }
    expect(bills).toEqual(
      allDialects.flatMap(({ name }) => [
        // 1,000 × 1,000 + 8 × 2,000, and 10 × 1,000 + 8 × 2,000
        [name, true, 'shutdown', 1000, 8, 1, 1_016_000, -1_016_000],
        [name, false, 'shutdown', 10, 8, 1, 26_000, -26_000],
      ]),
    )
    // 100 USD less four of each
    expect(await ledger.balanceNano()).toBe(100_000_000_000 - 4 * 1_042_000)
    expect(await ledger.sumNano()).toBe(await ledger.balanceNano())
    await upstream.stop()
  } finally {
    folder.remove()
  }
})

/** A stream that goes on, or breaks off, when it may. */
function stepwise(begin: string, go: Promise<void>, rest: string | undefined): Response {
  const encoder = new TextEncoder()
  async function* body() {
    yield encoder.encode(begin)
    await go
    if (rest === undefined) throw new Error('The upstream breaks its stream.')
    yield encoder.encode(rest)
  }
  const headers = { 'content-type': 'text/event-stream' }
  return new Response(body() as unknown as Bun.BodyInit, { headers })
}
