import { hostname } from 'node:os'
import { quirkNames } from '../../../src/protocols/canonical/quirks.ts'
import { settlement } from '../../store/support.ts'
import { jsonAnswer, startFakeUpstream } from '../../support/fake-upstream.ts'
import { openStoreOf } from '../../support/store-beside.ts'
import { speaksAt, testKey } from '../../support/tollgate-yaml.ts'
import { dialects } from '../dialects.ts'
import type { Entry } from './console-binary.ts'

/** Who administers a gateway that `livedIn` describes. */
export const owner: Entry = { email: 'owner@example.com', password: 'a rather long password' }

/** Names as people give them: long, in Chinese, with brackets of full width. */
const longGroup = '默认【官转·稳定】'
const longModel = 'claude-sonnet-4-20250514-with-a-rather-long-name-preview'
const keys = {
  other: 'sk-other-0123456789abcdefghijklmnop',
  poor: 'sk-poor-0123456789abcdefghijklmnopq',
}

/** An upstream that answers, but is out of order below `/broken` and asks for patience below `/busy`. */
export const startMoodyUpstream = () =>
  startFakeUpstream(({ path, json }) => {
    if (path.startsWith('/broken')) return jsonAnswer({ error: { message: 'overloaded' } }, 503)
    if (path.startsWith('/busy')) {
      return jsonAnswer({ error: { message: 'slow down' } }, 429, { 'retry-after': '600' })
    }
    const dialect = Object.values(dialects).find((one) => one.path(false) === path)
    const length = JSON.stringify(json()).length
    return jsonAnswer(dialect?.body({ input: 977 * length, output: 131 * length }) ?? {})
  })

/** A configuration with something of everything, for `tollgateYaml`. */
export const livedIn = (upstream: string) => ({
  upstream,
  speaks: ['chat', 'messages'] as const,
  models: ['gpt-4o', longModel, 'deepseek-chat', 'o1-mini', 'gemini-2.0-flash', 'per-call-image'],
  prices: {
    'gpt-4o': { input: '2.5', output: 10, cache_read: '1.25', note: 'as the vendor' },
    [longModel]: {
      ...{
        input: 3,
        output: 15,
        cache_read: '0.3',
        cache_write: '3.75',
        context_window: 1_000_000,
      },
      tiers: [{ above: 200_000, input: 6, output: '22.5' }],
    },
    'deepseek-chat': { input: '0.27', output: '1.1', cache_read: '0.07' },
    'o1-mini': { free: true },
    'per-call-image': { per_call: '0.040000001', note: '每张图片' },
    'broken-model': { input: 1, output: 2 },
    'busy-model': { input: 1, output: 2 },
  },
  group: { description: 'Everything, at the base price.' },
  moreChannels: [
    ...[
      { name: 'out of order', path: '/broken', models: ['broken-model'] },
      { name: '备用线路（香港）', path: '/busy', models: ['busy-model'] },
    ].map(({ name, path, models }) => ({
      ...{ name, models, allow_private: true, api_keys: ['key-a-0123456789', 'key-b-0123456789'] },
      speaks: speaksAt(upstream + path, ['chat']),
    })),
    ...[
      { name: 'draining', drain: true },
      { name: 'switched-off', enabled: false },
    ].map((one) => ({
      ...{ ...one, models: ['gpt-4o'], api_key: 'key-c-0123456789', allow_private: true },
      speaks: speaksAt(upstream, ['chat']),
    })),
  ],
  moreGroups: [
    {
      ...{
        name: longGroup,
        description: '官方渠道转发，按官方价 1.2 倍计费。',
        platform: 'anthropic',
      },
      ...{ rate_multiplier: '1.2', channels: ['main', 'out of order', '备用线路（香港）'] },
      limits: { rpm: 600, concurrency: 20 },
    },
    { name: 'closed', enabled: false, channels: [] },
  ],
  moreAccounts: [
    {
      ...{ ...owner, role: 'admin', balance: '1234567.890123456' },
      tokens: [
        {
          name: '笔记本电脑上的 Claude Code',
          key: keys.other,
          group: longGroup,
          budget: { day: 5 },
        },
      ],
    },
    {
      ...{ email: 'somebody.with.a.long.name@department.example.com', balance: '0.000001' },
      tokens: [{ name: 'poor', key: keys.poor, group: 'default' }],
    },
    { email: 'suspended@example.com', enabled: false, balance: 3 },
  ],
  settings: { balance_low_threshold: 1, registration_enabled: true },
  site: {
    name: '星河中转站 Tollgate',
    contact: 'help@example.com',
    subtitle: 'one key, all models',
  },
})

