import type { Ask, Trick } from './script.ts'

/** What is sent for an ask. */
export interface Sent {
  readonly path: string
  readonly body: string
  readonly type: string
}

/** What a customer refers to of an earlier answer. */
export interface Earlier {
  readonly id: string
}

const given = (name: string, value: unknown) => (value === undefined ? {} : { [name]: value })

const promptOf = (number: number, words: number) =>
  `ask-${number}${' word'.repeat(Math.max(0, words - 1))}`

/** Words of all that an ask says, as the vendor counts them. */
export const wordsOf = ({ endpoint, words, units = 1 }: Ask): number =>
  endpoint.includes('embeddings') ? words * units : words

/** Writes the request of an ask, in its endpoint's own terms. */
export function writeAsk(ask: Ask, number: number, earlier: Earlier | undefined): Sent {
  const { endpoint, model, stream = false, extra } = ask
  const prompt = promptOf(number, ask.words)
  if (endpoint === 'edits') return writeForm(ask, prompt)
  const isGemini = endpoint === 'gemini' || endpoint === 'gemini-embeddings'
  const body = {
    ...(isGemini ? {} : { model }),
    ...bodyOf(ask, prompt, earlier),
    ...(stream && !isGemini && { stream }),
    ...extra,
  }
  const path = paths[endpoint]?.(ask) ?? `/v1/${endpoint}`
  return { path, body: withTrick(JSON.stringify(body), ask.trick), type: 'application/json' }
}

const paths: { readonly [endpoint: string]: (ask: Ask) => string } = {
  chat: () => '/v1/chat/completions',
  images: () => '/v1/images/generations',
  gemini: ({ model, stream }) =>
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  'gemini-embeddings': ({ model }) => `/v1beta/models/${model}:batchEmbedContents`,
}

function bodyOf(ask: Ask, prompt: string, earlier: Earlier | undefined): object {
  const { limit, otherLimit, units, effort, tier, tools = [] } = ask
  switch (ask.endpoint) {
    case 'chat':
      return {
        messages: [...chatCalls(ask), { role: 'user', content: named(ask, prompt) }],
        ...given('max_tokens', limit),
        ...given('max_completion_tokens', otherLimit),
        ...given('n', units),
        ...given('stop', ask.stop),
        ...(ask.speaks && {
          modalities: ['text', 'audio'],
          audio: { voice: 'alloy', format: 'wav' },
        }),
        ...(effort && { reasoning_effort: 'high' }),
        ...given('service_tier', tier),
        ...(tools.length > 0 && { web_search_options: {} }),
      }
    case 'responses':
      return {
        input: namesFile(ask) ? [{ role: 'user', content: named(ask, prompt) }] : prompt,
        ...(ask.names === 'prompt' && { prompt: { id: 'pmpt_1' } }),
        ...given('max_output_tokens', limit),
        ...given('previous_response_id', earlier?.id),
        ...(ask.background && { background: true }),
        ...(effort && { reasoning: { effort: 'high' } }),
        ...given('service_tier', tier),
        ...(tools.length > 0 && { tools: tools.map((type) => ({ type })) }),
        ...(ask.mustUse && { tool_choice: 'required' }),
      }
    case 'messages':
      return {
        messages: [...messagesCalls(ask), { role: 'user', content: named(ask, prompt) }],
        max_tokens: limit ?? 1_000,
        ...(ask.stop && { stop_sequences: [ask.stop] }),
        ...(effort && { thinking: { type: 'adaptive' } }),
        ...(earlier && { thread: { type: 'continue', previous_message_id: earlier.id } }),
        ...given('service_tier', tier),
        ...given('speed', ask.speed),
        ...(tools.length > 0 && {
          tools: tools.map((name) => ({ type: `${name}_20250305`, name })),
        }),
      }
    case 'gemini':
      return {
        contents: [{ role: 'user', parts: named(ask, prompt) }],
        ...(ask.names === 'prompt' && { cachedContent: 'cachedContents/1' }),
        generationConfig: {
          ...given('maxOutputTokens', limit),
          ...given('max_output_tokens', otherLimit),
          ...given('candidateCount', units),
          ...(ask.stop && { stopSequences: [ask.stop] }),
          ...(ask.speaks && { responseModalities: ['AUDIO'] }),
          ...(effort && { thinkingConfig: { includeThoughts: false, thinkingBudget: 1_024 } }),
        },
        ...(tools.length > 0 && { tools: [{ googleSearch: {} }] }),
        ...given('serviceTier', tier),
      }
    case 'completions':
      return { prompt, ...given('max_tokens', limit), ...given('n', units) }
    case 'embeddings':
      return { input: Array.from({ length: units ?? 1 }, () => prompt) }
    case 'gemini-embeddings':
      return {
        requests: Array.from({ length: units ?? 1 }, () => ({
          ...{ model: `models/${ask.model}`, content: { parts: [{ text: prompt }] } },
        })),
      }
    default:
      return { prompt, ...given('n', units), ...given('partial_images', ask.partials) }
  }
}

