import { isJsonObject } from '../../../../src/protocols/json.ts'
import type { JsonObject } from '../../../../src/protocols/protocol.ts'
import type { SeenRequest } from '../../../support/fake-upstream.ts'
import type { Asked, AskedPiece, Turn } from '../conversation.ts'
import { need, readArray, readObject, readString } from '../wire.ts'
import { stream, whole } from './messages-answers.ts'
import { namedFrame, type Vendor } from './vendor.ts'

/** Bytes in base64, as long as real ones and with every sign that base64 has. */
const sign = (number: number) =>
  Buffer.from(`messages ${number} ${'ûÿ>?~ÿ'.repeat(200)}`, 'latin1').toString('base64')

const withheld = { type: 'reasoning', text: '', signature: sign(99), isRedacted: true } as const

/** Messages of a model that thinks. Source: the vendor's API reference and its error messages. */
export const messagesVendor: Vendor = {
  protocol: 'messages',
  told: { input: 20, cacheRead: 12, cacheWrite: 7, output: 9, reasoning: 4 },
  sign,
  withheld: [withheld],
  refusal: { pieces: [], finish: 'refusal' },
  wanted: (pieces) => pieces,
  read,
  whole,
  stream,
  fault: (status, message) => ({
    type: 'error',
    error: { type: faultTypes[status] ?? 'api_error', message },
    request_id: 'req_011Ca7jT9AHpgXgdv8igm4z9',
  }),
  streamFault: (message) =>
    namedFrame({ type: 'error', error: { type: 'overloaded_error', message } }),
}

/** The name that the vendor knows. */
export const messagesModel = 'claude-sonnet-4-6'

const faultTypes: Record<number, string> = { 400: 'invalid_request_error', 429: 'rate_limit_error' }

const fields =
  'model max_tokens stream tools tool_choice thinking output_config temperature top_p top_k ' +
  'stop_sequences metadata service_tier system messages'

function read({ path, headers, json }: SeenRequest): Asked {
  need(path === '/v1/messages', `unknown path ${path}`)
  need(headers.get('x-api-key') === 'key-of-messages', 'invalid x-api-key')
  need(headers.has('anthropic-version'), 'anthropic-version: header is required')
  const body = readObject(json(), fields, 'body')
  need(body.model === messagesModel, `model: ${body.model}`)
  const marks = [...JSON.stringify(body).matchAll(/"cache_control":(.*?\})/g)].map(
    ([, mark]) => mark,
  )
  need(marks.length <= 4, 'A maximum of 4 blocks with cache_control may be provided')
  need(
    marks.every((mark) => mark === '{"type":"ephemeral"}'),
    `cache_control: ${marks}`,
  )
  const { max_tokens: maxTokens, thinking } = body
  need(typeof maxTokens === 'number' && maxTokens > 0, 'max_tokens: Field required')
  const turns = readArray(body.messages, 'messages').map((message, index) =>
    readMessage(message, `messages.${index}`),
  )
  const isThinking = thinking !== undefined && checkThinking(thinking, maxTokens)
  need(!isThinking || body.temperature === undefined, '`temperature` may only be set to 1')
  const last = turns.at(-1)?.pieces.some(({ type }) => type === 'result') ? turns.at(-2) : undefined
  const isBegun = last === undefined || last.pieces[0]?.type === 'reasoning'
  need(!isThinking || isBegun, 'When thinking is enabled, … must start with a thinking block')
  const system = body.system === undefined ? [] : readContent(body.system, 'system')
  return {
    stream: body.stream === true,
    system: system.map((piece) => (piece.type === 'text' ? piece.text : '?')).join(),
    turns,
    ...readTools(body, isThinking),
    sequential:
      isJsonObject(body.tool_choice) && body.tool_choice.disable_parallel_tool_use === true,
    schema: readFormat(body.output_config),
    maxTokens,
    temperature: body.temperature as number | undefined,
    stop: body.stop_sequences as string[] | undefined,
  }
}

function checkThinking(value: unknown, maxTokens: number): boolean {
  const { type, budget_tokens: budget } = readObject(
    value,
    'type budget_tokens display',
    'thinking',
  )
  if (type !== 'enabled') return false
  need(typeof budget === 'number' && budget >= 1024, 'thinking.budget_tokens: at least 1024')
  need(budget < maxTokens, '`max_tokens` must be greater than `thinking.budget_tokens`')
  return true
}

function readMessage(value: unknown, at: string): Turn {
  const { role, content } = readObject(value, 'role content', at)
  need(role === 'user' || role === 'assistant', `${at}.role: ${role}`)
  const types = Array.isArray(content) ? content.map((block) => block?.type) : []
  const last = types.lastIndexOf('tool_result')
  const areFirst = types.slice(0, last + 1).every((type) => type === 'tool_result')
  need(areFirst, `${at}: tool_result blocks must come first`)
  const pieces = readContent(content, `${at}.content`)
  need(role === 'assistant' || !pieces.some(isModels), `${at}: blocks of the assistant`)
  need(pieces.at(-1)?.type !== 'reasoning', `${at}: the final block cannot be thinking`)
  return { role, pieces }
}