/** Asks as people do in a day: most is answered, some fails, for several causes. */
export async function ask(url: string): Promise<void> {
  const send = async (model: string, key: string, words = 1) => {
    const messages = [{ role: 'user', content: 'Hello! '.repeat(words) }]
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      proxy: false,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages, max_tokens: 100 }),
    })
    await response.text()
  }
  for (const [at, model] of livedIn(url).models.entries()) {
    await send(model, testKey, 3 * at)
    await send(model, keys.other, 20 - at)
  }
  await send('gpt-4', testKey)
  await send('broken-model', keys.other)
  await send('busy-model', keys.other)
  await send('gpt-4o', keys.poor)
  await send('gpt-4o', 'sk-nobody-0123456789abcdefghijklmno')
}

/** Charges somebody for what they had no money for: another node may have spent it meanwhile. */
export async function overdraw(folder: string): Promise<void> {
  const store = await openStoreOf(folder)
  const models = { model: 'gpt-4o', upstreamModel: 'gpt-4o' }
  const owing = { ...models, accountId: 3, tokenId: 3, amountNano: 2_500_000_000 }
  await store.records.commit({ settle: [settlement({ requestId: 'req_dear', ...owing })] })
  await store.close()
}

/** Names that are the same in every language, beside those that `livedIn` gives. */
const names = [
  ...['Chat', 'Chat Completions', 'Responses', 'Messages', 'Messages (Anthropic)', 'Gemini'],
  ...['OpenAI', 'Anthropic', 'Google Gemini', 'DeepSeek', 'Moonshot', 'OpenRouter', 'Ollama'],
  ...['Anthropic SDK', 'Google Gen AI SDK', 'Claude Code', 'Codex', 'Gemini CLI'],
  ...['Python', 'TypeScript', 'curl', 'tollgate.yaml', 'openai-main', 'gpt-4', 'owner'],
  ...['chat', 'responses', 'messages', 'gemini', 'CPU', 'Ctrl', 'sk-proj-…', ...quirkNames],
]

/** What is written alike everywhere: addresses, paths, hidden keys, what a browser calls itself, nodes, units, formulas. */
const marks = [
  /^\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d)? UTC$/,
  /^https?:\/\/\S+$/,
  /^(?:POST )?\/\S+$/,
  /^\S+…\S*$/,
  /^Mozilla\/5\.0 /,
  /^\w+ · (?:Linux|macOS|Windows)$/,
  /^req_\w+$/,
  new RegExp(`^${RegExp.escape(hostname())}:\\d+$`),
  /^(?:[\d.,]+ (?:ms|s|min|h|d|B|kB|MB|GB) ?)+$/,
  /^[\d.()×+/= ]+ nano-USD$/,
]

/** All texts of the configuration, the longest first. */
const given = [
  ...textsIn(livedIn('')),
  ...Object.keys(livedIn('').prices),
  'user@example.com',
  'test',
]
  .filter((text) => text.length > 1)
  .sort((a, b) => b.length - a.length)

/** What is left of a text without what the configuration says. */
export const withoutData = (text: string): string =>
  given.reduce((rest, one) => rest.replaceAll(one, ''), text)

/** Whether a text is only what the configuration says, and names. */
export const isData = (text: string): boolean =>
  names.includes(text.replace(/ [↑↓]$/, '')) ||
  marks.some((mark) => mark.test(text)) ||
  !/[A-Za-z]{2}/.test(withoutData(text))

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
