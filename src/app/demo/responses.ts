import { type Answer, freshId } from './answer.ts'
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
import { readChoice, readFormat } from './chat.ts'
import { DemoError } from './errors.ts'
import { portions } from './tokens.ts'

const picture = (part: Json) =>
  part.type === 'input_image' ? addressedPicture(part.image_url) : undefined

function readItem(item: Json): Turn[] {
  if (item.type === 'function_call_output') return [readTurn('tool', parts(item.output), picture)]
  if (item.type === 'function_call')
    return [{ role: 'assistant', text: text(item.arguments), pictures: [] }]
  if (item.type !== undefined && item.type !== 'message') return []
  const { role } = item
  const system = role === 'system' || role === 'developer'
  const known = system ? 'system' : role === 'assistant' ? 'assistant' : 'user'
  return [readTurn(known, parts(item.content), picture)]
}

const reasons = {
  stop: 'completed',
  sequence: 'completed',
  tools: 'completed',
  length: 'incomplete',
}

const usageOf = ({ usage }: Answer) => ({
  input_tokens: usage.input,
  input_tokens_details: { cached_tokens: usage.cached },
  output_tokens: usage.output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: usage.input + usage.output,
})

function outputOf(answer: Answer): Json[] {
  const status = reasons[answer.reason]
  if (answer.calls.length === 0) {
    const said = {
      type: 'output_text',
      annotations: [],
      logprobs: [],
      text: answer.tokens.join(''),
    }
    return [{ id: `msg_${freshId()}`, type: 'message', status, role: 'assistant', content: [said] }]
  }
  return answer.calls.map(({ id, name, input }) => ({
    id: `fc_${id}`,
    type: 'function_call',
    status,
    arguments: JSON.stringify(input),
    call_id: `call_${id}`,
    name,
  }))
}

/** A response object; the fields of the request that vendors repeat are repeated. */
function whole(ask: Ask, answer: Answer, body: Json) {
  return {
    id: `resp_${freshId()}`,
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    status: reasons[answer.reason],
    background: false,
    error: null,
    incomplete_details: answer.reason === 'length' ? { reason: 'max_output_tokens' } : null,
    instructions: body.instructions ?? null,
    max_output_tokens: ask.maxTokens ?? null,
    model: ask.model,
    output: outputOf(answer),
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: { effort: null, summary: null },
    service_tier: 'default',
    store: body.store !== false,
    temperature: number(body.temperature) ?? 1,
    text: body.text ?? { format: { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_p: number(body.top_p) ?? 1,
    truncation: 'disabled',
    usage: usageOf(answer),
    user: null,
    metadata: body.metadata ?? {},
  }
}

type Part = [type: string, data: object]

/** The events of one output item between its `added` and its `done`. */
function contentEvents(item: Json, output_index: number, answer: Answer): Part[] {
  const place = { item_id: item.id, output_index }
  if (item.type === 'function_call') {
    const pieces = portions([...text(item.arguments)])
    return [
      ...pieces.map((delta): Part => ['function_call_arguments.delta', { ...place, delta }]),
      ['function_call_arguments.done', { ...place, name: item.name, arguments: item.arguments }],
    ]
  }
  const at = { ...place, content_index: 0 }
  const part = list(item.content)[0] ?? {}
  return [
    ['content_part.added', { ...at, part: { ...part, text: '' } }],
    ...portions(answer.tokens).map(
      (delta): Part => ['output_text.delta', { ...at, delta, logprobs: [] }],
    ),
    ['output_text.done', { ...at, text: part.text, logprobs: [] }],
    ['content_part.done', { ...at, part }],
  ]
}

function* events(response: ReturnType<typeof whole>, answer: Answer): Generator<string> {
  let sequence_number = 0
  const frame = (kind: string, data: object) => {
    const type = `response.${kind}`
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...data })}\n\n`
  }
  const begun = { ...response, status: 'in_progress', incomplete_details: null, output: [] }
  const started = { response: { ...begun, usage: null } }
  yield frame('created', started) + frame('in_progress', started)
  for (const [output_index, item] of response.output.entries()) {
    const empty = item.type === 'message' ? { content: [] } : { arguments: '' }
    const opened = { ...item, ...empty, status: 'in_progress' }
    yield frame('output_item.added', { output_index, item: opened })
    for (const [kind, data] of contentEvents(item, output_index, answer)) yield frame(kind, data)
    yield frame('output_item.done', { output_index, item })
  }
  yield frame(response.status, { response })
}

interface Kept {
  readonly response: Json
  /** The conversation up to and with this response. */
  readonly items: readonly Json[]
}

/** The responses protocol with its memory: answers that later requests continue or fetch. */
export function createResponses(limit = 1000) {
  const kept = new Map<string, Kept>()
  const itemsOf = (body: Json): readonly Json[] => {
    const before = text(body.previous_response_id)
    if (before !== '' && !kept.has(before))
      throw new DemoError(400, `Previous response with id '${before}' not found.`)
    const input =
      typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input
    const all = [...kept.values()].flatMap((one) => one.items)
    const given = list(input).map((item) =>
      item.type === 'item_reference' ? (all.find(({ id }) => id === item.id) ?? item) : item,
    )
    return [...(kept.get(before)?.items ?? []), ...given]
  }
  const make = (ask: Ask, answer: Answer, body: Json) => {
    const response = whole(ask, answer, body)
    if (response.store)
      kept.set(response.id, { response, items: [...itemsOf(body), ...response.output] })
    const [oldest] = kept.keys()
    if (kept.size > limit && oldest !== undefined) kept.delete(oldest)
    return response
  }
  return {
    read(body: Json): Ask {
      if (body.input === undefined) throw new DemoError(400, "Missing required parameter: 'input'.")
      const format = object(object(body.text).format)
      const system = text(body.instructions)
      return {
        model: text(body.model),
        stream: body.stream === true,
        turns: [
          ...(system === '' ? [] : [{ role: 'system' as const, text: system, pictures: [] }]),
          ...itemsOf(body).flatMap(readItem),
        ],
        tools: list(body.tools)
          .filter((tool) => tool.type === 'function')
          .map(({ name, description, parameters }) => ({
            name: text(name),
            description: text(description),
            schema: object(parameters),
          })),
        choice: readChoice(body.tool_choice),
        schema: readFormat(format, format),
        maxTokens: number(body.max_output_tokens),
        stop: [],
      }
    },
    body: make,
    stream: (ask: Ask, answer: Answer, body: Json) => events(make(ask, answer, body), answer),
    get: (id: string): Json | undefined => kept.get(id)?.response,
    delete: (id: string): boolean => kept.delete(id),
  }
}
