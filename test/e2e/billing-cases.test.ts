import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type RunningBinary, runBinary, startBinary } from '../support/binary.ts'
import { jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { shownModels, tollgateYaml } from '../support/tollgate-yaml.ts'
import { ask, readUntil, requestIdOf } from './caller.ts'
import { allDialects, costNano, wholeStream } from './dialects.ts'
import { openLedger } from './ledger.ts'
import { until } from './until.ts'

// Cases of billing that need the compiled program; the others are in test/app/bills.

const tokens = { input: 1000, output: 500 }
const levels = ['off', 'json', 'pretty'] as const

/** Plain and streamed, whole, failed, cut and left, in all protocols, one after the other. */
async function play(gateway: RunningBinary, upstream: ReturnType<typeof startFakeUpstream>) {
  for (const dialect of allDialects) {
    const begun = dialect.first(tokens) + dialect.piece('Hello, and welcome')
    const finish = async (stream: boolean) => (await ask(gateway.url, dialect, stream)).text()
    upstream.handle(() => jsonAnswer(dialect.body(tokens)))
    await finish(false)
    upstream.handle(() => sseAnswer(wholeStream(dialect, tokens, ['Hello'])))
    await finish(true)
    upstream.handle(() => jsonAnswer({ error: { message: 'overloaded' } }, 503))
    await finish(false)
    upstream.handle(() => sseAnswer(begun))
    await finish(true)
    upstream.handle(() => sseAnswer(begun, { ending: 'stall' }))
    const leaving = new AbortController()
    const left = await ask(gateway.url, dialect, true, { signal: leaving.signal })
    await readUntil(left, (text) => text.includes('welcome'))
    leaving.abort()
    await using ledger = openLedger(gateway.cwd)
    await until('the record of who left', () => ledger.record(requestIdOf(left)))
  }
}

/** What was written of the requests, but for what differs from run to run. */
async function billed(gateway: RunningBinary) {
  await using ledger = openLedger(gateway.cwd)
  const all = await ledger.records()
  const records = all.map(({ client_protocol, ending, status, cause, ...more }) => {
    const { input_tokens, output_tokens, estimated, amount_nano, charged_nano } = more
    const counts = { input_tokens, output_tokens, estimated, amount_nano, charged_nano }
    return { client_protocol, ending, status, cause, ...counts }
  })
  return { records, balanceNano: await ledger.balanceNano(), sumNano: await ledger.sumNano() }
}

describe('B9', () => {
  test('B9: --log off charges the same as any other', async () => {
    const bills = []
    for (const level of levels) {
      await using upstream = startFakeUpstream(() => jsonAnswer({}))
      await using gateway = await startBinary({
        args: ['serve', '--log', level],
        config: (listen) => tollgateYaml({ listen, upstream: upstream.url, models: shownModels }),
      })
      await play(gateway, upstream)
      bills.push(await billed(gateway))
      // What is switched off is the log, not the charging.
      const told = () => gateway.stdout.filter((line) => line.includes('req_'))
      if (level === 'off') expect(told().filter((line) => !/warn/i.test(line))).toEqual([])
      else await until('a line of each', () => told().length >= allDialects.length * 5)
      const config = join(gateway.cwd, 'tollgate.yaml')
      const proof = await runBinary(['verify', '--config', config], { cwd: gateway.cwd })
      expect(proof.exitCode, proof.stdout).toBe(0)
    }
    const [off, ...others] = bills
    expect(others).toEqual(others.map(() => off as NonNullable<typeof off>))
    expect(off?.records.length).toBe(allDialects.length * 5)
    expect(off?.sumNano).toBe(off?.balanceNano as number)
    expect(off?.records.map(({ amount_nano }) => amount_nano).slice(0, 2)).toEqual([
      costNano(tokens),
      costNano(tokens),
    ])
  })
})