const isResult = ({ type }: AskedPiece) => type === 'text' || type === 'image'
const isModels = ({ type }: AskedPiece) => type === 'reasoning' || type === 'call'

function readContent(content: unknown, at: string): readonly AskedPiece[] {
  if (typeof content === 'string') return [{ type: 'text', text: readString(content, at) }]
  const blocks = readArray(content, at)
  need(blocks.length > 0, `${at}: must not be empty`)
  return blocks.flatMap((block, index) => readBlock(block, `${at}.${index}`))
}

function readBlock(value: unknown, at: string): AskedPiece | readonly AskedPiece[] {
  need(isJsonObject(value), `${at}: no object`)
  const block = readObject(value, blockFields[String(value.type)] ?? '', at)
  switch (block.type) {
    case 'text':
      need(readString(block.text, at).trim() !== '', `${at}: text must contain non-whitespace text`)
      return { type: 'text', text: readString(block.text, at) }
    case 'image':
      return readImage(readObject(block.source, 'type media_type data url', `${at}.source`), at)
    case 'tool_use': {
      const [id, name] = [readId(block.id, `${at}.id`), readString(block.name, `${at}.name`)]
      need(isJsonObject(block.input), `${at}.input: Input should be a valid dictionary`)
      return { type: 'call', id, name, input: block.input }
    }
    case 'tool_result': {
      const callId = readId(block.tool_use_id, `${at}.tool_use_id`)
      const content = readContent(block.content, `${at}.content`)
      need(content.every(isResult), `${at}.content: only text and images`)
      const text = content.map((piece) => (piece.type === 'text' ? piece.text : '')).join('')
      const images = content.filter(({ type }) => type === 'image')
      return [{ type: 'result', callId, text }, ...images]
    }
    case 'thinking': {
      need(typeof block.thinking === 'string', `${at}.thinking: Field required`)
      const signature = readString(block.signature, `${at}.signature`)
      return { type: 'reasoning', text: block.thinking, signature }
    }
    default:
      return { ...withheld, signature: readString(block.data, `${at}.data`) }
  }
}

const blockFields: Record<string, string> = {
  text: 'type text cache_control',
  image: 'type source cache_control',
  tool_use: 'type id name input cache_control',
  tool_result: 'type tool_use_id content is_error cache_control',
  thinking: 'type thinking signature',
  redacted_thinking: 'type data',
}

function readId(value: unknown, at: string): string {
  const id = readString(value, at)
  need(/^[\w-]+$/.test(id), `${at}: String should match pattern '^[a-zA-Z0-9_-]+$'`)
  return id
}

function readImage({ type, media_type, data, url }: JsonObject, at: string): AskedPiece {
  if (type === 'url') return { type: 'image', url: readString(url, at) }
  need(type === 'base64' && media_type === 'image/png', `${at}: ${type} ${media_type}`)
  return { type: 'image', data: readString(data, at) }
}

function readTools({ tools, tool_choice: choice }: JsonObject, isThinking: boolean) {
  need(choice === undefined || tools !== undefined, 'tool_choice may only be specified with tools')
  const names = (tools === undefined ? [] : readArray(tools, 'tools')).map((tool, index) => {
    const at = `tools.${index}`
    const members = 'name description input_schema strict cache_control'
    const { name, input_schema } = readObject(tool, members, at)
    need(isJsonObject(input_schema) && input_schema.type === 'object', `${at}.input_schema.type`)
    return readString(name, `${at}.name`)
  })
  if (choice === undefined) return { tools: names, toolChoice: undefined }
  const { type, name } = readObject(choice, 'type name disable_parallel_tool_use', 'tool_choice')
  const isForced = type === 'any' || type === 'tool'
  need(!isForced || !isThinking, 'Thinking may not be enabled when tool_choice forces tool use')
  if (type === 'tool') return { tools: names, toolChoice: { name: readString(name, 'name') } }
  const toolChoice = type === 'any' ? 'required' : (type as 'auto' | 'none')
  return { tools: names, toolChoice } as const
}

function readFormat(config: unknown): unknown {
  const { format } =
    config === undefined ? {} : readObject(config, 'effort format', 'output_config')
  if (format === undefined) return undefined
  const { type, schema } = readObject(format, 'type schema', 'output_config.format')
  need(type === 'json_schema' && isJsonObject(schema), 'output_config.format')
  need(schema.additionalProperties === false, 'additionalProperties must be set to false')
  return schema
}
