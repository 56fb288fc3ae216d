import type { Bill } from '../prices.ts'
import type { Json } from './json.ts'

/** What an answer has come to, as the vendor's last words tell it. */
export interface Made {
  readonly id: string
  readonly model: string
  readonly bill: Bill
  readonly reasoning: number
  readonly words: readonly string[]
  readonly units: number
  /** The limit has ended it. */
  readonly isCut: boolean
  /** Whether the request has asked for usage in a stream. */
  readonly wantsUsage: boolean
  readonly tier: string | undefined
  readonly isBackground: boolean
}

/** One protocol, as its vendor writes it. */
export interface Wire {
  readonly type: string
  first(made: Made): string
  /** Thinking is under way. */
  thinks(made: Made, at: number): string
  /** A hosted tool was used. */
  uses(made: Made, tool: string, at: number): string
  piece(made: Made, words: string): string
  last(made: Made): string
  whole(made: Made): Json
}

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const event = (type: string, fields: object) => `event: ${type}\n${data({ type, ...fields })}`
const inputOf = ({ input, cacheRead, cacheWrite, cacheWrite1h }: Bill) =>
  input + cacheRead + cacheWrite + cacheWrite1h
const usesOf = ({ bill }: Made) => Object.entries(bill.uses).filter(([, count]) => count > 0)
const named = (name: string, value: unknown) => (value === undefined ? {} : { [name]: value })

function chatUsage(made: Made): object {
  const { bill, reasoning, units } = made
  const { audioIn, imageIn, audioOut } = bill
  const searches = bill.uses.web_search ?? 0
  return {
    prompt_tokens: inputOf(bill),
    completion_tokens: bill.output,
    total_tokens: inputOf(bill) + bill.output,
    prompt_tokens_details: {
      cached_tokens: bill.cacheRead,
      ...(bill.cacheWrite > 0 && { cache_write_tokens: bill.cacheWrite }),
      ...(audioIn > 0 && { audio_tokens: audioIn }),
      ...(imageIn > 0 && { image_tokens: imageIn }),
    },
    completion_tokens_details: {
      reasoning_tokens: reasoning * units,
      ...(audioOut > 0 && { audio_tokens: audioOut }),
    },
    ...(searches > 0 && { server_tool_use: { web_search_requests: searches } }),
  }
}

const each = (units: number, make: (index: number) => string): string =>
  Array.from({ length: units }, (_, index) => make(index)).join('')

function chatWire(object: string, text: (words: string) => object, isChunk: boolean): Wire {
  const head = ({ id, model, tier }: Made) => ({
    ...{ id, object: isChunk ? `${object}.chunk` : object, created: 1, model },
    ...named('service_tier', tier),
  })
  const chunk = (made: Made, index: number, choice: object, finish: string | null = null) =>
    data({ ...head(made), choices: [{ index, ...choice, finish_reason: finish }] })
  const reason = ({ isCut }: Made) => (isCut ? 'length' : 'stop')
  return {
    type: 'text/event-stream',
    first: (made) =>
      each(made.units, (index) =>
        chunk(made, index, isChunk ? { delta: { role: 'assistant', content: '' } } : { text: '' }),
      ),
    thinks: () => '',
    uses: () => '',
    piece: (made, words) => each(made.units, (index) => chunk(made, index, text(words))),
    last: (made) =>
      each(made.units, (index) =>
        chunk(made, index, isChunk ? { delta: {} } : { text: '' }, reason(made)),
      ) +
      (made.wantsUsage ? data({ ...head(made), choices: [], usage: chatUsage(made) }) : '') +
      'data: [DONE]\n\n',
    whole: (made) => ({
      ...{ ...head(made), object },
      choices: Array.from({ length: made.units }, (_, index) => ({
        index,
        ...(isChunk
          ? { message: { role: 'assistant', content: made.words.join('') } }
          : { text: made.words.join('') }),
        finish_reason: reason(made),
      })),
      usage: chatUsage(made),
    }),
  }
}

