import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningBinary, runBinary, startBinary } from '../support/binary.ts'
import {
  cutBytes,
  jsonAnswer,
  type SeenRequest,
  startFakeUpstream,
} from '../support/fake-upstream.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { ask, requestIdOf } from './caller.ts'
import { allDialects, costNano, type Dialect, type Tokens, wholeStream } from './dialects.ts'
import { openLedger } from './ledger.ts'

// The process is killed at moments of chance while it answers. Whatever a client has received whole
// must be in the ledger, once, with the right amount; and the next start just works.

const rounds = 10
const callers = 24
const openingNano = 1_000_000_000_000

/** Every request asks with a number of its own, by which its answer is counted. */
const tokensOf = (number: number): Tokens => ({ input: number, output: (number % 97) + 1 })

const model = 'number-'

/** The number that a request carries in its question. */
function numberIn(seen: SeenRequest): number {
  return Number(new RegExp(`${model}(\\d+)`).exec(seen.text())?.[1])
}

function answer(seen: SeenRequest): Response {
  const dialect = allDialects.find(({ path }) => [path(true), path(false)].includes(seen.path))
  if (dialect === undefined) return jsonAnswer({ error: seen.path }, 404)
  const tokens = tokensOf(numberIn(seen))
  const body = seen.json() as { stream?: boolean }
  if (body.stream !== true && !seen.path.includes('stream')) return jsonAnswer(dialect.body(tokens))
  const bytes = new TextEncoder().encode(wholeStream(dialect, tokens, ['Hello', ' there', '!']))
  async function* pieces() {
    for (const piece of cutBytes(bytes, 150)) {
      yield piece
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const headers = { 'content-type': 'text/event-stream' }
  return new Response(pieces() as unknown as Bun.BodyInit, { headers })
}

interface Received {
  readonly id: string
  readonly number: number
}

/** Asks once; undefined when the answer did not come whole. */
async function askOnce(
  gateway: RunningBinary,
  dialect: Dialect,
  stream: boolean,
  number: number,
): Promise<Received | undefined> {
  try {
    const question = `${model}${number}`
    const response = await ask(gateway.url, dialect, stream, { question })
    const id = requestIdOf(response)
    if (!stream) {
      await response.json()
      return { id, number }
    }
    return (await endsWhole(response, dialect)) ? { id, number } : undefined
  } catch {
    return undefined // killed in the middle
  }
}

/** Whether the stream came to its last event, however its connection ended after that. */
async function endsWhole(response: Response, dialect: Dialect): Promise<boolean> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true })
  } catch {
    // Killed; but the last event may have been there already.
  }
  return dialect.isWhole(text)
}

test('SIGKILL under load: what was received whole is charged once, and the next start serves', async () => {
  using folder = createTempDir('tollgate-kill')
  await using upstream = startFakeUpstream(answer)
  const config = (listen: string) =>
    tollgateYaml({ listen, upstream: upstream.url, balance: openingNano / 1e9 })
  const received: Received[] = []
  let asked = 0
  let slowestStartMs = 0

  for (let round = 0; round < rounds; round++) {
    const gateway = await startBinary({ cwd: folder.path, config })
    slowestStartMs = Math.max(slowestStartMs, gateway.readyAfterMs)
    let killed = false
    const load = Array.from({ length: callers }, async (_, at) => {
      const dialect = allDialects[at % allDialects.length] as Dialect
      for (let turn = at; !killed; turn++) {
        const whole = await askOnce(gateway, dialect, turn % 3 > 0, ++asked)
        if (whole) received.push(whole)
      }
    })
    await Bun.sleep(100 + Math.random() * 400) // the moment of chance
    killed = true
    const killing = gateway.kill('SIGKILL')
    await Promise.all([killing, ...load])

    using ledger = openLedger(folder.path)
    expect(ledger.integrity()).toBe('ok')
    expect(ledger.sumNano()).toBe(ledger.balanceNano())
  }

  const gateway = await startBinary({ cwd: folder.path, config })
  const last = await askOnce(gateway, allDialects[0] as Dialect, true, ++asked)
  expect(last).toBeDefined()
  const file = join(folder.path, 'tollgate.yaml')
  const exported = await runBinary(['export', 'ledger', '--config', file])
  expect(exported.exitCode).toBe(0)
  expect(await gateway.stop()).toBe(0)
  expect(existsSync(join(folder.path, 'tollgate.db-wal'))).toBeFalse()

  using ledger = openLedger(folder.path)
  const charges = new Map(ledger.charges().map((one) => [one.request_id, one.amount_nano]))
  expect(charges.size).toBe(ledger.charges().length)
  const wrong = received.filter(({ id, number }) => charges.get(id) !== -costNano(tokensOf(number)))
  expect(wrong).toEqual([])
  const charged = ledger.records().filter(({ charged_nano }) => charged_nano !== null)
  expect(charged.length).toBe(charges.size)
  expect(charged.filter((one) => one.charged_nano !== -one.amount_nano)).toEqual([])
  expect(ledger.balanceNano()).toBe(
    openingNano + [...charges.values()].reduce((sum, amount) => sum + amount, 0),
  )

  const entries = exported.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind: string; request_id: string; amount_nano: number })
  const shown = entries.filter(({ kind }) => kind === 'charge')
  expect(new Map(shown.map((one) => [one.request_id, one.amount_nano]))).toEqual(charges)
  expect(entries.filter(({ kind }) => kind === 'opening').length).toBe(1)
  console.log(
    `${rounds} kills: ${asked} asked, ${received.length} received whole, ${charges.size} charged; ` +
      `slowest start afterwards ${slowestStartMs.toFixed(0)} ms`,
  )
  expect(received.length).toBeGreaterThan(rounds * 20)
}, 60_000)
