import { type Asked, bodyOf } from './question.ts'

/** What can be set up, in the order in which it is offered. */
export const clients = [
  ...(['chat', 'responses', 'messages', 'gemini', 'claude-code', 'codex', 'gemini-cli'] as const),
] as const
export type Client = (typeof clients)[number]

interface Setup {
  /** Main or overseas address of the gateway, without `/v1`. */
  readonly address: string
  readonly key: string
  readonly model: string
}

/** A text to copy; `title` is the language, or the file that it stands in. */
interface Snippet {
  readonly title: string
  readonly code: string
}

/** These write `/v1` themselves into their base address; all others add what they need to it. */
const withVersion: ReadonlySet<Client> = new Set(['chat', 'responses', 'codex'])

/** The base address of a client, by the rule of its protocol. */
export function baseAddress(client: Client, address: string): string {
  const bare = address.replace(/\/+$/, '')
  return withVersion.has(client) ? `${bare}/v1` : bare
}

/** What to write for a client, ready to be run. */
export function snippetsOf(client: Client, { address, key, model }: Setup): readonly Snippet[] {
  const user = 'Say hello.'
  const values = { base: baseAddress(client, address), key, model, question: user }
  const fill = (text: string) =>
    text.replace(/\{\{(\w+)\}\}/g, (_, name: keyof typeof values) => JSON.stringify(values[name]))
  if (!isProtocol(client)) return others[client](values)
  const sdk = Object.entries(sdks[client]).map(([title, text]) => ({ title, code: fill(text) }))
  const asked = { protocol: client, model, user, system: '', stream: false, maxTokens: null }
  return [...sdk, { title: 'curl', code: curlOf(asked, address, key) }]
}

const openaiPython = `from openai import OpenAI

client = OpenAI(
    base_url={{base}},
    api_key={{key}},
)`
const openaiTypeScript = `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: {{base}},
  apiKey: {{key}},
})`

/** Programs with a vendor's package. A quoted JSON text is a string of both languages. */
const sdks = {
  chat: {
    Python: `${openaiPython}
completion = client.chat.completions.create(
    model={{model}},
    messages=[{"role": "user", "content": {{question}}}],
)
print(completion.choices[0].message.content)`,
    TypeScript: `${openaiTypeScript}
const completion = await client.chat.completions.create({
  model: {{model}},
  messages: [{ role: 'user', content: {{question}} }],
})
console.log(completion.choices[0]?.message.content)`,
  },
  responses: {
    Python: `${openaiPython}
response = client.responses.create(
    model={{model}},
    input={{question}},
)
print(response.output_text)`,
    TypeScript: `${openaiTypeScript}
const response = await client.responses.create({
  model: {{model}},
  input: {{question}},
})
console.log(response.output_text)`,
  },
  // This package and the next add the version and the rest of the path themselves.
  messages: {
    Python: `from anthropic import Anthropic

client = Anthropic(
    base_url={{base}},
    auth_token={{key}},
)
message = client.messages.create(
    model={{model}},
    max_tokens=1024,
    messages=[{"role": "user", "content": {{question}}}],
)
print(message.content[0].text)`,
    TypeScript: `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({
  baseURL: {{base}},
  apiKey: null,
  authToken: {{key}},
})
const message = await client.messages.create({
  model: {{model}},
  max_tokens: 1024,
  messages: [{ role: 'user', content: {{question}} }],
})
console.log(message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''))`,
  },
  gemini: {
    Python: `from google import genai

client = genai.Client(
    api_key={{key}},
    http_options={"base_url": {{base}}},
)
response = client.models.generate_content(
    model={{model}},
    contents={{question}},
)
print(response.text)`,
    TypeScript: `import { GoogleGenAI } from '@google/genai'

const client = new GoogleGenAI({
  apiKey: {{key}},
  httpOptions: { baseUrl: {{base}} },
})
const response = await client.models.generateContent({
  model: {{model}},
  contents: {{question}},
})
console.log(response.text)`,
  },
}

/** Where a client would ask the same. */
export function clientPath({ protocol, model, stream }: Asked): string {
  const action = stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
  const paths = {
    chat: '/v1/chat/completions',
    responses: '/v1/responses',
    messages: '/v1/messages',
    gemini: `/v1beta/models/${encodeURIComponent(model)}:${action}`,
  }
  return paths[protocol]
}

/** The same question as a command; without a key, the variable `KEY` of the shell has it. */
export function curlOf(question: Asked, address: string, key?: string): string {
  const url = address.replace(/\/+$/, '') + clientPath(question)
  const headers = [
    key === undefined ? '"Authorization: Bearer $KEY"' : shellWord(`authorization: Bearer ${key}`),
    ...(question.protocol === 'messages' ? ["'anthropic-version: 2023-06-01'"] : []),
    "'content-type: application/json'",
  ]
  return [
    `curl ${question.stream ? '-N ' : ''}${shellWord(url)} \\`,
    ...headers.map((header) => `  -H ${header} \\`),
    `  -d ${shellWord(json(bodyOf(question)))}`,
  ].join('\n')
}

type Protocol = keyof typeof sdks
const isProtocol = (client: Client): client is Protocol => Object.hasOwn(sdks, client)

type Values = Readonly<Record<'base' | 'key' | 'model', string>>

/** What is set up beside the SDKs: files and commands. */
const others: Readonly<Record<Exclude<Client, Protocol>, (values: Values) => readonly Snippet[]>> =
  {
    'claude-code'({ base, key, model }) {
      const env = { ANTHROPIC_BASE_URL: base, ANTHROPIC_AUTH_TOKEN: key }
      return [
        { title: 'Shell', code: `${exports(env)}\nclaude --model ${shellWord(model)}` },
        { title: '~/.claude/settings.json', code: json({ model, env }) },
      ]
    },
    // Codex speaks responses alone; web search runs at a vendor that may not be the model's.
    codex: ({ base, key, model }) => [
      {
        title: '~/.codex/config.toml',
        code: `model = ${JSON.stringify(model)}
model_provider = "tollgate"
web_search = "disabled"

[model_providers.tollgate]
name = "Tollgate"
base_url = ${JSON.stringify(base)}
env_key = "TOLLGATE_KEY"
wire_api = "responses"`,
      },
      { title: 'Shell', code: `${exports({ TOLLGATE_KEY: key })}\ncodex` },
    ],
    'gemini-cli'({ base, key, model }) {
      const env = { GOOGLE_GEMINI_BASE_URL: base, GEMINI_API_KEY: key }
      const settings = { security: { auth: { selectedType: 'gemini-api-key' } } }
      return [
        { title: 'Shell', code: `${exports(env)}\ngemini -m ${shellWord(model)}` },
        { title: '~/.gemini/settings.json', code: json(settings) },
      ]
    },
  }

const json = (value: object) => JSON.stringify(value, null, 2)

const exports = (variables: Readonly<Record<string, string>>) =>
  Object.entries(variables)
    .map(([name, value]) => `export ${name}=${shellWord(value)}`)
    .join('\n')

/** A text as one word of a POSIX shell. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
