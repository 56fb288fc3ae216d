import { expect, test } from 'bun:test'
import { startBinary } from '../support/binary.ts'
import { startFakeUpstream } from '../support/fake-upstream.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { openLedger } from './ledger.ts'
import { until } from './until.ts'
import { vendorAnswer } from './vendor-answers.ts'

test('a probe asks for the least, is told to the log, charged to nobody and no record of a client’s', async () => {
  await using upstream = startFakeUpstream(vendorAnswer)
  await using gateway = await startBinary({
    args: ['serve', '--log', 'json'],
    config: (listen) =>
      tollgateYaml({
        ...{ listen, upstream: upstream.url, speaks: ['messages'] },
        channel: { probe: { every: '5s', model: 'other-model' } },
      }),
  })
  const line = await until(
    'a probe',
    () => gateway.stdout.find((one) => one.includes('"message":"probe answered"')),
    10_000,
  )
  expect(JSON.parse(line)).toMatchObject({
    ...{ level: 'info', channel: 'main', model: 'other-model', status: 200 },
    ...{ input_tokens: 7, output_tokens: 2 },
  })
  expect(upstream.requests.map(({ json }) => json())).toEqual([
    { model: 'other-model', max_tokens: 1, messages: [{ role: 'user', content: 'ping' }] },
  ])
  await using ledger = openLedger(gateway.cwd)
  expect([(await ledger.charges()).length, (await ledger.records()).length]).toEqual([0, 0])
})
