import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runBinary, startBinary } from '../support/binary.ts'
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { ask } from './caller.ts'
import { allDialects, type Dialect } from './dialects.ts'

/** What an upstream notes of each request, as it will bill it. */
interface Billed {
  readonly id: string
  readonly at: string
  readonly input: number
  readonly output: number
}

const toCsv = (rows: readonly Billed[]) =>
  ['request_id,created_at,input_tokens,output_tokens,cost_usd']
    .concat(rows.map(({ id, at, input, output }) => `${id},${at},${input},${output},0.0001`))
    .join('\n')

test('an upstream’s bill is compared with the records of a running gateway', async () => {
  const bill: Billed[] = []
  await using upstream = startFakeUpstream((seen) => {
    const dialect = allDialects.find((one) => one.path(false) === seen.path) as Dialect
    const tokens = { input: 10 + bill.length, output: 20 }
    const id = `up_${bill.length}`
    bill.push({ id, at: new Date().toISOString(), ...tokens })
    const answer = jsonAnswer(dialect.body(tokens))
    answer.headers.set('x-request-id', id)
    return answer
  })
  const config = (listen: string) => tollgateYaml({ listen, upstream: upstream.url })
  await using gateway = await startBinary({ config })
  for (let i = 0; i < 12; i++) {
    const response = await ask(gateway.url, allDialects[i % 4] as Dialect, false)
    expect(response.status).toBe(200)
    await response.text()
  }
  const reconcile = async (rows: readonly Billed[], ...more: string[]) => {
    writeFileSync(join(gateway.cwd, 'usage.csv'), toCsv(rows))
    const args = ['reconcile', 'usage.csv', '--channel', 'main', '--json', '--since', '1h', ...more]
    const { exitCode, stdout, stderr } = await runBinary(args, { cwd: gateway.cwd })
    const [summary, ...found] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    return { exitCode, stderr, summary, found }
  }

  const same = await reconcile(bill)
  expect(same).toMatchObject({ exitCode: 0, stderr: '', found: [] })
  expect(same.summary).toMatchObject({
    billed: { ids: 12, cost_nano: 1_200_000 },
    matched: { own: { ids: 12, output_tokens: 240 } },
  })

  const [first, second, third, ...others] = bill as [Billed, Billed, Billed, ...Billed[]]
  expect(second.id).toBe('up_1')
  const cheating = await reconcile([
    { ...first, output: 200 },
    { ...third, id: 'never asked' },
    third,
    ...others,
  ])
  expect(cheating.exitCode).toBe(1)
  expect(cheating.stderr).toContain(
    '1 billed but unknown to us, 1 of ours not billed, 1 with other',
  )
  expect(cheating.found.map(({ type }) => type)).toEqual(['unknown_to_us', 'not_billed', 'differs'])
  expect(cheating.found[0].upstream_request_id).toBe('never asked')
  expect(cheating.found[1]).toMatchObject({ upstream_request_id: 'up_1', model: 'test-model' })
  expect(cheating.found[2]).toMatchObject({
    billed: { output_tokens: 200 },
    own: { output_tokens: 20 },
  })
})
