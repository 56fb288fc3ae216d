import { arrayIn, isJsonObject, objectIn, stringIn } from '../../../src/protocols/json.ts'
import type { JsonObject, ProtocolName } from '../../../src/protocols/protocol.ts'
import { framesIn } from './answers.ts'

/*
 * What clients send as the next turn: the answer as their SDKs keep it, results for its calls, or
 * else a word of the user. Nothing of the gateway is used here but helpers for JSON.
 */

type Entries = readonly JsonObject[]

const objects = (value: JsonObject | undefined, key: string) =>
  arrayIn(value, key).filter(isJsonObject)
const eventsIn = (text: string) =>
  framesIn(text).flatMap(({ data }) => (data === '[DONE]' ? [] : [JSON.parse(data) as JsonObject]))

/** The body of the turn that follows a whole answer. */
export function bodyAfter(client: ProtocolName, answer: JsonObject): JsonObject {
  switch (client) {
    case 'chat': {
      const message = objectIn(objects(answer, 'choices')[0], 'message') ?? {}
      const results = objects(message, 'tool_calls').map(({ id }) => {
        return { role: 'tool', tool_call_id: id, content: 'done' }
      })
      const next = results.length > 0 ? results : [{ role: 'user', content: 'Go on' }]
      return { model: 'm', messages: [{ role: 'user', content: 'Hi' }, message, ...next] }
    }
    case 'responses': {
      const items = objects(answer, 'output')
      const results = items.flatMap(({ type, call_id }) =>
        /^(function|custom_tool)_call$/.test(`${type}`)
          ? [{ type: `${type}_output`, call_id, output: 'done' }]
          : [],
      )
      const next = results.length > 0 ? results : [{ role: 'user', content: 'Go on' }]
      return {
        model: 'm',
        store: false,
        input: [{ role: 'user', content: 'Hi' }, ...items, ...next],
      }
    }
    case 'messages': {
      const content = objects(answer, 'content')
      const results = content.flatMap(({ type, id }) =>
        type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: 'done' }] : [],
      )
      const messages = [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content },
        { role: 'user', content: results.length > 0 ? results : 'Go on' },
      ]
      return { model: 'm', max_tokens: 64, messages }
    }
    case 'gemini':
      return geminiAfter(answer)
  }
}

/** The vendor's SDK keeps a streamed answer as one content for each chunk. */
function geminiAfter(answer: JsonObject): JsonObject {
  const chunks = objects(answer, 'chunks')
  const whole = objectIn(objects(answer, 'candidates')[0], 'content')
  const kept = chunks.length > 0 || whole === undefined ? chunks : [whole]
  const results = kept
    .flatMap((content) => objects(content, 'parts'))
    .flatMap((part) => {
      const call = objectIn(part, 'functionCall')
      if (call === undefined) return []
      return [{ functionResponse: { id: call.id, name: call.name, response: { output: 'done' } } }]
    })
  const next = results.length > 0 ? results : [{ text: 'Go on' }]
  const contents = [
    { role: 'user', parts: [{ text: 'Hi' }] },
    ...kept,
    { role: 'user', parts: next },
  ]
  return { contents }
}

/** A gemini client that keeps no thoughts, as many do. */
export function withoutThoughts(body: JsonObject): JsonObject {
  const contents = objects(body, 'contents').map((content) => {
    return {
      ...content,
      parts: objects(content, 'parts').filter(({ thought }) => thought !== true),
    }
  })
  return { ...body, contents }
}

/** A streamed answer as its client puts it together. */
export function gather(client: ProtocolName, text: string): JsonObject {
  const events = eventsIn(text)
  switch (client) {
    case 'chat':
      return gatherChat(events)
    case 'responses': {
      const last = events.findLast(({ response }) => isJsonObject(response))
      return objectIn(last, 'response') ?? {}
    }
    case 'messages':
      return { content: gatherBlocks(events) }
    case 'gemini': {
      const chunks = events.flatMap((chunk) => {
        const first = objects(chunk, 'candidates').find(({ index = 0 }) => index === 0)
        const content = objectIn(first, 'content')
        return content === undefined ? [] : [content]
      })
      const parts = chunks.flatMap((content) => objects(content, 'parts'))
      return { chunks, candidates: [{ content: { role: 'model', parts } }] }
    }
  }
}

function gatherChat(events: Entries): JsonObject {
  const texts: Record<string, string> = {}
  const details: JsonObject[] = []
  const calls: Record<string, unknown>[] = []
  for (const chunk of events) {
    const choice = objects(chunk, 'choices').find(({ index }) => index === 0)
    const delta = objectIn(choice, 'delta')
    for (const key of ['content', 'reasoning_content', 'refusal']) {
      const piece = stringIn(delta, key)
      if (piece !== undefined) texts[key] = (texts[key] ?? '') + piece
    }
    details.push(...objects(delta, 'reasoning_details'))
    for (const piece of objects(delta, 'tool_calls')) addCall(calls, piece)
  }
  const message = {
    role: 'assistant',
    content: null,
    ...texts,
    ...(details.length > 0 ? { reasoning_details: details } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
  return { choices: [{ index: 0, message }] }
}

function addCall(calls: Record<string, unknown>[], piece: JsonObject): void {
  const { index, ...call } = piece
  const known = calls[Number(index)]
  if (known === undefined) {
    calls[Number(index)] = { ...call }
    return
  }
  for (const [kind, key] of [
    ['function', 'arguments'],
    ['custom', 'input'],
  ] as const) {
    const more = stringIn(objectIn(piece, kind), key)
    const before = known[kind]
    if (more !== undefined && isJsonObject(before)) {
      known[kind] = { ...before, [key]: `${before[key]}${more}` }
    }
  }
}

function gatherBlocks(events: Entries): Entries {
  const blocks: Record<string, unknown>[] = []
  const pieces: string[] = []
  for (const event of events) {
    const index = Number(event.index)
    const begun = objectIn(event, 'content_block')
    if (begun !== undefined) blocks[index] = { ...begun }
    const block = blocks[index]
    const delta = objectIn(event, 'delta')
    if (block === undefined || delta === undefined) continue
    for (const key of ['text', 'thinking', 'signature']) {
      if (typeof delta[key] === 'string') block[key] = `${block[key] ?? ''}${delta[key]}`
    }
    if (typeof delta.partial_json === 'string') {
      pieces[index] = (pieces[index] ?? '') + delta.partial_json
    }
  }
  for (const [index, json] of pieces.entries()) {
    const block = blocks[index]
    if (block !== undefined && json) block.input = JSON.parse(json)
  }
  return blocks
}
