import { expect } from 'bun:test'
import { join } from 'node:path'
import { type RunningBinary, runBinary } from '../support/binary.ts'
import { startOwnTime } from '../support/own-time.ts'
import { ask, requestIdOf } from './caller.ts'
import { allDialects, costNano, type Dialect, type Tokens } from './dialects.ts'
import { beginStream } from './hesitating.ts'
import { openLedger } from './ledger.ts'
import { until } from './until.ts'

/** Something that keeps a gateway from writing its database. */
export interface Trouble {
  begin(): void | Promise<void>
  /** The cause is gone. */
  end(): void | Promise<void>
  /** What the log must say of it, once at least. */
  readonly told: string
  /** Whether it keeps the gateway from writing its spool, too. */
  readonly isOfSpool?: boolean
}

export interface TroubledGateway {
  readonly gateway: RunningBinary
  /** Lets the streams of its upstream go on: see `startHesitating`. */
  readonly go: () => void
  /** What every answer of its upstream uses. */
  readonly tokens: Tokens
}

/** How long the gateway may take to store what it could not store before. */
const lateMs = 15_000

/**
 * The promises of a store in trouble: nothing is completed uncharged (what is under way ends whole when its
 * charge is in the spool, and with an error when it is nowhere), what is refused is refused clearly, what
 * needs no writing goes on; and when the cause is gone there is service again, what was delivered is
 * charged and nothing stays set aside.
 */
export async function livesThrough(
  { gateway, go, tokens }: TroubledGateway,
  { begin, end, told, isOfSpool = false }: Trouble,
): Promise<void> {
  await expectAnswers(gateway, tokens, [false])
  const streams = await Promise.all(allDialects.map((one) => beginStream(gateway, one)))
  await begin()
  using ownTime = startOwnTime()
  go()
  const refused = refuseAll(gateway)
  const [ids, texts] = await Promise.all([
    refused,
    Promise.all(streams.map(({ text }) => text)),
    expectReading(gateway, refused),
  ])
  expect(ownTime.now()).toBeLessThan(12_000)
  allDialects.forEach((dialect, at) => {
    const text = texts[at] ?? ''
    expect([dialect.name, dialect.isWhole(text), dialect.isError(text)]).toEqual([
      ...[dialect.name, !isOfSpool, isOfSpool],
    ])
  })
  await until(`the line ${told}`, () => gateway.stdout.some((line) => line.includes(told)))

  await end()
  await using ledger = openLedger(gateway.cwd)
  const delivered = streams.map(({ id }) => id)
  await until(
    'all that happened to be stored',
    async () => {
      const found = await Promise.all([...ids, ...delivered].map((id) => ledger.record(id)))
      return found.every((record) => record !== undefined)
    },
    lateMs,
  )
  for (const id of ids) {
    const { cause, amount_nano, charged_nano } = (await ledger.record(id)) ?? {}
    expect({ cause, amount_nano, charged_nano }).toEqual({
      ...{ cause: 'internal', amount_nano: 0, charged_nano: null },
    })
  }
  for (const id of delivered)
    expect((await ledger.record(id))?.charged_nano).toBe(-costNano(tokens))
  await expectAnswers(gateway, tokens, [true, false])
  await until('nothing to be set aside', async () => (await ledger.reservations()).length === 0)
  expect(await ledger.reservedNano()).toBe(0)
  expect(await ledger.balanceNano()).toBe(await ledger.sumNano())
  expect(await ledger.integrity()).toBe('ok')
  await expectVerified(gateway)
}

/** Asks in all protocols; every answer is whole, and charged. */
export async function expectAnswers(
  gateway: RunningBinary,
  tokens: Tokens,
  ways: readonly boolean[] = [true, false],
): Promise<void> {
  await using ledger = openLedger(gateway.cwd)
  const before = await ledger.balanceNano()
  for (const dialect of allDialects) {
    for (const stream of ways) {
      const answer = await ask(gateway.url, dialect, stream)
      if (stream) expect(dialect.isWhole(await answer.text())).toBeTrue()
      else expect((await answer.json()) as object).toEqual(dialect.body(tokens))
    }
  }
  expect(before - (await ledger.balanceNano())).toBe(
    ways.length * allDialects.length * costNano(tokens),
  )
}

/** Asks in all protocols, streamed and not, at once; all is refused before it begins. Gives the ids. */
async function refuseAll(gateway: RunningBinary): Promise<string[]> {
  const asked = allDialects.flatMap((dialect) => [false, true].map((way) => ({ dialect, way })))
  return Promise.all(
    asked.map(async ({ dialect, way }) => {
      const answer = await ask(gateway.url, dialect, way)
      expect([dialect.name, way, answer.status]).toEqual([dialect.name, way, 500])
      expect(answer.headers.get('x-tollgate-reason')).toBe('internal')
      expectShape(dialect, await answer.json())
      return requestIdOf(answer)
    }),
  )
}

/** The error of a protocol, for a fault of the gateway itself. */
function expectShape({ name }: Dialect, body: unknown): void {
  const message = expect.stringContaining('could not store')
  const shapes = {
    chat: { error: { message, type: 'api_error', param: null, code: 'internal' } },
    messages: {
      type: 'error',
      error: { type: 'api_error', message },
      request_id: expect.stringContaining('req_'),
    },
    gemini: { error: { code: 500, message, status: 'INTERNAL' } },
  }
  expect(body).toEqual(shapes[name === 'responses' ? 'chat' : name])
}

/** What needs no writing is answered meanwhile, and soon. */
async function expectReading(gateway: RunningBinary, during: Promise<unknown>): Promise<void> {
  const slowestMs = await slowest(during, async () => {
    const answer = await fetch(`${gateway.url}/pricing/provider-pricing.json`, { proxy: false })
    expect(answer.status).toBe(200)
    await answer.text()
  })
  expect(slowestMs).toBeLessThan(500)
}

/** How long something takes while something else is under way, in milliseconds: the most. */
export async function slowest(during: Promise<unknown>, asked: () => Promise<void>) {
  using ownTime = startOwnTime()
  let slowestMs = 0
  do {
    const askedAt = ownTime.now()
    await asked()
    slowestMs = Math.max(slowestMs, ownTime.now() - askedAt)
    await Bun.sleep(10)
  } while (Bun.peek.status(during) === 'pending')
  return slowestMs
}

async function expectVerified(gateway: RunningBinary): Promise<void> {
  const file = join(gateway.cwd, 'tollgate.yaml')
  const { exitCode, stdout, stderr } = await runBinary(['verify', '--config', file])
  expect([exitCode, exitCode === 0 ? '' : stdout + stderr]).toEqual([0, ''])
}
