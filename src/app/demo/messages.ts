import { type Answer, freshId } from './answer.ts'
import {
  type Ask,
  addressedPicture,
  base64Picture,
  type Json,
  list,
  number,
  object,
  parts,
  readTurn,
  type Turn,
  text,
} from './ask.ts'
import { DemoError } from './errors.ts'
import { portions } from './tokens.ts'

function picture(part: Json) {
  if (part.type !== 'image') return undefined
  const source = object(part.source)
  return source.type === 'base64'
    ? base64Picture(source.media_type, source.data)
    : addressedPicture(source.url)
}

/** A message's turns: results of tools are turns of their own. */
function readMessage(message: Json): Turn[] {
  const content = parts(message.content)
  const results = content.filter((part) => part.type === 'tool_result')
  const rest = content.filter((part) => part.type !== 'tool_result')
  const role = message.role === 'assistant' || message.role === 'system' ? message.role : 'user'
  const turns = results.map((result) => readTurn('tool', parts(result.content), picture))
  return rest.length > 0 ? [...turns, readTurn(role, rest, picture)] : turns
}

function readChoice(choice: Json): Ask['choice'] {
  if (choice.type === 'tool') return { name: text(choice.name) }
  return choice.type === 'any' || choice.type === 'none' ? choice.type : 'auto'
}

/** Reads a message request; `count_tokens` has no `max_tokens`. */
export function readMessages(body: Json, counting = false): Ask {
  if (!counting && typeof body.max_tokens !== 'number')
    throw new DemoError(400, 'max_tokens: Field required')
  if (!Array.isArray(body.messages) || body.messages.length === 0)
    throw new DemoError(400, 'messages: at least one message is required')
  // Without state for a thread, this status and word make an SDK send the whole conversation again.
  if (object(body.thread).type === 'continue')
    throw new DemoError(404, 'thread: not found', 'thread_not_found')
  const format = object(object(body.output_config).format ?? body.output_format)
  return {
    model: text(body.model),
    stream: body.stream === true,
    turns: [
      ...(body.system === undefined ? [] : [readTurn('system', parts(body.system), picture)]),
      ...list(body.messages).flatMap(readMessage),
    ],
    tools: list(body.tools).flatMap(({ name, description, input_schema }) =>
      input_schema === undefined
        ? []
        : { name: text(name), description: text(description), schema: object(input_schema) },
    ),
    choice: readChoice(object(body.tool_choice)),
    schema: format.type === 'json_schema' ? object(format.schema) : undefined,
    maxTokens: number(body.max_tokens),
    stop: [body.stop_sequences ?? []].flat().map(text),
  }
}

const reasons = {
  stop: 'end_turn',
  sequence: 'stop_sequence',
  length: 'max_tokens',
  tools: 'tool_use',
} as const

/** This vendor caches only what is marked, and counts cached tokens beside the input. */
function usageOf({ usage }: Answer, body: Json) {
  const marked = JSON.stringify(body).includes('"cache_control"')
  const long = marked && JSON.stringify(body).includes('"ttl":"1h"')
  const cached = marked ? usage.cached : 0
  const written = marked ? usage.written : 0
  return {
    input_tokens: usage.input - cached - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
    cache_creation: {
      ephemeral_5m_input_tokens: long ? 0 : written,
      ephemeral_1h_input_tokens: long ? written : 0,
    },
    output_tokens: usage.output,
    service_tier: 'standard',
  }
}

const head = (ask: Ask) => ({
  id: `msg_${freshId()}`,
  type: 'message',
  role: 'assistant',
  model: ask.model,
})

const callBlocks = (answer: Answer) =>
  answer.calls.map(({ id, name, input }) => ({ type: 'tool_use', id: `toolu_${id}`, name, input }))

/** A message in one piece. */
export function messagesBody(ask: Ask, answer: Answer, body: Json) {
  const said = [{ type: 'text', text: answer.tokens.join('') }]
  return {
    ...head(ask),
    content: answer.calls.length > 0 ? callBlocks(answer) : said,
    stop_reason: reasons[answer.reason],
    stop_sequence: answer.sequence ?? null,
    usage: usageOf(answer, body),
  }
}

const frame = (data: Json) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

/** The same as a stream of events. */
export function* messagesStream(ask: Ask, answer: Answer, body: Json): Generator<string> {
  const usage = usageOf(answer, body)
  const open = { content: [], stop_reason: null, stop_sequence: null }
  const message = { ...head(ask), ...open, usage: { ...usage, output_tokens: 1 } }
  yield frame({ type: 'message_start', message }) + frame({ type: 'ping' })

  const calls = callBlocks(answer)
  const blocks = calls.length > 0 ? calls : [{ type: 'text', text: '' }]
  for (const [index, block] of blocks.entries()) {
    const started = 'input' in block ? { ...block, input: {} } : block
    yield frame({ type: 'content_block_start', index, content_block: started })
    const deltas =
      'input' in block
        ? portions([...JSON.stringify(block.input)]).map((partial_json) => ({
            type: 'input_json_delta',
            partial_json,
          }))
        : portions(answer.tokens).map((part) => ({ type: 'text_delta', text: part }))
    for (const delta of deltas) yield frame({ type: 'content_block_delta', index, delta })
    yield frame({ type: 'content_block_stop', index })
  }
  const delta = { stop_reason: reasons[answer.reason], stop_sequence: answer.sequence ?? null }
  yield frame({ type: 'message_delta', delta, usage }) + frame({ type: 'message_stop' })
}
