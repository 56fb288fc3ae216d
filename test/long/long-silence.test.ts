import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  allDialects,
  costNano,
  countBeats,
  type Dialect,
  wholeStream,
  withoutBeats,
} from '../e2e/dialects.ts'
import { type Ledger, openLedger } from '../e2e/ledger.ts'
import { until } from '../e2e/until.ts'
import { type RunningBinary, startBinary } from '../support/binary.ts'
import type { FaultRequest } from '../support/fault/requests.ts'
import {
  chunk,
  httpHead,
  lastChunk,
  type Steps,
  stall,
  wait,
  write,
} from '../support/fault/steps.ts'
import { type FaultUpstream, startFaultUpstream } from '../support/fault/upstream.ts'
import { answerWell, dialectOf, usualTokens, words } from '../support/fault/well.ts'
import { startOwnTime } from '../support/own-time.ts'
import { speaksAt, testKey, tollgateYaml, upstreamKey } from '../support/tollgate-yaml.ts'

// S1 and S2 in real time: two minutes and a half, in which next to nothing is done.

const silentMs = 150_000
/** Of the channel whose upstream dies: at no moment at which a heartbeat is due, too. */
const limitMs = 38_000

const ownTime = startOwnTime()

let upstream: FaultUpstream
let gateway: RunningBinary
let ledger: Ledger

beforeAll(async () => {
  upstream = await startFaultUpstream({ script: behave })
  const channel = { api_key: upstreamKey, allow_private: true, speaks: speaksAt(upstream.url) }
  const models = ['silent', 'dead', 'dying']
  gateway = await startBinary({
    config: (listen) =>
      tollgateYaml({
        ...{ listen, upstream: upstream.url, models },
        channel: { models: ['silent'] },
        moreChannels: [
          {
            ...{ ...channel, name: 'limited', models: ['dead', 'dying'] },
            timeouts: { first_byte: `${limitMs}ms`, idle: `${limitMs}ms` },
          },
        ],
        group: { channels: ['main', 'limited'] },
      }),
  })
  ledger = openLedger(gateway.cwd)
})
afterAll(async () => {
  ownTime[Symbol.dispose]()
  await ledger[Symbol.asyncDispose]()
  await gateway.stop()
  await upstream.stop()
})

function behave(request: FaultRequest): Steps {
  const dialect = dialectOf(request)
  const head = write(httpHead({ type: 'text/event-stream', framing: 'chunked' }))
  const begun = dialect.first(usualTokens) + dialect.piece(words[0])
  if (request.model === 'dead') return [stall]
  if (request.model === 'dying') return [head, write(chunk(begun)), stall]
  const whole = wholeStream(dialect, usualTokens, words)
  return request.isStreamed
    ? [wait(silentMs), head, write(chunk(whole)), write(lastChunk)]
    : [wait(silentMs), ...answerWell(request)]
}

/** Everything that a client hears, and for how long it heard nothing before each piece: also counted while it ran. */
async function hear(dialect: Dialect, stream: boolean, model: string) {
  let heardAt = performance.now()
  let heardOwnMs = ownTime.now()
  const answer = await fetch(gateway.url + dialect.path(stream).replace('test-model', model), {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...dialect.request(stream),
      ...(dialect.name === 'gemini' ? {} : { model }),
    }),
    ...{ proxy: false, keepalive: false, timeout: false },
  })
  let text = ''
  const silences: { ms: number; ownMs: number }[] = []
  const decoder = new TextDecoder()
  for await (const piece of answer.body ?? []) {
    silences.push({ ms: performance.now() - heardAt, ownMs: ownTime.now() - heardOwnMs })
    heardAt = performance.now()
    heardOwnMs = ownTime.now()
    text += decoder.decode(piece, { stream: true })
  }
  const id = answer.headers.get('x-request-id') ?? ''
  return { status: answer.status, id, silences, text, said: withoutBeats(text) }
}

/**
 * Limits go by the time in which the gateway ran, so a busy machine makes a request longer: as many
 * heartbeats are due as fit into its limit at least, and into what it took at most.
 */
function expectDue(beats: number, dueAfter: (ms: number) => number, durationMs: number): void {
  const slackMs = 1_000
  expect(beats).toBeWithin(dueAfter(limitMs), dueAfter(durationMs + slackMs) + 1)
}

const tests = allDialects.flatMap((dialect) => [
  async function silentStream() {
    const { status, id, silences, text, said } = await hear(dialect, true, 'silent')
    expect([status, said]).toEqual([200, wholeStream(dialect, usualTokens, words)])
    // After 25 s, and then each 15 s: at 25, 40, 55 … 145.
    expect(countBeats(text)).toBe(9)
    let sinceStart = 0
    for (const [i, { ms, ownMs }] of silences.slice(0, 9).entries()) {
      // None is early, counted from the request; one that was late makes the next silence shorter here.
      sinceStart += ms
      expect(sinceStart).toBeGreaterThanOrEqual(25_000 + 15_000 * i)
      expect(ownMs).toBeLessThan(i === 0 ? 28_000 : 18_000)
    }
    expect(await ledger.record(id)).toMatchObject({
      ...{ ending: 'complete', estimated: 0, charged_nano: -costNano(usualTokens) },
    })
    expect(await ledger.attempts(id)).toEqual([{ status: 200, cause: null }])
  },
  async function silentAnswer() {
    const { status, id, text } = await hear(dialect, false, 'silent')
    expect([status, JSON.parse(text)]).toEqual([200, dialect.body(usualTokens)])
    expect(await ledger.record(id)).toMatchObject({ charged_nano: -costNano(usualTokens) })
  },
  async function deadStream() {
    const { id, text, said } = await hear(dialect, true, 'dead')
    expect(dialect.isError(said)).toBe(true)
    expect(said).toContain('did not begin to answer in time')
    const record = await until('the record', () => ledger.record(id))
    expect(record).toMatchObject({ ending: 'failed', cause: 'upstream_timeout', amount_nano: 0 })
    expect(record.duration_ms).toBeWithin(limitMs, 2 * limitMs)
    expectDue(countBeats(text), (ms) => 1 + Math.floor((ms - 25_000) / 15_000), record.duration_ms)
  },
  async function dyingStream() {
    const { id, text, said } = await hear(dialect, true, 'dying')
    expect(said).toStartWith(dialect.first(usualTokens) + dialect.piece(words[0]))
    expect(dialect.isError(said)).toBe(true)
    expect(said).toContain('fell silent')
    const record = await until('the record', () => ledger.record(id))
    expect(record).toMatchObject({ ending: 'cut', cause: 'upstream_timeout' })
    expect(record.duration_ms).toBeWithin(limitMs, 2 * limitMs)
    expectDue(countBeats(text), (ms) => Math.floor(ms / 15_000), record.duration_ms)
  },
])

test('S1, S2: heartbeats carry a client over 150 s of silence, and not over a dead upstream', async () => {
  await Promise.all(tests.map((one) => one()))
  // Nobody has asked twice in the meantime.
  expect(upstream.count()).toBe(tests.length)
}, 300_000)
