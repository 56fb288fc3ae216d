/** What can be set up, in the order in which it is offered. */
export const clients = [
  'chat',
  'responses',
  'messages',
  'gemini',
  'claude-code',
  'codex',
  'gemini-cli',
] as const
export type Client = (typeof clients)[number]

/** What a client must be told. */
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

const makers: { readonly [Name in Client]: (base: string, setup: Setup) => readonly Snippet[] } = {
  chat,
  responses,
  messages,
  gemini,
  'claude-code': claudeCode,
  codex,
  'gemini-cli': geminiCli,
}

/** What to write for a client, ready to be run. */
export const snippetsOf = (client: Client, setup: Setup): readonly Snippet[] =>
  makers[client](baseAddress(client, setup.address), setup)

const question = 'Say hello.'

interface CurlParts {
  readonly url: string
  readonly headers: readonly string[]
  readonly body: object
}

function curl({ url, headers, body }: CurlParts): Snippet {
  const all = [...headers, 'content-type: application/json']
  const options = all.map((header) => `  -H ${shellWord(header)} \\\n`)
  return {
    title: 'curl',
    code: `curl ${shellWord(url)} \\\n${options.join('')}  -d ${shellJson(body)}`,
  }
}

const openaiClients = (base: string, key: string) => ({
  python: `from openai import OpenAI

client = OpenAI(
    base_url=${quoted(base)},
    api_key=${quoted(key)},
)`,
  typescript: `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: ${quoted(base)},
  apiKey: ${quoted(key)},
})`,
})

/** The `openai` packages, chat completions. */
function chat(base: string, { key, model }: Setup): readonly Snippet[] {
  const client = openaiClients(base, key)
  const messages = [{ role: 'user', content: question }]
  return [
    {
      title: 'Python',
      code: `${client.python}
completion = client.chat.completions.create(
    model=${quoted(model)},
    messages=[{"role": "user", "content": ${quoted(question)}}],
)
print(completion.choices[0].message.content)`,
    },
    {
      title: 'TypeScript',
      code: `${client.typescript}
const completion = await client.chat.completions.create({
  model: ${quoted(model)},
  messages: [{ role: 'user', content: ${quoted(question)} }],
})
console.log(completion.choices[0]?.message.content)`,
    },
    curl({
      url: `${base}/chat/completions`,
      headers: [`authorization: Bearer ${key}`],
      body: { model, messages },
    }),
  ]
}

/** The `openai` packages, responses. */
function responses(base: string, { key, model }: Setup): readonly Snippet[] {
  const client = openaiClients(base, key)
  return [
    {
      title: 'Python',
      code: `${client.python}
response = client.responses.create(
    model=${quoted(model)},
    input=${quoted(question)},
)
print(response.output_text)`,
    },
    {
      title: 'TypeScript',
      code: `${client.typescript}
const response = await client.responses.create({
  model: ${quoted(model)},
  input: ${quoted(question)},
})
console.log(response.output_text)`,
    },
    curl({
      url: `${base}/responses`,
      headers: [`authorization: Bearer ${key}`],
      body: { model, input: question },
    }),
  ]
}

/** The `anthropic` packages: they add `/v1/messages` themselves. */
function messages(base: string, { key, model }: Setup): readonly Snippet[] {
  const body = { model, max_tokens: 1024, messages: [{ role: 'user', content: question }] }
  return [
    {
      title: 'Python',
      code: `from anthropic import Anthropic

client = Anthropic(
    base_url=${quoted(base)},
    auth_token=${quoted(key)},
)
message = client.messages.create(
    model=${quoted(model)},
    max_tokens=1024,
    messages=[{"role": "user", "content": ${quoted(question)}}],
)
print(message.content[0].text)`,
    },
    {
      title: 'TypeScript',
      code: `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({
  baseURL: ${quoted(base)},
  apiKey: null,
  authToken: ${quoted(key)},
})
const message = await client.messages.create({
  model: ${quoted(model)},
  max_tokens: 1024,
  messages: [{ role: 'user', content: ${quoted(question)} }],
})
console.log(message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''))`,
    },
    curl({
      url: `${base}/v1/messages`,
      headers: [`authorization: Bearer ${key}`, 'anthropic-version: 2023-06-01'],
      body,
    }),
  ]
}

/** Google's packages: they add the version and the model themselves. */
function gemini(base: string, { key, model }: Setup): readonly Snippet[] {
  return [
    {
      title: 'Python',
      code: `from google import genai

client = genai.Client(
    api_key=${quoted(key)},
    http_options={"base_url": ${quoted(base)}},
)
response = client.models.generate_content(
    model=${quoted(model)},
    contents=${quoted(question)},
)
print(response.text)`,
    },
    {
      title: 'TypeScript',
      code: `import { GoogleGenAI } from '@google/genai'

const client = new GoogleGenAI({
  apiKey: ${quoted(key)},
  httpOptions: { baseUrl: ${quoted(base)} },
})
const response = await client.models.generateContent({
  model: ${quoted(model)},
  contents: ${quoted(question)},
})
console.log(response.text)`,
    },
    curl({
      url: `${base}/v1beta/models/${encodeURIComponent(model)}:generateContent`,
      headers: [`x-goog-api-key: ${key}`],
      body: { contents: [{ role: 'user', parts: [{ text: question }] }] },
    }),
  ]
}

const json = (value: object) => JSON.stringify(value, null, 2)
const exports = (variables: readonly (readonly [string, string])[]) =>
  variables.map(([name, value]) => `export ${name}=${shellWord(value)}`).join('\n')

/** Claude Code: by its environment, or for good by its settings. */
function claudeCode(base: string, { key, model }: Setup): readonly Snippet[] {
  const variables = [
    ['ANTHROPIC_BASE_URL', base],
    ['ANTHROPIC_AUTH_TOKEN', key],
  ] as const
  return [
    { title: 'Shell', code: `${exports(variables)}\nclaude --model ${shellWord(model)}` },
    {
      title: '~/.claude/settings.json',
      code: json({ model, env: Object.fromEntries(variables) }),
    },
  ]
}

/** Codex speaks responses alone; web search runs at a vendor that may not be the model's. */
function codex(base: string, { key, model }: Setup): readonly Snippet[] {
  return [
    {
      title: '~/.codex/config.toml',
      code: `model = ${quoted(model)}
model_provider = "tollgate"
web_search = "disabled"

[model_providers.tollgate]
name = "Tollgate"
base_url = ${quoted(base)}
env_key = "TOLLGATE_KEY"
wire_api = "responses"`,
    },
    { title: 'Shell', code: `${exports([['TOLLGATE_KEY', key]])}\ncodex` },
  ]
}

/** Gemini CLI: the way to sign in is set once. */
function geminiCli(base: string, { key, model }: Setup): readonly Snippet[] {
  const variables = [
    ['GOOGLE_GEMINI_BASE_URL', base],
    ['GEMINI_API_KEY', key],
  ] as const
  return [
    { title: 'Shell', code: `${exports(variables)}\ngemini -m ${shellWord(model)}` },
    {
      title: '~/.gemini/settings.json',
      code: json({ security: { auth: { selectedType: 'gemini-api-key' } } }),
    },
  ]
}

/** A text as one word of a POSIX shell. */
const shellWord = (text: string) =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** A text as a string of Python, TypeScript, JSON or TOML: they agree on these. */
const quoted = (text: string) => JSON.stringify(text)

/** Data as one word of a POSIX shell. */
const shellJson = (data: object) => shellWord(JSON.stringify(data))