function responseOf(made: Made, status: string): Json {
  const { id, model, bill, reasoning, tier } = made
  const { audioIn, imageIn, audioOut } = bill
  const isOver = status === 'completed' || status === 'incomplete'
  const tools = usesOf(made).flatMap(([tool, count]) =>
    Array.from({ length: count }, (_, at) => toolItem(id, tool, at)),
  )
  const message = {
    ...{ id: `msg_${id}`, type: 'message', role: 'assistant', status: 'completed' },
    content: [{ type: 'output_text', text: made.words.join(''), annotations: [] }],
  }
  return {
    ...{ id, object: 'response', created_at: 1, model, status, background: made.isBackground },
    // What is made in the background does not tell by which tier.
    ...(made.isBackground ? {} : named('service_tier', tier)),
    ...(status === 'incomplete' && { incomplete_details: { reason: 'max_output_tokens' } }),
    error: null,
    output: isOver ? [...tools, message] : [],
    usage: isOver
      ? {
          input_tokens: inputOf(bill),
          input_tokens_details: {
            cached_tokens: bill.cacheRead,
            ...(audioIn > 0 && { audio_tokens: audioIn }),
            ...(imageIn > 0 && { image_tokens: imageIn }),
          },
          output_tokens: bill.output,
          output_tokens_details: {
            reasoning_tokens: reasoning,
            ...(audioOut > 0 && { audio_tokens: audioOut }),
          },
          total_tokens: inputOf(bill) + bill.output,
        }
      : null,
  }
}

const toolItem = (id: string, tool: string, at: number) => ({
  ...{ id: `ws_${id}_${at}`, type: `${tool}_call`, status: 'completed' },
  ...(tool === 'web_search' && { action: { type: 'search', query: 'q' } }),
})

/** One response as it stands: what GET gives. */
export const storedResponse = responseOf

const responses: Wire = {
  type: 'text/event-stream',
  first: (made) => {
    const status = made.isBackground ? 'queued' : 'in_progress'
    return (
      event('response.created', { sequence_number: 0, response: responseOf(made, status) }) +
      event('response.in_progress', {
        ...{ sequence_number: 1, response: responseOf(made, 'in_progress') },
      })
    )
  },
  thinks: () => '',
  uses: (made, tool, at) =>
    event('response.output_item.done', {
      ...{ sequence_number: 2, output_index: at, item: toolItem(made.id, tool, at) },
    }),
  piece: (made, delta) =>
    event('response.output_text.delta', {
      ...{
        sequence_number: 3,
        item_id: `msg_${made.id}`,
        output_index: 0,
        content_index: 0,
        delta,
      },
    }),
  last: (made) => {
    const status = made.isCut ? 'incomplete' : 'completed'
    const text = made.words.join('')
    return (
      event('response.output_text.done', {
        ...{
          sequence_number: 4,
          item_id: `msg_${made.id}`,
          output_index: 0,
          content_index: 0,
          text,
        },
      }) + event(`response.${status}`, { sequence_number: 5, response: responseOf(made, status) })
    )
  },
  whole: (made) => responseOf(made, made.isCut ? 'incomplete' : 'completed'),
}

function messageUsage(made: Made, output: number): object {
  const { bill } = made
  const searches = bill.uses.web_search ?? 0
  return {
    input_tokens: bill.input,
    cache_read_input_tokens: bill.cacheRead,
    cache_creation_input_tokens: bill.cacheWrite + bill.cacheWrite1h,
    cache_creation: {
      ephemeral_5m_input_tokens: bill.cacheWrite,
      ephemeral_1h_input_tokens: bill.cacheWrite1h,
    },
    output_tokens: output,
    ...(searches > 0 && { server_tool_use: { web_search_requests: searches } }),
    ...named(made.tier === 'fast' ? 'speed' : 'service_tier', made.tier ?? 'standard'),
  }
}

const messageOf = (made: Made, content: readonly object[], output: number) => ({
  ...{ id: made.id, type: 'message', role: 'assistant', model: made.model, content },
  ...{ stop_reason: null as string | null, stop_sequence: null },
  usage: messageUsage(made, output),
})

const messages: Wire = {
  type: 'text/event-stream',
  first: (made) =>
    event('message_start', { message: messageOf(made, [], 1) }) +
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  thinks: () => event('ping', {}),
  uses: () => '',
  piece: (_, text) =>
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
  last: (made) =>
    event('content_block_stop', { index: 0 }) +
    event('message_delta', {
      delta: { stop_reason: made.isCut ? 'max_tokens' : 'end_turn', stop_sequence: null },
      usage: messageUsage(made, made.bill.output),
    }) +
    event('message_stop', {}),
  whole: (made) => ({
    ...messageOf(made, [{ type: 'text', text: made.words.join('') }], made.bill.output),
    stop_reason: made.isCut ? 'max_tokens' : 'end_turn',
  }),
}

const byModality = (modality: string, count: number) =>
  count > 0 ? [{ modality, tokenCount: count }] : []

