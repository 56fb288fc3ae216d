import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Usage } from '../../src/protocols/canonical/usage.ts'
import type { Protocol } from '../../src/protocols/protocol.ts'
import { type Charge, startCompiled } from '../clients/gateway.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { speaksAt, tollgateYaml } from '../support/tollgate-yaml.ts'
import { type Agent, model } from './agents.ts'
import { createInputMeter, upstreamModels } from './kept-prompts.ts'
import { type Overheard, overhear } from './overhear.ts'
import { type Script, type Seen, type Step, startScriptedUpstream } from './scripted-upstream.ts'
import { filesAfter, type Work } from './work.ts'

/** USD per 1M LLM tokens, the same on every channel. */
export const price = { input: 1, cache_read: 0.1, cache_write: 1.25, output: 5 }

/** What came of an agent's work through the gateway. */
export interface Played {
  /** Its files are as they should be. */
  readonly isMended: boolean
  readonly code: number | null
  readonly said: string
  /** Requests with tools; titles and the like have none. */
  readonly turns: number
  readonly offered: ReadonlySet<string>
  readonly seen: Seen
  /** How the input of each of those turns counted. */
  readonly inputs: readonly Usage[]
  /** The bill by what the upstream counted, in nano-USD. */
  readonly due: number
  readonly charges: readonly Charge[]
  /** All that the agent was answered. */
  readonly answers: readonly Overheard[]
  /** The conversation as it was sent last. */
  readonly conversation: string
}

/** Has an agent do a work on a channel of one protocol; `silenceMs`: the upstream pauses so long, twice. */
export async function play(
  agent: Agent,
  protocol: Protocol,
  work: Work,
  silenceMs = 0,
): Promise<Played> {
  using home = createTempDir('tollgate-agent')
  const folder = home.join('work')
  mkdirSync(folder)
  for (const [path, text] of Object.entries(work.files)) await Bun.write(join(folder, path), text)
  const offered = new Set<string>()
  let turns = 0
  let conversation = ''
  const script: Script = ({ tools, turns: said }, calls) => {
    if (tools.length === 0) return { text: 'A title.' }
    conversation = JSON.stringify(said)
    for (const { name } of tools) offered.add(name)
    turns++
    const deed = work.deeds[calls]
    const step = deed ? agent.call(deed, folder, tools) : { text: work.lastWords }
    return paused(step, calls, work.deeds.length, silenceMs)
  }
  const meter = createInputMeter(protocol.name)
  const inputs: Usage[] = []
  await using upstream = startScriptedUpstream(protocol, script, (body, { tools }) => {
    const usage = meter(body)
    if (tools.length > 0) inputs.push(usage)
    return usage
  })
  await using gateway = await startCompiled((listen) =>
    tollgateYaml({
      listen,
      store: 'sqlite:tollgate.db',
      upstream: upstream.url,
      models: [{ id: model, upstream: upstreamModels[protocol.name] }],
      prices: { [model]: price },
      channel: { speaks: speaksAt(upstream.url, [protocol.name]) },
    }),
  )
  await using wire = await overhear(gateway.url)
  for (const [path, text] of Object.entries(agent.files?.(wire.url) ?? {})) {
    await Bun.write(home.join(path), text)
  }
  const run = (command: readonly string[]) =>
    runIn(folder, home.path, agent.env(wire.url), command, silenceMs)
  const setUp = agent.before && (await run(agent.before(wire.url)))
  const { code, said } = await run(agent.command(work.task, wire.url))
  return {
    ...{ code, said: `${setUp?.said ?? ''}${said}`, turns, offered, seen: upstream.seen, inputs },
    ...{ answers: [...wire.answers], conversation },
    isMended: Object.entries(filesAfter(work)).every(
      ([path, text]) => readFileSync(join(folder, path), 'utf8') === text,
    ),
    due: upstream.seen.usages.reduce((sum, usage) => sum + costOf(usage), 0),
    charges: await gateway.charges(),
  }
}

/** Pauses in the middle of the first call, and before the last words. */
function paused(step: Step, calls: number, last: number, ms: number): Step {
  if (ms === 0 || (calls > 0 && calls < last)) return step
  return { ...step, silence: { ms, at: calls === 0 ? 'middle' : 'start' } }
}

/** In nano-USD. */
function costOf(usage: Usage): number {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage
  const usd =
    inputTokens * price.input +
    cacheReadTokens * price.cache_read +
    cacheWriteTokens * price.cache_write +
    outputTokens * price.output
  return Math.round(usd * 1000)
}

async function runIn(
  cwd: string,
  home: string,
  env: object,
  command: readonly string[],
  silenceMs: number,
) {
  const child = Bun.spawn([...command], {
    ...{ cwd, env: { PATH: process.env.PATH ?? '', HOME: home, ...env } },
    ...{ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', timeout: 180_000 + 3 * silenceMs },
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code: child.exitCode, said: `${out.slice(-1500)}\n${err.slice(-2500)}` }
}
