import type { JsonObject, ProtocolName } from '../../src/protocols/protocol.ts'

/** What a very long stream is full of: pieces of one text, or a great many calls. */
export const longKinds = ['text', 'reasoning', 'arguments', 'calls'] as const
export type LongKind = (typeof longKinds)[number]

/** A stream of any length, as text. */
export interface LongText {
  readonly begin: string
  event(index: number): string
  readonly end: string
}

const unnamed = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`
const named = (event: JsonObject) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

/** A stream of this kind as an upstream of the protocol sends it. */
export function longStream(protocol: ProtocolName, kind: LongKind): LongText {
  switch (protocol) {
    case 'chat':
      return chatStream(kind)
    case 'responses':
      return responsesStream(kind)
    case 'messages':
      return messagesStream(kind)
    case 'gemini':
      return geminiStream(kind)
  }
}

function chatStream(kind: LongKind): LongText {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    unnamed({ id: 'chatcmpl-1', model: 'v', choices: [{ index: 0, delta, finish_reason }] })
  const call = (index: number, text: string) =>
    chunk({ tool_calls: [{ index, id: `c${index}`, function: { name: 'f', arguments: text } }] })
  const piece = chunk({ tool_calls: [{ index: 0, function: { arguments: 'word ' } }] })
  const events = {
    text: () => chunk({ content: 'word ' }),
    reasoning: () => chunk({ reasoning_content: 'word ' }),
    arguments: () => piece,
    calls: (index: number) => call(index, '{}'),
  }
  return {
    begin: kind === 'arguments' ? call(0, '') : chunk({ role: 'assistant' }),
    event: events[kind],
    end: `${chunk({}, 'stop')}data: [DONE]\n\n`,
  }
}

function responsesStream(kind: LongKind): LongText {
  const at = { output_index: 0, item_id: 'i_0', content_index: 0 }
  const head = { id: 'resp_1', status: 'in_progress' }
  const call = (index: number, text: string) => ({
    type: 'function_call',
    id: `fc_${index}`,
    call_id: `c${index}`,
    name: 'f',
    arguments: text,
  })
  const item = (step: 'added' | 'done', output_index: number, item: object) =>
    named({ type: `response.output_item.${step}`, output_index, item })
  const items = {
    text: { type: 'message', id: 'i_0', role: 'assistant', content: [] },
    reasoning: { type: 'reasoning', id: 'i_0', summary: [] },
    arguments: call(0, ''),
    calls: undefined,
  }
  const delta = (type: string) => named({ type, ...at, summary_index: 0, delta: 'word ' })
  const pieces = {
    text: delta('response.output_text.delta'),
    reasoning: delta('response.reasoning_summary_text.delta'),
    arguments: delta('response.function_call_arguments.delta'),
  }
  const created = named({ type: 'response.created', response: head })
  const first = items[kind]
  return {
    begin: first === undefined ? created : created + item('added', 0, first),
    event: (index) =>
      kind === 'calls'
        ? item('added', index, call(index, '')) + item('done', index, call(index, '{}'))
        : pieces[kind],
    end: named({
      type: 'response.completed',
      response: { ...head, status: 'completed', output: [] },
    }),
  }
}

function messagesStream(kind: LongKind): LongText {
  const begin = named({ type: 'message_start', message: { id: 'msg_1', model: 'v' } })
  const start = (index: number, content_block: object) =>
    named({ type: 'content_block_start', index, content_block })
  const call = (index: number) =>
    start(index, { type: 'tool_use', id: `c${index}`, name: 'f', input: {} })
  const stop = (index: number) => named({ type: 'content_block_stop', index })
  const delta = (change: object) => named({ type: 'content_block_delta', index: 0, delta: change })
  const starts = {
    text: () => start(0, { type: 'text', text: '' }),
    reasoning: () => start(0, { type: 'thinking', thinking: '' }),
    arguments: () => call(0),
    calls: () => '',
  }
  const pieces = {
    text: delta({ type: 'text_delta', text: 'word ' }),
    reasoning: delta({ type: 'thinking_delta', thinking: 'word ' }),
    arguments: delta({ type: 'input_json_delta', partial_json: 'word ' }),
  }
  return {
    begin: begin + starts[kind](),
    event: (index) => (kind === 'calls' ? call(index) + stop(index) : pieces[kind]),
    end:
      named({ type: 'message_delta', delta: { stop_reason: 'end_turn' } }) +
      named({ type: 'message_stop' }),
  }
}

function geminiStream(kind: LongKind): LongText {
  const chunk = (part: object) =>
    unnamed({ candidates: [{ index: 0, content: { role: 'model', parts: [part] } }] })
  const partial = { jsonPath: '$.a', stringValue: 'word ', willContinue: true }
  const pieces = {
    text: chunk({ text: 'word ' }),
    reasoning: chunk({ text: 'word ', thought: true }),
    arguments: chunk({ functionCall: { partialArgs: [partial], willContinue: true } }),
  }
  return {
    begin: kind === 'arguments' ? chunk({ functionCall: { name: 'f', willContinue: true } }) : '',
    event: (index) =>
      kind === 'calls'
        ? chunk({ functionCall: { id: `c${index}`, name: 'f', args: {} } })
        : pieces[kind],
    end: unnamed({ candidates: [{ index: 0, content: { parts: [] }, finishReason: 'STOP' }] }),
  }
}
