import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type RunningBinary, runBinary, startBinary } from '../support/binary.ts'
import {
  type FakeUpstream,
  jsonAnswer,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { validateBody, validateStream } from '../support/validators/validate-stream.ts'
import { ask, requestIdOf } from './caller.ts'
import { allDialects } from './dialects.ts'
import { openLedger } from './ledger.ts'

// An upstream of the chat protocol that heeds no `stream`: a whole answer where a stream was asked for,
// and the other way round. Its counts are texts.

const usage = {
  prompt_tokens: '1000',
  completion_tokens: '500',
  total_tokens: '1500',
  prompt_tokens_details: { cached_tokens: '100' },
}
const call = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{"q":7}' } }
const head = { id: 'chatcmpl-1', created: 1, model: 'test-model' }
const whole = {
  ...{ ...head, object: 'chat.completion', usage },
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'One moment.', tool_calls: [call] },
      finish_reason: 'tool_calls',
    },
  ],
}
const chunk = (fields: object) =>
  `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...fields })}\n\n`
const delta = (fields: object, finish_reason: string | null = null) =>
  chunk({ choices: [{ index: 0, delta: fields, finish_reason }] })
const streamed = [
  delta({ role: 'assistant', content: 'One ' }),
  delta({ content: 'moment.' }),
  delta({ tool_calls: [{ index: 0, ...call }] }),
  delta({}, 'tool_calls'),
  chunk({ choices: [], usage }),
  'data: [DONE]\n\n',
].join('')

let upstream: FakeUpstream
let gateway: RunningBinary
beforeAll(async () => {
  upstream = startFakeUpstream((seen) =>
    (seen.json() as { stream?: boolean }).stream ? jsonAnswer(whole) : sseAnswer(streamed),
  )
  gateway = await startBinary({
    args: ['serve', '--log', 'json'],
    config: (listen) => tollgateYaml({ listen, upstream: upstream.url, speaks: ['chat'] }),
  })
})
afterAll(async () => {
  await gateway.stop()
  await upstream.stop()
})

describe.each(allDialects.map((dialect) => [dialect.name, dialect] as const))(
  '%s',
  (name, dialect) => {
    test.each([
      ['a stream', true],
      ['a whole answer', false],
    ])(
      'gets %s, with all that is in the other one, and is charged for it',
      async (_, isStreamed) => {
        const answer = await ask(gateway.url, dialect, isStreamed)
        const text = await answer.text()
        expect(answer.status).toBe(200)
        const faults = isStreamed
          ? validateStream(name, text, { usage: true })
          : validateBody(name, JSON.parse(text))
        expect(faults).toEqual([])
        expect(text).toContain('look_up')
        expect(text.replaceAll('\\', '')).toMatch(/"q":\s?7/)
        await using ledger = openLedger(gateway.cwd)
        expect(await ledger.record(requestIdOf(answer))).toMatchObject({
          ...{ ending: 'complete', estimated: 0 },
          ...{ input_tokens: 900, cache_read_tokens: 100, output_tokens: 500 },
        })
      },
    )
  },
)

test('what was charged is what the reports say, when it is reckoned again', async () => {
  const { exitCode, stdout, stderr } = await runBinary([
    ...['verify', '--config', `${gateway.cwd}/tollgate.yaml`],
  ])
  expect([exitCode, exitCode === 0 ? '' : stdout + stderr]).toEqual([0, ''])
})