const address = 'https://files.example.com/long.pdf'

const namesFile = ({ names }: Ask) => names === 'document' || names === 'strange'

/** The prompt as content, with a document that is named by its address. */
function named(ask: Ask, text: string): unknown {
  const { endpoint, names } = ask
  const strange = { type: 'document_url', document_url: address }
  const part = (known: object) => (names === 'strange' ? strange : known)
  if (!namesFile(ask)) return endpoint === 'gemini' ? [{ text }] : text
  switch (endpoint) {
    case 'chat':
      return [{ type: 'text', text }, part({ type: 'image_url', image_url: { url: address } })]
    case 'responses':
      return [{ type: 'input_text', text }, part({ type: 'input_file', file_url: address })]
    case 'messages':
      return [
        { type: 'text', text },
        part({ type: 'document', source: { type: 'url', url: address } }),
      ]
    default:
      return [
        { text },
        names === 'strange' ? { pageData: { uri: address } } : { fileData: { fileUri: address } },
      ]
  }
}

/** Calls and their results, of which nothing but their frames is to be read. */
function chatCalls({ calls = 0 }: Ask): readonly object[] {
  return Array.from({ length: calls }, (_, at) => `call_${at}`).flatMap((id) => [
    {
      role: 'assistant',
      tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '' } }],
    },
    { role: 'tool', tool_call_id: id, content: '' },
  ])
}

function messagesCalls({ calls = 0 }: Ask): readonly object[] {
  const ids = Array.from({ length: calls }, (_, at) => `toolu_${at}`)
  if (calls === 0) return []
  return [
    {
      role: 'assistant',
      content: ids.map((id) => ({ type: 'tool_use', id, name: 'f', input: {} })),
    },
    {
      role: 'user',
      content: ids.map((tool_use_id) => ({ type: 'tool_result', tool_use_id })),
    },
  ]
}

/** Another member that some readers take for one that the gateway reads, too. */
function withTrick(body: string, trick: Trick | undefined): string {
  const add = (member: string) => `${body.slice(0, -1)},${member}}`
  if (trick === 'folded-stream') return add('"\u017ftream":true')
  if (trick === 'folded-model') return add('"Model":"dear-1"')
  if (trick === 'two-models') return add('"model":"dear-1"')
  // Of two names the later one holds, for readers who see no case.
  if (trick === 'folded-setting') {
    return body.replace(/"maxOutputTokens":\d+/, '$&,"MaxOutputTokens":1500')
  }
  return body
}

function writeForm(ask: Ask, prompt: string): Sent {
  const boundary = 'adversary-boundary'
  const part = (head: string, value: string) => `--${boundary}\r\n${head}\r\n\r\n${value}\r\n`
  const field = (name: string, value: string) =>
    part(`Content-Disposition: form-data; name="${name}"`, value)
  const picture = part(
    'Content-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png',
    'PNG',
  )
  const hidden =
    ask.trick === 'two-dispositions'
      ? part(
          'Content-Disposition: form-data; name="n"\r\nContent-Disposition: form-data; name="x"',
          '9',
        )
      : ''
  const said = Object.entries({ model: ask.model, prompt, n: ask.units })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => field(name, String(value)))
  return {
    path: '/v1/images/edits',
    body: `${said.join('')}${hidden}${picture}--${boundary}--\r\n`,
    type: `multipart/form-data; boundary=${boundary}`,
  }
}
