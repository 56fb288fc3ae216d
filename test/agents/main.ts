import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { CanonicalRequest } from '../../src/protocols/canonical/request.ts'
import { chat } from '../../src/protocols/chat/index.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import type { Protocol } from '../../src/protocols/protocol.ts'
import { responses } from '../../src/protocols/responses/index.ts'
import { startBinary } from '../support/binary.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { speaksAt, testKey, tollgateYaml } from '../support/tollgate-yaml.ts'
import { type Script, type Step, startScriptedUpstream } from './scripted-upstream.ts'

/**
 * Coding agents through the compiled gateway, each on channels of the protocols that are not its own:
 * it must mend a file by a tool call that a scripted upstream asks for.
 *
 *   bun test/agents/main.ts FOLDER [agent] [protocol]
 *
 * FOLDER is where they are installed: npm install @anthropic-ai/claude-code @openai/codex
 * @google/gemini-cli
 */
const [folder = '', onlyAgent, onlyProtocol] = process.argv.slice(2)
const bin = resolve(folder, 'node_modules')
if (!existsSync(bin)) {
  console.error('Usage: bun test/agents/main.ts FOLDER [agent] [protocol]')
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

async function play(agent: Agent, protocol: Protocol) {
  using home = createTempDir('tollgate-agent')
  const work = home.join('work')
  mkdirSync(work)
  const file = join(work, 'greeting.txt')
  writeFileSync(file, before)
  for (const [path, text] of Object.entries(agent.files ?? {})) {
    await Bun.write(home.join(path), text)
  }
  const script: Script = (request, calls) => {
    const step = request.tools.length > 0 ? agent.steps(file, request)[calls] : undefined
    return step ?? { text: 'Done: the spelling is corrected.' }
  }
  await using upstream = startScriptedUpstream(protocol, script)
  await using gateway = await startBinary({
    config: (listen) =>
      tollgateYaml({
        listen,
        upstream: upstream.url,
        models: [model],
        channel: { speaks: speaksAt(upstream.url, [protocol.name]) },
      }),
  })
  const child = Bun.spawn([...agent.command(gateway.url)], {
    cwd: work,
    env: { PATH: process.env.PATH ?? '', HOME: home.path, ...agent.env(gateway.url) },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 120_000,
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  const isMended = readFileSync(file, 'utf8') === after
  const { requests, signed, unsigned, native } = upstream.seen
  console.log(
    `${agent.name.padEnd(12)} ${protocol.name.padEnd(10)} ${isMended ? 'mended' : 'NOT MENDED'}  ` +
      `exit ${child.exitCode}  ${requests} requests, reasoning back: ${signed} signed, ${unsigned} not`,
  )
  if (native.size > 0) console.log(`  not known upstream: ${[...native].join(', ')}`)
  if (!isMended) {
    console.log(`${out.slice(-1500)}\n${err.slice(-2500)}`)
    for (const line of gateway.stderr.slice(-5)) console.log(`  gateway: ${line}`)
    for (const line of gateway.stdout.slice(-5)) console.log(`  gateway: ${line}`)
  }
  return isMended
}

let failed = 0
for (const agent of agents) {
  for (const protocol of protocols) {
    const isMeant =
      (!onlyAgent || agent.name === onlyAgent) && (!onlyProtocol || protocol.name === onlyProtocol)
    if (agent.own !== protocol.name && isMeant && !(await play(agent, protocol))) failed++
  }
}
process.exit(failed > 0 ? 1 : 0)
