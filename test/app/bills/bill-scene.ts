import { expect } from 'bun:test'
import type { ReceiptRows } from '../../../src/store/ports/records.ts'
import { readUntil, requestIdOf } from '../../e2e/caller.ts'
import type { Dialect } from '../../e2e/dialects.ts'
import { until } from '../../e2e/until.ts'
import { type FakeHandler, sseAnswer, startFakeUpstream } from '../../support/fake-upstream.ts'
import { shownModels } from '../../support/tollgate-yaml.ts'
import { type ServingOptions, startServing } from '../serving.ts'
import type { Teller, Told } from './told-answers.ts'

// The bills of these scenes are worked out by hand. A model costs 1 USD per million tokens in and
// 2 out, so one token is 1,000 nano-USD in and 2,000 out. Every word below is one token of the
// tokenizer that counts here (o200k), a space in front of it included.

/** 10 tokens. */
export const question = 'one two three four five six seven eight nine ten'
/** 8 tokens. */
export const pieces = ['one two three', ' four five six', ' seven eight'] as const
/** All of it. */
export const text = pieces.join('')

/** What the upstreams say they used where they come to their end. */
export const inAll: Told = { input: 1000, output: 500 }
/** The same in mid-answer: less than what was delivered. */
export const soFar: Told = { input: 1000, output: 3 }

/** What of a record a bill is. */
export interface Bill {
  readonly ending: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly estimated: boolean
  readonly amountNano: number
  /** Signed as in the ledger; null: there is no entry. */
  readonly ledgerAmountNano: number | null
}

/** A bill with a ledger entry that charges just that, or none for nothing. */
export const billOf = (
  ending: string,
  inputTokens: number,
  outputTokens: number,
  amountNano: number,
  estimated: boolean,
): Bill => ({
  ...{ ending, inputTokens, outputTokens, estimated, amountNano },
  ledgerAmountNano: amountNano === 0 ? null : -amountNano,
})

/** The bill of a receipt. */
export function billIn({ request, ledgerAmountNano }: ReceiptRows): Bill {
  const { ending, inputTokens, outputTokens, estimated, amountNano } = request
  return { ending, inputTokens, outputTokens, estimated, amountNano, ledgerAmountNano }
}

/** The app before an upstream that a test scripts. */
export async function startBillScene(options: Partial<ServingOptions> = {}) {
  const upstream = startFakeUpstream(() => new Response('not scripted', { status: 500 }))
  const running = await startServing({ upstream: upstream.url, models: shownModels, ...options })
  const { records } = running.instance.store

  async function bill(requestId: string): Promise<Bill> {
    const rows = await until(`the record of ${requestId}`, () => records.receipt(requestId))
    return billIn(rows)
  }

  const ask = (dialect: Dialect, stream: boolean, key?: string) =>
    running.ask(dialect.path(stream), dialect.request(stream, question), key)

  return {
    upstream,
    running,
    bill,
    ask,
    /** Asks, reads the answer whole, and gives the bill. */
    async whole(dialect: Dialect, stream: boolean, script: FakeHandler): Promise<Bill> {
      upstream.handle(script)
      const answer = await ask(dialect, stream)
      await answer.text()
      return bill(requestIdOf(answer))
    },
    /** Asks for a stream whose upstream breaks it off when the client has all of the text. */
    async cutOff(dialect: Dialect, begin: string): Promise<Bill> {
      const go = Promise.withResolvers<void>()
      upstream.handle(() => brokenStream(begin, go.promise))
      const answer = await ask(dialect, true)
      const { reader } = await readUntil(answer, hasText)
      go.resolve()
      while (!(await reader.read()).done);
      return bill(requestIdOf(answer))
    },
    /** Asks for a stream, leaves when all of the text is there, and gives the request's id. */
    async leave(dialect: Dialect, script: FakeHandler, key?: string): Promise<string> {
      upstream.handle(script)
      const answer = await ask(dialect, true, key)
      const { reader } = await readUntil(answer, hasText)
      await reader.cancel()
      return requestIdOf(answer)
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]()
      await upstream.stop()
    },
  }
}

const hasText = (soFar: string) => soFar.includes(' seven eight')

function brokenStream(begin: string, go: Promise<void>): Response {
  async function* body() {
    yield new TextEncoder().encode(begin)
    await go
    throw new Error('The upstream breaks its stream.')
  }
  const headers = { 'content-type': 'text/event-stream' }
  return new Response(body() as unknown as Bun.BodyInit, { headers })
}

/** A stream that says all of the text, and how it goes on. */
export function begun(teller: Teller, told?: Told): string {
  return teller.start(told) + pieces.map((piece) => teller.piece(piece, told)).join('')
}

/** A script that streams just that. */
export const streamOf = (whole: string) => () => sseAnswer(whole)
/** The same, and then nothing more until the far side leaves. */
export const silentAfter = (whole: string) => () => sseAnswer(whole, { ending: 'stall' })

/** The balance is what is left of 100 USD, and nothing stays set aside. */
export async function expectSound(scene: Awaited<ReturnType<typeof startBillScene>>) {
  const { admin, records } = scene.running.instance.store
  const find = async () =>
    (await admin.accounts()).find(({ email }) => email === 'user@example.com')
  // What a lease has lent goes back when it is idle.
  await until('nothing to be set aside', async () => (await find())?.reservedNano === 0)
  const account = await find()
  let sum = 0
  for await (const entry of records.exportLedger({})) {
    if (entry.account === 'user@example.com') sum += entry.amountNano
  }
  expect(account?.balanceNano).toBe(sum)
}
