import { allDialects, dialects } from '../e2e/dialects.ts'
import { keyOn, startTranslating } from '../e2e/translated.ts'
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'

/**
 * How long another customer's requests take while four send bodies that are much work: in turns of
 * quiet and of trouble, in one run.
 *
 *   TOLLGATE_BINARY=… bun test/bench/grown-bodies.ts [rounds]
 */
const [rounds = 3] = process.argv.slice(2).map(Number)
const requestsOfRound = 200

const upstream = startFakeUpstream(({ path }) => {
  const dialect = allDialects.find((one) => path.includes(one.path(false).split('/').at(-1) ?? ''))
  return jsonAnswer((dialect ?? dialects.chat).body({ input: 9, output: 5 }))
})
const gateway = await startTranslating(upstream.url)

const messages = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    role: at % 2 ? 'assistant' : 'user',
    content: `m${at}`,
  }))
const schema = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 9_900 }, (_, at) => [`p${at}`, { $ref: `#/properties/q/${at}/s` }]),
  ),
}
const bodies = [
  { on: 'messages', body: { messages: messages(80_000) } },
  { on: 'gemini', body: { messages: messages(80_000) } },
  {
    on: 'gemini',
    body: {
      messages: messages(2),
      tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
    },
  },
  { on: 'responses', body: { messages: messages(40_000) } },
].map(({ on, body }) => ({ on, text: JSON.stringify({ model: 'test-model', ...body }) }))

const post = (key: string, body: string) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body,
    proxy: false,
  }).then((answer) => answer.arrayBuffer())

async function measure(): Promise<number[]> {
  const times: number[] = []
  const body = JSON.stringify({ model: 'test-model', messages: messages(1) })
  for (let at = 0; at < requestsOfRound; at++) {
    const before = performance.now()
    await post(keyOn(dialects.chat), body)
    times.push(performance.now() - before)
    await Bun.sleep(5)
  }
  return times
}

const quiet: number[] = []
const troubled: number[] = []
let sent = 0
for (let round = 0; round < rounds; round++) {
  quiet.push(...(await measure()))
  let isOver = false
  const hostile = bodies.map(async ({ on, text }) => {
    while (!isOver) {
      await post(keyOn({ name: on as 'chat' }), text)
      sent++
    }
  })
  troubled.push(...(await measure()))
  isOver = true
  await Promise.all(hostile)
}
const at = (times: number[], part: number) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? 0
for (const [name, times] of [
  ['quiet', quiet],
  ['four send grown bodies', troubled],
] as const) {
  process.stdout.write(
    `${name}: p50 ${at(times, 0.5).toFixed(1)} ms, p99 ${at(times, 0.99).toFixed(1)} ms\n`,
  )
}
process.stdout.write(`grown bodies answered: ${sent}\n`)
await gateway.stop()
await upstream.stop()
