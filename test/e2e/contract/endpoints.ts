/** Whose shape an error has: CONTRACT 2.2. */
export type Shape = 'openai' | 'messages' | 'gemini'

/** One row of CONTRACT 3, as a client asks for it. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** The path for a model; endpoints without one ignore it. */
  path(model: string): string
  /** The smallest body that is right. */
  body?(model: string): object
  /** Shape of every error but a 401. */
  readonly shape: Shape
  /** SPEC 7.2: a 401 is `{code, message}`, or Gemini's object on Gemini's paths. */
  readonly keyShape: 'plain' | 'gemini'
  /** Whether the request names a model that its group must offer. */
  readonly asksModel: boolean
  /** A model that only channels of another protocol offer. */
  readonly foreignModel?: string
  /** Such a channel answers all the same. */
  readonly isTranslated?: true
  /** Sent with every request. */
  readonly headers?: readonly (readonly [string, string])[]
  /** GET /v1/usage: tells even who has nothing left. */
  readonly freeOfBalance?: true
  /** Gemini's header makes Gemini the reader of the shared /v1/models. */
  readonly shared?: true
  /** What a good request without a fitting thing gets instead of 200. */
  readonly goodStatus?: 404
}

const user = [{ role: 'user', content: 'hello' }]
const contents = [{ role: 'user', parts: [{ text: 'hello' }] }]

type Rest = Partial<Omit<Endpoint, 'path' | 'method'>>

const openai = (path: string, body: (model: string) => object): Endpoint => ({
  method: 'POST',
  path: () => path,
  body,
  shape: 'openai',
  keyShape: 'plain',
  asksModel: true,
  foreignModel: 'gemini-only',
})

const messages = (path: string, body: (model: string) => object): Endpoint => ({
  ...openai(path, body),
  shape: 'messages',
})

const gemini = (prefix: string, action: string, body: object): Endpoint => ({
  method: 'POST',
  path: (model) => `${prefix}/models/${model}:${action}`,
  body: () => body,
  shape: 'gemini',
  keyShape: 'gemini',
  asksModel: true,
  foreignModel: 'chat-only',
})

const translated = (endpoint: Endpoint): Endpoint => ({ ...endpoint, isTranslated: true })

const get = (path: (model: string) => string, rest: Rest = {}): Endpoint => ({
  method: 'GET',
  path,
  shape: 'openai',
  keyShape: 'plain',
  asksModel: false,
  ...rest,
})

const onGemini = { shape: 'gemini', keyShape: 'gemini' } as const
const version = [['anthropic-version', '2023-06-01']] as const

/** Every model endpoint, by the name that tests show. */
export const endpoints: Readonly<Record<string, Endpoint>> = {
  'POST /v1/chat/completions': translated(
    openai('/v1/chat/completions', (model) => ({
      model,
      messages: user,
    })),
  ),
  'POST /v1/chat/completions streamed': translated(
    openai('/v1/chat/completions', (model) => ({
      model,
      messages: user,
      stream: true,
    })),
  ),
  'POST /v1/responses': translated(openai('/v1/responses', (model) => ({ model, input: 'hello' }))),
  'POST /v1/responses/compact': openai('/v1/responses/compact', (model) => ({
    model,
    input: 'hello',
  })),
  'POST /v1/responses/input_tokens': translated(
    openai('/v1/responses/input_tokens', (model) => ({
      model,
      input: 'hello',
    })),
  ),
  'POST /v1/completions': translated(
    openai('/v1/completions', (model) => ({ model, prompt: 'hello', max_tokens: 9 })),
  ),
  'POST /v1/embeddings': translated(
    openai('/v1/embeddings', (model) => ({ model, input: 'hello' })),
  ),
  'POST /v1/images/generations': openai('/v1/images/generations', (model) => ({
    model,
    prompt: 'a hat',
  })),
  'POST /v1/images/edits': openai('/v1/images/edits', (model) => ({ model, prompt: 'a hat' })),
  'POST /v1/messages': translated(
    messages('/v1/messages', (model) => ({
      model,
      max_tokens: 9,
      messages: user,
    })),
  ),
  'POST /v1/messages?beta=true streamed': translated(
    messages('/v1/messages?beta=true', (model) => ({
      model,
      max_tokens: 9,
      messages: user,
      stream: true,
    })),
  ),
  'POST /v1/messages/count_tokens': translated(
    messages('/v1/messages/count_tokens', (model) => ({
      model,
      messages: user,
    })),
  ),
  'POST /v1beta :generateContent': translated(gemini('/v1beta', 'generateContent', { contents })),
  'POST /v1beta :streamGenerateContent': translated(
    gemini('/v1beta', 'streamGenerateContent', { contents }),
  ),
  'POST /v1beta :streamGenerateContent?alt=sse': translated(
    gemini('/v1beta', 'streamGenerateContent?alt=sse', { contents }),
  ),
  'POST /v1beta :countTokens': translated(gemini('/v1beta', 'countTokens', { contents })),
  'POST /v1beta :embedContent': translated(
    gemini('/v1beta', 'embedContent', { content: contents[0] }),
  ),
  'POST /v1beta :batchEmbedContents': translated(
    gemini('/v1beta', 'batchEmbedContents', { requests: [{ content: contents[0] }] }),
  ),
  'POST /v1 :generateContent': translated(gemini('/v1', 'generateContent', { contents })),
  'POST /v1 :streamGenerateContent?alt=sse': translated(
    gemini('/v1', 'streamGenerateContent?alt=sse', {
      contents,
    }),
  ),
  'POST /v1 :countTokens': translated(gemini('/v1', 'countTokens', { contents })),
  'POST /v1 :embedContent': translated(gemini('/v1', 'embedContent', { content: contents[0] })),
  'POST /v1 :batchEmbedContents': translated(
    gemini('/v1', 'batchEmbedContents', { requests: [{ content: contents[0] }] }),
  ),
  'GET /v1/models': get(() => '/v1/models', { shared: true }),
  'GET /v1/models?limit=1000 of Anthropic': get(() => '/v1/models?limit=1000', {
    shape: 'messages',
    headers: version,
  }),
  'GET /v1/models/{id}': get((model) => `/v1/models/${model}`, { shared: true }),
  'GET /v1beta/models': get(() => '/v1beta/models', onGemini),
  'GET /v1beta/models/{id}': get((model) => `/v1beta/models/${model}`, onGemini),
  'GET /v1/usage': get(() => '/v1/usage', { freeOfBalance: true }),
  'GET /v1/receipts/{id}': get(() => '/v1/receipts/req_nowhere', {
    freeOfBalance: true,
    goodStatus: 404,
  }),
  'GET /v1/responses/{id}': get(() => '/v1/responses/resp_nowhere', { goodStatus: 404 }),
  'DELETE /v1/responses/{id}': {
    ...get(() => '/v1/responses/resp_nowhere', { goodStatus: 404 }),
    method: 'DELETE',
  },
}
