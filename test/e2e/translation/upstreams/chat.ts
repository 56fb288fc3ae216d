import { isJsonObject } from '../../../../src/protocols/json.ts'
import type { JsonObject } from '../../../../src/protocols/protocol.ts'
import type { SeenRequest } from '../../../support/fake-upstream.ts'
import type { Asked, AskedPiece, Turn } from '../conversation.ts'
import { need, readArray, readJson, readObject, readString } from '../wire.ts'
import { stream, whole } from './chat-answers.ts'
import type { Vendor } from './vendor.ts'

/**
 * Chat completions. Two models: one that keeps its reasoning to itself, and one that wants it back
 * beside its calls (as DeepSeek's). Source: the vendors' API references.
 */
export const chatVendor: Vendor = {
  protocol: 'chat',
  told: { input: 20, cacheRead: 12, cacheWrite: 0, output: 9, reasoning: 4 },
  sign: () => undefined,
  withheld: [],
  refusal: { pieces: [{ type: 'refusal', text: 'I can’t help with that.' }], finish: 'refusal' },
  wanted: (pieces) => pieces,
  read,
  whole,
  stream,
  fault: (_, message) => ({
    error: { message, type: 'invalid_request_error', param: null, code: null },
  }),
  streamFault(message) {
    const error = { message, type: 'server_error', code: null }
    return `data: ${JSON.stringify({ error })}\n\n`
  },
}

/** The names that the vendor knows. */
export const chatModel = 'gpt-5.1'
export const reasonerModel = 'deepseek-reasoner'

const fields =
  'model stream stream_options max_completion_tokens temperature top_p n stop seed user ' +
  'reasoning_effort response_format tools tool_choice parallel_tool_calls prompt_cache_key messages'

function read(request: SeenRequest): Asked {
  need(request.path === '/v1/chat/completions', `unknown path ${request.path}`)
  need(request.headers.get('authorization') === 'Bearer key-of-chat', 'Incorrect API key provided')
  const body = readObject(request.json(), fields, 'body')
  const isReasoner = body.model === reasonerModel
  need(isReasoner || body.model === chatModel, `The model ${body.model} does not exist`)
  const stream = body.stream === true
  if (stream) readObject(body.stream_options, 'include_usage', 'stream_options')
  else need(body.stream_options === undefined, 'stream_options is for streams')
  const messages = readArray(body.messages, 'messages').map((message, index) =>
    readMessage(message, `messages[${index}]`, isReasoner),
  )
  need(
    messages.every(({ role }, at) => role !== 'system' || at === 0),
    'late instructions',
  )
  return {
    stream,
    system: messages
      .flatMap(({ role, pieces }) => (role === 'system' ? textOf(pieces) : []))
      .join(),
    turns: joined(messages.filter(isTurn)),
    ...readTools(body),
    sequential: body.parallel_tool_calls === false,
    schema: readFormat(body.response_format),
    maxTokens: body.max_completion_tokens as number | undefined,
    temperature: body.temperature as number | undefined,
    stop: body.stop as string[] | undefined,
  }
}

interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly pieces: readonly AskedPiece[]
}

const isTurn = (message: Message): message is Message & Turn => message.role !== 'system'

const textOf = (pieces: readonly AskedPiece[]) =>
  pieces.flatMap((piece) => (piece.type === 'text' ? [piece.text] : []))

/** Messages of the role tool are the user's turn, each a message of its own. */
function joined(messages: readonly Turn[]): readonly Turn[] {
  const turns: Turn[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    const isResults = last?.pieces.every(({ type }) => type === 'result')
    if (last?.role !== 'user' || message.role !== 'user' || !isResults) turns.push(message)
    else turns[turns.length - 1] = { role: 'user', pieces: [...last.pieces, ...message.pieces] }
  }
  return turns
}

