import { isJsonObject } from '../../../../src/protocols/json.ts'
import type { JsonObject } from '../../../../src/protocols/protocol.ts'
import type { SeenRequest } from '../../../support/fake-upstream.ts'
import type { Asked, AskedPiece, Turn } from '../conversation.ts'
import { need, readArray, readJson, readObject, readString } from '../wire.ts'
import { encrypted, responseOf, stream, whole } from './responses-answers.ts'
import { namedFrame, type Vendor } from './vendor.ts'

/** Responses of a model that reasons and keeps nothing. Source: the vendor's API reference. */
export const responsesVendor: Vendor = {
  protocol: 'responses',
  told: { input: 20, cacheRead: 12, cacheWrite: 0, output: 9, reasoning: 4 },
  sign: encrypted,
  withheld: [],
  refusal: { pieces: [{ type: 'refusal', text: 'I can’t help with that.' }], finish: 'refusal' },
  wanted: (pieces) => pieces,
  read,
  whole,
  stream,
  fault: (_, message) => ({
    error: { message, type: 'invalid_request_error', param: 'input', code: null },
  }),
  streamFault(message) {
    const response = { ...responseOf('failed', []), error: { code: 'server_error', message } }
    return namedFrame({ type: 'response.failed', sequence_number: 99, response })
  },
}

/** The name that the vendor knows. */
export const responsesModel = 'gpt-5.2'

const fields =
  'model stream store include instructions tools tool_choice parallel_tool_calls reasoning text ' +
  'max_output_tokens temperature top_p metadata safety_identifier service_tier prompt_cache_key input'

function read({ path, headers, json }: SeenRequest): Asked {
  need(path === '/v1/responses', `unknown path ${path}`)
  need(headers.get('authorization') === 'Bearer key-of-responses', 'Incorrect API key provided')
  const body = readObject(json(), fields, 'body')
  need(body.model === responsesModel, `The requested model '${body.model}' does not exist.`)
  const { max_output_tokens: limit, instructions } = body
  need(limit === undefined || Number(limit) >= 16, 'max_output_tokens: integer_below_min_value')
  const items = readArray(body.input, 'input').map((item, index) =>
    readItem(item, `input[${index}]`),
  )
  return {
    stream: body.stream === true,
    system: instructions === undefined ? '' : readString(instructions, 'instructions'),
    turns: joined(items),
    ...readTools(body),
    sequential: body.parallel_tool_calls === false,
    schema: readFormat(body.text),
    maxTokens: limit as number | undefined,
    temperature: body.temperature as number | undefined,
    stop: undefined,
  }
}

/** Items of one side in a row are its turn. Reasoning goes before what came of it. */
function joined(items: readonly Turn[]): readonly Turn[] {
  const turns: Turn[] = []
  for (const [index, item] of items.entries()) {
    const isReasoning = item.pieces[0]?.type === 'reasoning'
    const hasItem = items[index + 1]?.role === 'assistant'
    need(!isReasoning || hasItem, 'a reasoning item without its required following item')
    const last = turns.at(-1)
    if (last?.role !== item.role) turns.push(item)
    else turns[turns.length - 1] = { ...item, pieces: [...last.pieces, ...item.pieces] }
  }
  return turns
}

/** With what the SDK leaves in the items that it sends back. */
const itemFields: Record<string, string> = {
  message: 'type role content id status',
  function_call: 'type call_id name arguments id status parsed_arguments',
  function_call_output: 'type call_id output',
  reasoning: 'type id summary encrypted_content',
}

function readItem(value: unknown, at: string): Turn {
  need(isJsonObject(value), `${at}: no object`)
  const type = String(value.type ?? 'message')
  const item = readObject(value, itemFields[type] ?? '', at)
  switch (type) {
    case 'message': {
      const { role } = item
      need(role === 'user' || role === 'assistant', `${at}.role: ${role}`)
      const parts = readArray(item.content, `${at}.content`)
      return { role, pieces: parts.map((part) => readPart(part, role, at)) }
    }
    case 'function_call': {
      const id = readString(item.call_id, `${at}.call_id`)
      const input = readJson(item.arguments, `${at}.arguments`)
      const name = readString(item.name, `${at}.name`)
      return { role: 'assistant', pieces: [{ type: 'call', id, name, input }] }
    }
    case 'function_call_output': {
      const callId = readString(item.call_id, `${at}.call_id`)
      const output = readOutput(item.output, `${at}.output`)
      const text = output.map((part) => (part.type === 'text' ? part.text : '')).join('')
      const images = output.filter((part) => part.type === 'image')
      return { role: 'user', pieces: [{ type: 'result', callId, text }, ...images] }
    }
    default: {
      const signature = readString(item.encrypted_content, `${at}.encrypted_content`)
      const text = readArray(item.summary, `${at}.summary`).map((part) => {
        const { type, text } = readObject(part, 'type text', at)
        need(type === 'summary_text', `${at}.summary: ${type}`)
        return readString(text, at)
      })
      need(item.id === undefined || /^rs_/.test(String(item.id)), `${at}.id: must begin with rs_`)
      return {
        role: 'assistant',
        pieces: [{ type: 'reasoning', text: text.join('\n\n'), signature }],
      }
    }
  }
}

function readOutput(output: unknown, at: string): readonly AskedPiece[] {
  if (typeof output === 'string') return [{ type: 'text', text: output }]
  return readArray(output, at).map((part) => readPart(part, 'user', at))
}

function readPart(value: unknown, role: 'user' | 'assistant', at: string): AskedPiece {
  const part = readObject(value, 'type text annotations logprobs refusal image_url detail', at)
  if (part.type === 'input_image') {
    need(role === 'user', `${at}: an image of the assistant`)
    const url = readString(part.image_url, `${at}.image_url`)
    const data = /^data:image\/png;base64,(.+)$/.exec(url)?.[1]
    return data === undefined ? { type: 'image', url } : { type: 'image', data }
  }
  const expected = role === 'user' ? 'input_text' : 'output_text'
  need(part.type === expected, `${at}: Invalid value: '${part.type}'. Supported: '${expected}'`)
  return { type: 'text', text: readString(part.text, at) }
}

function readTools({ tools, tool_choice: choice, parallel_tool_calls: parallel }: JsonObject) {
  if (tools === undefined) {
    need(choice === undefined && parallel === undefined, 'tool_choice is only allowed with tools')
    return { tools: [], toolChoice: undefined }
  }
  const names = readArray(tools, 'tools').map((tool, index) => {
    const at = `tools[${index}]`
    const { type, name, parameters, strict } = readObject(
      tool,
      'type name description parameters strict',
      at,
    )
    need(type === 'function' && typeof strict === 'boolean', `${at}: Missing 'strict'`)
    need(isJsonObject(parameters) && parameters.type === 'object', `${at}: no object schema`)
    return readString(name, `${at}.name`)
  })
  if (!isJsonObject(choice)) return { tools: names, toolChoice: choice as Asked['toolChoice'] }
  const { type, name } = readObject(choice, 'type name', 'tool_choice')
  need(type === 'function', `tool_choice.type: ${type}`)
  return { tools: names, toolChoice: { name: readString(name, 'tool_choice.name') } }
}

function readFormat(text: unknown): unknown {
  const { format } = text === undefined ? {} : readObject(text, 'format verbosity', 'text')
  if (format === undefined) return undefined
  const { type, name, schema } = readObject(format, 'type name schema strict', 'text.format')
  need(type === 'json_schema', `text.format.type: ${type}`)
  readString(name, 'text.format.name')
  return schema
}
