import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningBinary, runBinary, startBinary } from '../support/binary.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { openTables } from '../support/tables.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { ask, requestIdOf } from './caller.ts'
import { costNano, dialects } from './dialects.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { until } from './until.ts'

// Commands work beside a running gateway, and what they change is in force there within a second.

const tokens = { input: 10, output: 20 }
const dialect = dialects.chat
const withinMs = 1000

let upstream: FakeUpstream
let gateway: RunningBinary
let ledger: Ledger
let file: string

beforeAll(async () => {
  upstream = startFakeUpstream(() => jsonAnswer(dialect.body(tokens)))
  gateway = await startBinary({
    config: (listen) => tollgateYaml({ listen, upstream: upstream.url }),
  })
  file = join(gateway.cwd, 'tollgate.yaml')
  ledger = openLedger(gateway.cwd)
})
afterAll(async () => {
  await ledger[Symbol.asyncDispose]()
  await gateway.stop()
  await upstream.stop()
})

async function tollgate(...args: string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await runBinary([...args, '--config', file])
  if (exitCode !== 0) throw new Error(`tollgate ${args.join(' ')}: ${stderr}${stdout}`)
  return stdout.trim()
}

/** Asks until the status is the expected one; gives that answer. */
async function statusBecomes(status: number, key?: string): Promise<Response> {
  return until(
    `status ${status}`,
    async () => {
      const answer = await ask(gateway.url, dialect, false, key === undefined ? {} : { key })
      await answer.text()
      return answer.status === status ? answer : undefined
    },
    withinMs,
  )
}

interface TokenReport {
  readonly id: number
  readonly key: string
}

async function addToken(...options: string[]): Promise<TokenReport> {
  const args = ['--account', 'user@example.com', '--group', 'default', '--json', ...options]
  return JSON.parse(await tollgate('token', 'add', ...args)) as TokenReport
}

test('a token works when it is added, not when it is disabled, and never when it is removed', async () => {
  const key = 'sk-test-live-0123456789abcdefghijkl'
  // The refusal of an unknown key must not be remembered for long, either.
  expect((await ask(gateway.url, dialect, false, { key })).status).toBe(401)
  const { id } = await addToken('--key', key)
  await statusBecomes(200, key)
  await tollgate('token', 'disable', String(id))
  const disabled = await statusBecomes(401, key)
  expect(disabled.headers.get('x-tollgate-reason')).toBe('disabled')
  await tollgate('token', 'enable', String(id))
  await statusBecomes(200, key)
  await tollgate('token', 'remove', String(id), '--yes')
  const deleted = await statusBecomes(401, key)
  expect(deleted.headers.get('x-tollgate-reason')).toBe('deleted')
})

test('a balance that another process takes away and gives back', async () => {
  await using tables = openTables(gateway.cwd)
  const move = async (kind: 'credit' | 'debit', amount: number) => {
    const left = (await ledger.balanceNano()) + amount
    await tables.change('UPDATE account SET balance_nano = ?', left)
    await tables.change(
      `INSERT INTO ledger (created_at, account_id, kind, amount_nano, reason, balance_after_nano)
       VALUES (?, 1, ?, ?, 'test', ?)`,
      ...[Date.now(), kind, amount, left],
    )
  }
  await statusBecomes(200)
  const balance = await ledger.balanceNano()
  await move('debit', -balance)
  const empty = await statusBecomes(401)
  expect(empty.headers.get('x-tollgate-reason')).toBe('balance')
  await move('credit', 1_000_000_000)
  await statusBecomes(200)
  expect(await ledger.sumNano()).toBe(await ledger.balanceNano())
})

test('a disabled channel, and the same enabled again', async () => {
  await tollgate('channel', 'disable', 'main')
  await until(
    'the model to be gone',
    async () => (await ask(gateway.url, dialect, false)).status !== 200,
    withinMs,
  )
  const asked = upstream.requests.length
  const refused = await ask(gateway.url, dialect, false)
  expect(refused.status).toBeOneOf([404, 502])
  expect(upstream.requests.length).toBe(asked)
  await tollgate('channel', 'enable', 'main')
  await statusBecomes(200)
})

test('a disabled account, and the same enabled again', async () => {
  await tollgate('account', 'disable', 'user@example.com')
  const refused = await statusBecomes(403)
  expect(refused.headers.get('x-tollgate-reason')).toBe('account_restricted')
  await tollgate('account', 'enable', 'user@example.com')
  await statusBecomes(200)
})

test('a new price is charged from then on; what was charged before stays', async () => {
  const before = await statusBecomes(200)
  const old = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    old.replace(/(test-model:\n\s+input: )1(\n\s+output: )2\b/, (_all, input, output) =>
      [input, 3, output, 7].join(''),
    ),
  )
  await tollgate('apply')
  const dear = tokens.input * 3000 + tokens.output * 7000
  const after = await until(
    'the new price',
    async () => {
      const answer = await ask(gateway.url, dialect, false)
      await answer.text()
      const record = await ledger.record(requestIdOf(answer))
      return record?.amount_nano === dear ? record : undefined
    },
    withinMs,
  )
  expect(after.charged_nano).toBe(-dear)
  expect((await ledger.record(requestIdOf(before)))?.charged_nano).toBe(-costNano(tokens))
})
