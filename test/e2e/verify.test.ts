import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { type RunningBinary, runBinary, startBinary } from '../support/binary.ts'
import {
  cutBytes,
  jsonAnswer,
  type SeenRequest,
  startFakeUpstream,
} from '../support/fake-upstream.ts'
import { rounds } from '../support/rounds.ts'
import { openTables } from '../support/tables.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { ask } from './caller.ts'
import { allDialects, type Dialect, wholeStream } from './dialects.ts'

// `verify` beside a gateway under load: while requests of all protocols are being settled, streams
// broken off and clients leaving, nothing may ever look wrong; and what is wrong must be found.

const callers = 16
/** `verify` gives way to everything: beside callers without a pause it would wait for as long as they ask. */
const pauseMs = 40
const verifications = rounds(6, 40)
let answered = 0

/** Every answer says that it used something else; one in twenty fails, one in twenty breaks off. */
function answer(seen: SeenRequest): Response {
  const dialect = allDialects.find(({ path }) => [path(true), path(false)].includes(seen.path))
  if (dialect === undefined) return jsonAnswer({ error: seen.path }, 404)
  const number = ++answered
  const tokens = { input: number % 701, output: (number % 97) + 1 }
  if (number % 20 === 0) return jsonAnswer({ error: { message: 'overloaded' } }, 503)
  const body = seen.json() as { stream?: boolean }
  if (body.stream !== true && !seen.path.includes('stream')) return jsonAnswer(dialect.body(tokens))
  const bytes = new TextEncoder().encode(wholeStream(dialect, tokens, ['Hello', ' there', '!']))
  const end = number % 20 === 1 ? Math.floor(bytes.length / 2) : bytes.length
  async function* pieces() {
    for (const piece of cutBytes(bytes.subarray(0, end), 150)) {
      yield piece
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const headers = { 'content-type': 'text/event-stream' }
  return new Response(pieces() as unknown as Bun.BodyInit, { headers })
}

/** Asks until it is told to stop; some clients leave in the middle. */
async function load(gateway: RunningBinary, at: number, isOver: () => boolean): Promise<number> {
  let asked = 0
  for (let turn = at; !isOver(); turn++) {
    const dialect = allDialects[turn % allDialects.length] as Dialect
    const leaving = new AbortController()
    try {
      const { signal } = leaving
      const response = await ask(gateway.url, dialect, turn % 3 > 0, { signal })
      if (turn % 11 === 0) leaving.abort()
      await response.text()
    } catch {
      // left, or broken off: such requests are part of the load
    }
    asked++
    await Bun.sleep(pauseMs)
  }
  return asked
}

test('beside a gateway under load nothing ever differs, and what is changed is found', async () => {
  await using upstream = startFakeUpstream(answer)
  const config = (listen: string) => tollgateYaml({ listen, upstream: upstream.url })
  await using gateway = await startBinary({ config })
  const file = join(gateway.cwd, 'tollgate.yaml')
  const verify = (...options: readonly string[]) =>
    runBinary(['verify', '--json', '--config', file, ...options])

  let isOver = false
  const loads = Array.from({ length: callers }, (_, at) => load(gateway, at, () => isOver))
  const reports: { requests: number; ledger_entries: number }[] = []
  const isUnderLoad = () => (reports.at(-1)?.requests ?? 0) > (reports[0]?.requests ?? 0) + 100
  // On a slow machine it takes more of them until a hundred requests were settled beside.
  for (let round = 0; round < verifications || !isUnderLoad(); round++) {
    const ran = await verify(...(round % 3 === 2 ? ['--since', '1m'] : []))
    expect({ code: ran.exitCode, err: ran.stderr, out: ran.stdout }).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringContaining('"valid": true'),
    })
    reports.push(JSON.parse(ran.stdout))
  }
  isOver = true
  const asked = (await Promise.all(loads)).reduce((sum, one) => sum + one, 0)
  const last = reports.at(-1)
  expect(asked).toBeGreaterThan(last?.requests ?? 0)

  await using tables = openTables(gateway.cwd)
  const request_id = String(
    await tables.one(
      `SELECT request_id FROM request WHERE id =
         (SELECT max(id) FROM request WHERE amount_nano > 0 AND estimated = 0)`,
    ),
  )
  await tables.change(
    'UPDATE request SET output_tokens = output_tokens + 1 WHERE request_id = ?',
    request_id,
  )
  const { exitCode, stdout, stderr } = await runBinary(['verify', '--config', file])
  expect(exitCode).toBe(1)
  for (const field of ['output_tokens', 'amount_nano']) {
    expect(stdout).toMatch(new RegExp(`^request ${request_id}: ${field} is \\d+, should be`, 'm'))
  }
  expect(stderr).toContain('3 differences (1 usage, 1 amount, 1 day)')
  expect(await gateway.stop()).toBe(0)
  console.log(
    `${asked} asked, ${reports.length} verifications beside; last: ${JSON.stringify(last)}`,
  )
}, 300_000)