function geminiUsage(made: Made): object {
  const { bill, reasoning, units } = made
  const { audioIn, imageIn, audioOut } = bill
  const inputs = [...byModality('AUDIO', audioIn), ...byModality('IMAGE', imageIn)]
  const outputs = byModality('AUDIO', audioOut)
  return {
    promptTokenCount: inputOf(bill),
    candidatesTokenCount: bill.output - reasoning * units,
    ...(reasoning > 0 && { thoughtsTokenCount: reasoning * units }),
    ...(bill.cacheRead > 0 && { cachedContentTokenCount: bill.cacheRead }),
    ...(inputs.length > 0 && { promptTokensDetails: inputs }),
    ...(outputs.length > 0 && { candidatesTokensDetails: outputs }),
    totalTokenCount: inputOf(bill) + bill.output,
    ...named('serviceTier', made.tier && `SERVICE_TIER_${made.tier.toUpperCase()}`),
  }
}

function geminiChunk(made: Made, text: string, finishReason?: string, hasUsage = true): Json {
  const searches = made.bill.uses.web_search ?? 0
  const grounding =
    finishReason && searches > 0
      ? { groundingMetadata: { webSearchQueries: Array.from({ length: searches }, () => 'q') } }
      : {}
  return {
    candidates: Array.from({ length: made.units }, (_, index) => ({
      ...{
        index,
        content: { role: 'model', parts: [{ text }] },
        ...named('finishReason', finishReason),
      },
      ...grounding,
    })),
    ...(hasUsage && { usageMetadata: geminiUsage(made) }),
    ...{ modelVersion: made.model, responseId: made.id },
  }
}

const crlf = (value: unknown) => `data: ${JSON.stringify(value)}\r\n\r\n`
const geminiEnd = ({ isCut }: Made) => (isCut ? 'MAX_TOKENS' : 'STOP')
/** Some of this vendor's models tell of their usage in each chunk, some at the end. */
const tellsAlways = ({ bill }: Made) => bill.number % 2 === 0

const gemini: Wire = {
  type: 'text/event-stream',
  first: (made) => crlf(geminiChunk(made, '', undefined, tellsAlways(made))),
  thinks: () => '',
  uses: () => '',
  piece: (made, text) => crlf(geminiChunk(made, text, undefined, tellsAlways(made))),
  last: (made) => crlf(geminiChunk(made, '', geminiEnd(made))),
  whole: (made) => geminiChunk(made, made.words.join(''), geminiEnd(made)),
}

const imageUsage = ({ bill }: Made) => ({
  ...{ input_tokens: inputOf(bill), output_tokens: bill.output },
  total_tokens: inputOf(bill) + bill.output,
  input_tokens_details: {
    text_tokens: inputOf(bill) - bill.imageIn,
    image_tokens: bill.imageIn,
  },
})

/** Pictures; a piece is one that is not finished. */
const images: Wire = {
  type: 'text/event-stream',
  first: () => '',
  thinks: () => '',
  uses: () => '',
  piece: () =>
    event('image_generation.partial_image', { b64_json: 'AAAA', partial_image_index: 0 }),
  last: (made) =>
    event('image_generation.completed', { b64_json: 'AAAAAAAA', usage: imageUsage(made) }),
  whole: (made) => ({
    created: 1,
    data: Array.from({ length: made.units }, () => ({ b64_json: 'AAAA' })),
    usage: imageUsage(made),
  }),
}

const embeddings: Wire = {
  ...images,
  whole: (made) => ({
    object: 'list',
    model: made.model,
    data: Array.from({ length: made.units }, (_, index) => ({
      ...{ object: 'embedding', index, embedding: [0.5] },
    })),
    usage: { prompt_tokens: inputOf(made.bill), total_tokens: inputOf(made.bill) },
  }),
}

const geminiEmbeddings: Wire = {
  ...images,
  whole: (made) => ({
    embeddings: Array.from({ length: made.units }, () => ({ values: [0.5] })),
    usageMetadata: { promptTokenCount: inputOf(made.bill) },
  }),
}

export const wires = {
  chat: chatWire('chat.completion', (content) => ({ delta: { content } }), true),
  completions: chatWire('text_completion', (text) => ({ text }), false),
  responses,
  messages,
  gemini,
  images,
  embeddings,
  'gemini-embeddings': geminiEmbeddings,
} as const satisfies Record<string, Wire>
export type WireName = keyof typeof wires
