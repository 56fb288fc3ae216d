import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { chat } from '../../src/protocols/chat/index.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import type { Protocol, ProtocolName } from '../../src/protocols/protocol.ts'
import { responses } from '../../src/protocols/responses/index.ts'
import { type Script, startScriptedUpstream } from '../agents/scripted-upstream.ts'
import { speaksAt, testKey, tollgateYaml, upstreamKey } from '../support/tollgate-yaml.ts'
import { cases, historyFault, stepOf } from './cases.ts'
import {
  type Cell,
  faultsOf,
  type Outcome,
  play,
  raised,
  type Target,
  type Traces,
} from './cell.ts'
import { absent, clients } from './clients.ts'
import { type Charge, startCompiled, startHurried } from './gateway.ts'
import { build, install, versionsOf } from './install.ts'
import { printTable } from './table.ts'

/**
 * The SDKs and frameworks of four languages through the gateway, natively and on foreign channels,
 * while the upstream is silent for longer than heartbeats wait, or fails late.
 *
 *   bun test/clients/main.ts FOLDER --install
 *   bun test/clients/main.ts FOLDER [--only CLIENT] [--on CHANNEL] [--case CASE] [--silence SECONDS] [--jobs N]
 *
 * FOLDER is where the clients are installed. A silence of 28 s (default) is had from the compiled
 * program; a shorter one from the sources, with heartbeats that are earlier in proportion.
 */
const usage =
  'Usage: bun test/clients/main.ts FOLDER [--install] [--only CLIENT] [--on CHANNEL] [--case CASE] [--silence SECONDS] [--jobs N]'
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    install: { type: 'boolean' },
    ...{ only: { type: 'string' }, on: { type: 'string' }, case: { type: 'string' } },
    silence: { type: 'string', default: '28' },
    jobs: { type: 'string', default: '16' },
  },
})
const folder = resolve(positionals[0] ?? '')
if (!positionals[0] || (!values.install && !existsSync(join(folder, 'js')))) {
  console.error(usage)
  process.exit(2)
}
if (values.install) {
  await install(folder)
  process.exit(0)
}
const silenceMs = Number(values.silence) * 1000
const protocols: readonly Protocol[] = [chat, responses, messages, gemini]
const targets: readonly Target[] = ['chat', 'responses', 'messages', 'gemini', 'direct']

const cells: readonly Cell[] = clients
  .filter(({ name }) => !values.only || values.only.split(',').some((part) => name.includes(part)))
  .flatMap((client) =>
    client.speaks.flatMap((speaks) =>
      targets.flatMap((target) =>
        cases
          // What a client makes of its vendor's own error is what can be asked of the gateway.
          .filter(({ name }) => target !== 'direct' || name === 'broken' || name === 'prompt')
          .filter(
            ({ name }) =>
              !values.case || values.case.split(',').includes(name) || target === 'direct',
          )
          .filter(() => !values.on || values.on === target || target === 'direct')
          .map((of): Cell => {
            const model = `${client.name}-${speaks}_on_${target}_${of.name}`
            return { client, speaks, target, case: of, model }
          }),
      ),
    ),
  )

const seen = new Map<string, { requests: number; faults: string[] }>()
const cellOf = new Map(cells.map((cell) => [cell.model, cell]))

const script: Script = (request) => {
  const cell = cellOf.get(request.model)
  if (!cell) return { text: `There is no cell ${request.model}.` }
  const traces = seen.get(request.model) ?? { requests: 0, faults: [] }
  seen.set(request.model, traces)
  traces.requests++
  const turn = request.turns.some(({ role }) => role === 'assistant') ? 1 : 0
  const fault = turn === 1 ? historyFault(cell.case, request) : undefined
  if (fault) traces.faults.push(fault)
  return stepOf(cell.case, turn, silenceMs)
}

await build(folder)
await using stack = new AsyncDisposableStack()
const upstreams = Object.fromEntries(
  protocols.map((protocol) => {
    const upstream = startScriptedUpstream(protocol, script)
    stack.defer(upstream.stop)
    return [protocol.name, upstream.url]
  }),
) as Record<ProtocolName, string>
const modelsOn = (target: Target) =>
  cells.filter((cell) => cell.target === target).map(({ model }) => model)
const channelOn = (name: ProtocolName) => ({
  ...{ name, models: modelsOn(name), api_key: upstreamKey, allow_private: true },
  speaks: speaksAt(upstreams[name], [name]),
})
const used = protocols.map(({ name }) => name).filter((name) => modelsOn(name).length > 0)
const [firstUsed = 'chat', ...others] = used
const yaml = (listen: string) =>
  tollgateYaml({
    ...{ listen, upstream: upstreams.chat, store: 'sqlite:tollgate.db', balance: 10_000 },
    models: cells.map(({ model }) => model),
    channel: { ...channelOn(firstUsed), name: 'main' },
    moreChannels: others.map(channelOn),
    group: { channels: ['main', ...others] },
  })
const isHurried = silenceMs < 26_000
const gateway = await (isHurried ? startHurried(yaml, silenceMs) : startCompiled(yaml))
stack.use(gateway)

const outcomes = new Map<Cell, Outcome>()
const waiting = [...cells]
const limitMs = silenceMs + 90_000
async function work(): Promise<void> {
  for (let cell = waiting.shift(); cell; cell = waiting.shift()) {
    const direct = upstreams[cell.speaks]
    const at = cell.target === 'direct' ? direct : gateway.url
    outcomes.set(cell, await play(cell, folder, { url: at, key: testKey, limitMs }))
    if (outcomes.size % 50 === 0) console.error(`${outcomes.size} of ${cells.length} played`)
  }
}
await Promise.all(Array.from({ length: Number(values.jobs) }, work))

const charges = Map.groupBy(await gateway.charges(), ({ model }: Charge) => model)
const results = cells.map((cell) => {
  const traces: Traces = {
    ...(seen.get(cell.model) ?? { requests: 0, faults: [] }),
    charges: charges.get(cell.model) ?? [],
  }
  const outcome = outcomes.get(cell) ?? { said: {}, crash: 'never ran' }
  return { cell, outcome, faults: faultsOf(cell, outcome, traces), raised: raised(outcome) }
})
console.log(
  `Silence of ${values.silence} s, ${isHurried ? 'from the sources, hurried' : 'the compiled program'}.\n`,
)
for (const client of new Set(cells.map(({ client }) => client))) {
  console.log(`${client.name.padEnd(18)} ${await versionsOf(client, folder)}`)
}
console.log(`\nNot in a registry: ${absent.join(', ')}.`)
process.exitCode = printTable(results) ? 0 : 1
