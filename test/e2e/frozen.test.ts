import { expect, test } from 'bun:test'
import { startBinary } from '../support/binary.ts'
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { ask } from './caller.ts'
import { dialects, wholeStream } from './dialects.ts'
import { beginStream, saidFirst, saidThen, startHesitating } from './hesitating.ts'
import { openLedger } from './ledger.ts'
import { until } from './until.ts'

// The process does not run for a while: SIGSTOP, a paused container, a laptop that is closed.

const tokens = { input: 10, output: 20 }
const timeouts = { first_byte: '2s', idle: '2s' }
/** Longer than any of the limits. */
const frozenMs = 3_000

test('an upstream is not blamed for the time in which the gateway did not run', async () => {
  const { upstream: slow, go } = startHesitating(tokens)
  const gate = Promise.withResolvers<void>()
  const held = startFakeUpstream(async () => {
    await gate.promise
    return jsonAnswer(dialects.messages.body(tokens))
  })
  await using _ = slow
  await using __ = held
  await using gateway = await startBinary({
    args: ['serve', '--log', 'json'],
    config: (listen) =>
      tollgateYaml({
        ...{ listen, upstream: slow.url, speaks: ['chat'], channel: { timeouts } },
        moreChannels: [
          {
            ...{
              name: 'held',
              speaks: { messages: held.url },
              api_key: 'key',
              models: ['test-model'],
            },
            ...{ allow_private: true, timeouts },
          },
        ],
        group: { channels: ['main', 'held'] },
      }),
  })
  const stream = await beginStream(gateway, dialects.chat)
  const asked = ask(gateway.url, dialects.messages, false)
  await until('the upstream to be asked', () => held.requests.length > 0)
  process.kill(gateway.pid, 'SIGSTOP')
  go()
  gate.resolve()
  await Bun.sleep(frozenMs)
  process.kill(gateway.pid, 'SIGCONT')
  expect((await asked).status).toBe(200)
  expect(await stream.text).toBe(wholeStream(dialects.chat, tokens, [saidFirst, saidThen]))
  expect(gateway.stdout.filter((line) => /attempt failed|channel cools/.test(line))).toEqual([])
  await using ledger = openLedger(gateway.cwd)
  const attempts = (await ledger.records()).map(({ ending }) => ending)
  expect(attempts).toEqual(['complete', 'complete'])
})