function readMessage(value: unknown, at: string, isReasoner: boolean): Message {
  const extra = isReasoner ? ' reasoning_content' : ''
  const message = readObject(value, `role content tool_calls tool_call_id refusal${extra}`, at)
  const { role, content } = message
  switch (role) {
    case 'system':
      return { role, pieces: [{ type: 'text', text: readString(content, `${at}.content`) }] }
    case 'user':
      return { role, pieces: readContent(content, `${at}.content`) }
    case 'tool': {
      const callId = readString(message.tool_call_id, `${at}.tool_call_id`)
      need(typeof content === 'string', `${at}.content: no string`)
      return { role: 'user', pieces: [{ type: 'result', callId, text: content }] }
    }
    default:
      need(role === 'assistant', `${at}.role: ${role}`)
      return { role, pieces: readAssistant(message, at, isReasoner) }
  }
}

function readContent(content: unknown, at: string): readonly AskedPiece[] {
  if (typeof content === 'string') return [{ type: 'text', text: readString(content, at) }]
  return readArray(content, at).map((part, index): AskedPiece => {
    const path = `${at}[${index}]`
    const { type, text, image_url } = readObject(part, 'type text image_url', path)
    if (type === 'text') return { type, text: readString(text, `${path}.text`) }
    need(type === 'image_url', `${path}: Content blocks are text or image_url`)
    const url = readString(readObject(image_url, 'url detail', path).url, `${path}.url`)
    const data = /^data:image\/png;base64,(.+)$/.exec(url)?.[1]
    return data === undefined ? { type: 'image', url } : { type: 'image', data }
  })
}

function readAssistant(message: JsonObject, at: string, isReasoner: boolean): AskedPiece[] {
  const calls = message.tool_calls === undefined ? [] : readArray(message.tool_calls, at)
  const { content, refusal, reasoning_content: reasoning } = message
  if (calls.length === 0 && refusal === undefined) readString(content, `${at}.content`)
  if (isReasoner && calls.length > 0) {
    need(
      typeof reasoning === 'string',
      `${at}: reasoning_content is missing in assistant tool call`,
    )
  }
  return [
    ...(typeof reasoning === 'string' ? [{ type: 'reasoning', text: reasoning } as const] : []),
    ...(typeof content === 'string' ? [{ type: 'text', text: content } as const] : []),
    ...calls.map((value, index): AskedPiece => {
      const path = `${at}.tool_calls[${index}]`
      const call = readObject(value, 'id type function', path)
      need(call.type === 'function', `${path}.type: ${call.type}`)
      const { name, arguments: input } = readObject(call.function, 'name arguments', path)
      return {
        type: 'call',
        id: readString(call.id, `${path}.id`),
        name: readString(name, `${path}.name`),
        input: readJson(input, `${path}.arguments`),
      }
    }),
  ]
}

function readTools({ tools, tool_choice: choice, parallel_tool_calls: parallel }: JsonObject) {
  if (tools === undefined) {
    need(choice === undefined && parallel === undefined, 'tool_choice is only allowed with tools')
    return { tools: [], toolChoice: undefined }
  }
  const names = readArray(tools, 'tools').map((tool, index) => {
    const { type, function: wire } = readObject(tool, 'type function', `tools[${index}]`)
    need(type === 'function', `tools[${index}].type: ${type}`)
    const { name, parameters } = readObject(wire, 'name description parameters strict', 'function')
    need(isJsonObject(parameters) && parameters.type === 'object', 'parameters: no object schema')
    return readString(name, 'function.name')
  })
  if (!isJsonObject(choice)) return { tools: names, toolChoice: choice as Asked['toolChoice'] }
  need(choice.type === 'function', 'tool_choice.type')
  const { name } = readObject(choice.function, 'name', 'tool_choice.function')
  return { tools: names, toolChoice: { name: readString(name, 'tool_choice.function.name') } }
}

function readFormat(format: unknown): unknown {
  if (format === undefined) return undefined
  const { type, json_schema } = readObject(format, 'type json_schema', 'response_format')
  need(type === 'json_schema', `response_format.type: ${type}`)
  const { name, schema } = readObject(json_schema, 'name schema strict', 'json_schema')
  readString(name, 'json_schema.name')
  return schema
}
