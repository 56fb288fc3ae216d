import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type RunningBinary, runBinary, startBinary } from '../support/binary.ts'
import {
  type FakeUpstream,
  jsonAnswer,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { testKey, tollgateYaml } from '../support/tollgate-yaml.ts'
import { ask, requestIdOf } from './caller.ts'
import { allDialects, type Dialect, wholeStream } from './dialects.ts'
import { openLedger } from './ledger.ts'

// One amount in five places: the receipt, its formula, its text, the ledger, and the operator's view.

/** Above the tier of the price, and odd enough that the charge must be rounded. */
const tokens = { input: 1201, output: 37 }
const price = { input: 1, output: 2, tiers: [{ above: 1000, input: 1.5, output: 3.25 }] }
/** (1201 × 1.5 + 37 × 3.25) × 0.7777 / 1M USD = 0.001494544975 USD. */
const amountNano = 1_494_545

const folder = createTempDir()
let dialect: Dialect
let upstream: FakeUpstream
let tollgate: RunningBinary
beforeAll(async () => {
  upstream = startFakeUpstream((request) => {
    const wantsStream = /stream"?:true|streamGenerate/.test(request.path + request.text())
    return wantsStream
      ? sseAnswer(wholeStream(dialect, tokens, ['hel', 'lo']))
      : jsonAnswer(dialect.body(tokens))
  })
  tollgate = await startBinary({
    cwd: folder.path,
    config: (listen) =>
      tollgateYaml({
        listen,
        upstream: upstream.url,
        prices: { 'test-model': price },
        group: { rate_multiplier: 0.7777 },
      }),
  })
})
afterAll(async () => {
  await tollgate.stop()
  await upstream.stop()
  folder.remove()
})

function read(id: string, accept: string): Promise<Response> {
  const headers = { authorization: `Bearer ${testKey}`, accept }
  return fetch(`${tollgate.url}/v1/receipts/${id}`, { headers, proxy: false })
}

const operatorView = async (id: string) => {
  const file = join(tollgate.cwd, 'tollgate.yaml')
  const ran = await runBinary(['receipt', id, '--json', '--config', file])
  expect({ code: ran.exitCode, err: ran.stderr }).toEqual({ code: 0, err: '' })
  return JSON.parse(ran.stdout) as Record<string, unknown> & { attempts: object[] }
}

for (const each of allDialects) {
  describe(each.name, () => {
    test.each([false, true])('one amount everywhere (stream: %j)', async (stream) => {
      dialect = each
      const answer = await ask(tollgate.url, each, stream)
      await answer.text()
      const id = requestIdOf(answer)

      const response = await read(id, 'application/json')
      expect(response.status).toBe(200)
      const receipt = (await response.json()) as Record<string, unknown>
      expect(receipt).toMatchObject({
        request_id: id,
        client_protocol: each.name,
        stream,
        ending: 'complete',
        input_tokens: tokens.input,
        output_tokens: tokens.output,
        tier_above: 1000,
        tier_reason: 'tier above 1,000: 1,201 tokens of context',
        amount_nano: amountNano,
        formula: `(1201 × 1500000 + 37 × 3250000) × 0.7777 / 1000 = 1494544.975, rounded half up to ${amountNano} nano-USD`,
        differences: [],
      })

      const text = await (await read(id, 'text/plain')).text()
      expect(text).toContain('\n= 0.001494545 USD\n')
      expect(text).toContain(`\nFormula: ${receipt.formula}\n`)

      await using ledger = openLedger(tollgate.cwd)
      expect(await ledger.record(id)).toMatchObject({
        amount_nano: amountNano,
        charged_nano: -amountNano,
      })
      expect(receipt.balance_after_nano).toBe(await ledger.balanceNano())

      const { channel, upstream_model, attempts, ...operator } = await operatorView(id)
      const { attempts: shown, ...own } = receipt
      expect(own).toEqual(operator)
      expect([channel, upstream_model]).toEqual(['main', 'test-model'])
      expect(attempts).toEqual((shown as object[]).map((one) => expect.objectContaining(one)))
    })
  })
}

test('a receipt is there after a restart, and for nobody without a key', async () => {
  dialect = allDialects[0] as Dialect
  const answer = await ask(tollgate.url, dialect, false)
  await answer.text()
  const id = requestIdOf(answer)
  const before = await (await read(id, 'application/json')).text()
  await tollgate.kill()
  const { cwd, port } = tollgate
  tollgate = await startBinary({
    args: ['serve', '--config', join(cwd, 'tollgate.yaml')],
    cwd,
    port,
  })
  expect(await (await read(id, 'application/json')).text()).toBe(before)
  const without = await fetch(`${tollgate.url}/v1/receipts/${id}`, { proxy: false })
  expect(without.status).toBe(401)
  expect(await without.json()).toMatchObject({ code: 'API_KEY_REQUIRED' })
})
