import type { Answer } from './answer.ts'
import { freshId } from './answer.ts'
import {
  type Ask,
  addressedPicture,
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

const roles: Readonly<Record<string, Turn['role']>> = {
  system: 'system',
  developer: 'system',
  assistant: 'assistant',
  tool: 'tool',
}

/** `tool_choice` of chat and responses: a word, or an object that names the function. */
export function readChoice(choice: unknown): Ask['choice'] {
  if (choice === 'none') return 'none'
  if (choice === 'required') return 'any'
  const name = text(object(choice).name) || text(object(object(choice).function).name)
  return name === '' ? 'auto' : { name }
}

/** `response_format` of chat, `text.format` of responses. */
export function readFormat(format: Json, holder: Json): Json | undefined {
  if (format.type === 'json_object') return {}
  return format.type === 'json_schema' ? object(holder.schema) : undefined
}

/** Reads a chat completion request. */
export function readChat(body: Json): Ask {
  if (!Array.isArray(body.messages) || body.messages.length === 0)
    throw new DemoError(400, 'messages: a list with at least one message is required.')
  if ((number(body.n) ?? 1) > 1) throw new DemoError(400, 'n: the demo upstream gives one choice.')
  const picture = (part: Json) =>
    part.type === 'image_url' ? addressedPicture(object(part.image_url).url) : undefined
  const format = object(body.response_format)
  return {
    model: text(body.model),
    stream: body.stream === true,
    turns: list(body.messages).map((message) =>
      readTurn(roles[text(message.role)] ?? 'user', parts(message.content), picture),
    ),
    tools: list(body.tools).flatMap((tool) => {
      const { name, description, parameters } = object(tool.function)
      if (tool.type !== 'function') return []
      return { name: text(name), description: text(description), schema: object(parameters) }
    }),
    choice: readChoice(body.tool_choice),
    schema: readFormat(format, object(format.json_schema)),
    maxTokens: number(body.max_completion_tokens) ?? number(body.max_tokens),
    stop: [body.stop ?? []].flat().map(text),
  }
}

const reasons = { stop: 'stop', sequence: 'stop', length: 'length', tools: 'tool_calls' } as const

const usageOf = ({ usage }: Answer) => ({
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
  prompt_tokens_details: { cached_tokens: usage.cached, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
})

const head = (ask: Ask, object: string) => ({
  id: `chatcmpl-${freshId()}`,
  object,
  created: Math.floor(Date.now() / 1000),
  model: ask.model,
  service_tier: 'default',
  system_fingerprint: 'fp_demo',
})

/** A chat completion in one piece. */
export function chatBody(ask: Ask, answer: Answer) {
  const calls = answer.calls.map(({ id, name, input }) => ({
    id: `call_${id}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
  const content = calls.length > 0 ? null : answer.tokens.join('')
  const message = { role: 'assistant', content, refusal: null, annotations: [] }
  return {
    ...head(ask, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: calls.length > 0 ? { ...message, tool_calls: calls } : message,
        logprobs: null,
        finish_reason: reasons[answer.reason],
      },
    ],
    usage: usageOf(answer),
  }
}

/** The same as a stream of chunks; usage only when the client asked for it. */
export function* chatStream(ask: Ask, answer: Answer, body: Json): Generator<string> {
  const counted = object(body.stream_options).include_usage === true
  const common = head(ask, 'chat.completion.chunk')
  const frame = (data: object) => `data: ${JSON.stringify({ ...common, ...data })}\n\n`
  const chunk = (delta: object, finish_reason: string | null = null) =>
    frame({
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...(counted ? { usage: null } : {}),
    })
  yield chunk({ role: 'assistant', content: '', refusal: null })
  for (const content of portions(answer.tokens)) yield chunk({ content })
  for (const [index, { id, name, input }] of answer.calls.entries()) {
    const start = { index, id: `call_${id}`, type: 'function' }
    yield chunk({ tool_calls: [{ ...start, function: { name, arguments: '' } }] })
    for (const part of portions([...JSON.stringify(input)]))
      yield chunk({ tool_calls: [{ index, function: { arguments: part } }] })
  }
  const usage = counted ? frame({ choices: [], usage: usageOf(answer) }) : ''
  yield `${chunk({}, reasons[answer.reason])}${usage}data: [DONE]\n\n`
}
