import { quoted, shellJson, shellWord } from './quote.ts'
import type { Setup, Snippet } from './snippets.ts'

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
export function chat(base: string, { key, model }: Setup): readonly Snippet[] {
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
export function responses(base: string, { key, model }: Setup): readonly Snippet[] {
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
export function messages(base: string, { key, model }: Setup): readonly Snippet[] {
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
export function gemini(base: string, { key, model }: Setup): readonly Snippet[] {
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
