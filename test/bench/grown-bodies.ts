import { startBinary } from '../support/binary.ts'
import { speaksAt, testKey, tollgateYaml, upstreamKey } from '../support/tollgate-yaml.ts'
import { attackers, type PartMessage } from './grown-bodies/part.ts'

/**
 * How long another customer's requests take while four send bodies that are much work: in turns of
 * quiet and of trouble, in one run. The four and their upstream have processes of their own, which give
 * way to the gateway: in the world they are on other machines.
 *
 *   TOLLGATE_BINARY=… bun test/bench/grown-bodies.ts [rounds]
 */
const [rounds = 5] = process.argv.slice(2).map(Number)
const requestsOfRound = 400

function startPart(args: readonly string[], priority = '19') {
  const first = Promise.withResolvers<PartMessage>()
  let last: PartMessage | undefined
  const child = Bun.spawn(
    ['nice', '-n', priority, process.execPath, `${import.meta.dir}/grown-bodies/part.ts`, ...args],
    {
      stdout: 'inherit',
      stderr: 'inherit',
      ipc(message: PartMessage) {
        last = message
        first.resolve(message)
      },
    },
  )
  return { child, first: first.promise, last: () => last }
}

const [upstream, theirs] = [startPart(['upstream'], '0'), startPart(['upstream'])]
const { url = '' } = await upstream.first
const { url: theirUrl = '' } = await theirs.first
const models = ['test-model']
const gateway = await startBinary({
  config: (listen) =>
    tollgateYaml({
      ...{ listen, upstream: url, models, speaks: ['chat'] },
      moreChannels: attackers.map(({ name, on }) => ({
        ...{ name, api_key: upstreamKey, models, allow_private: true },
        speaks: speaksAt(theirUrl, [on]),
      })),
      moreGroups: attackers.map(({ name }) => ({ name, channels: [name] })),
      moreAccounts: attackers.map(({ name, key }) => ({
        ...{ email: `${name}@example.com`, balance: 100 },
        tokens: [{ name, key, group: name }],
      })),
    }),
})

const body = JSON.stringify({
  model: 'test-model',
  messages: [{ role: 'user', content: 'hello' }],
})

async function measure(): Promise<number[]> {
  const times: number[] = []
  for (let at = 0; at < requestsOfRound; at++) {
    const before = performance.now()
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      ...{ method: 'POST', body, proxy: false },
      headers: { authorization: `Bearer ${testKey}` },
    })
    await answer.arrayBuffer()
    times.push(performance.now() - before)
    await Bun.sleep(5)
  }
  return times
}

const at = (times: readonly number[], part: number) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? 0
const print = (name: string, times: readonly number[]) =>
  process.stdout.write(
    `${name}: p50 ${at(times, 0.5).toFixed(1)} ms, p99 ${at(times, 0.99).toFixed(1)} ms, most ${at(times, 0.9999).toFixed(1)} ms\n`,
  )

await measure()
const quiet: number[] = []
const troubled: number[] = []
let answered = 0
for (let round = 0; round < rounds; round++) {
  quiet.push(...(await measure()))
  const attackers = startPart(['attackers', gateway.url])
  await attackers.first
  troubled.push(...(await measure()))
  attackers.child.send('stop')
  await attackers.child.exited
  answered += attackers.last()?.answered ?? 0
}
print('quiet', quiet)
print('while four send grown bodies', troubled)
process.stdout.write(`grown bodies answered: ${answered}\n`)
await gateway.stop()
for (const { child } of [upstream, theirs]) {
  child.send('stop')
  await child.exited
}
