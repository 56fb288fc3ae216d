import { expect } from 'bun:test'
import { bytesOf, framesOf } from './scene.ts'

/** What the checker looks at in an event; what it needs and does not find is a failure. */
export interface WireEvent {
  readonly type: string
  readonly sequence_number: number
  readonly output_index: number
  readonly item_id: string
  readonly content_index: number
  readonly summary_index: number
  readonly annotation_index: number
  readonly annotation: unknown
  readonly delta: string
  readonly text?: string
  readonly refusal?: string
  readonly arguments?: string
  readonly input?: string
  readonly logprobs?: unknown
  readonly item: WireItem
  readonly part: WirePart
  readonly response: WireResponse
}

export interface WireItem {
  readonly [field: string]: unknown
  readonly id: string
  readonly type: string
  readonly content?: readonly WirePart[]
  readonly summary?: readonly WirePart[]
}

interface WirePart {
  readonly type: string
  readonly text?: string
  readonly refusal?: string
  readonly annotations?: readonly unknown[]
}

export interface WireResponse {
  readonly [field: string]: unknown
  readonly id: string
  readonly status: string
  readonly output: readonly WireItem[]
}

/** What of a client's stream the checker has seen so far. */
interface Seen {
  readonly items: WireItem[]
  readonly ids: Set<string>
  open: WireItem | undefined
  parts: WirePart[]
  part: { readonly type: string; text: string; readonly annotations: unknown[] } | undefined
  input: string
  isTextDone: boolean
}

/** The events of a stream; each frame's name is its event's type. */
export function eventsOf(text: string): WireEvent[] {
  return framesOf([bytesOf(text)]).map(({ event, data }) => {
    const parsed = JSON.parse(data) as WireEvent
    expect(event).toBe(parsed.type)
    return parsed
  })
}

/**
 * Checks a whole stream as the vendor writes it: numbers, order, nesting, and that what was told in
 * pieces is what is told as a whole. Gives the response that it ends with.
 */
export function checkStream(text: string): WireResponse {
  const events = eventsOf(text)
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at))
  const last = events.at(-1)
  if (last === undefined) throw new Error('nothing was written')
  expect(last.type).toMatch(/^response\.(completed|incomplete|failed)$/)
  const begun = ['response.created', 'response.in_progress']
  expect(events.slice(0, 2).map(({ type }) => type)).toEqual(begun)
  for (const { response } of events.slice(0, 2)) {
    expect(response).toMatchObject({ id: last.response.id, status: 'in_progress', output: [] })
  }
  const seen: Seen = {
    items: [],
    ids: new Set(),
    open: undefined,
    parts: [],
    part: undefined,
    input: '',
    isTextDone: false,
  }
  const told = last.type === 'response.failed' && events.at(-2)?.type === 'error' ? -2 : -1
  for (const event of events.slice(2, told)) checkEvent(event, seen)
  checkEnd(last, seen)
  return last.response
}

function checkEnd({ type, response }: WireEvent, seen: Seen): void {
  for (const field of responseFields) expect(response).toHaveProperty(field)
  expect(`response.${response.status}`).toBe(type)
  if (type === 'response.failed') {
    expect(response.error).toMatchObject({ code: expect.any(String), message: expect.any(String) })
    expect(response.output.slice(0, seen.items.length)).toEqual(seen.items)
    return
  }
  expect(seen.open).toBeUndefined()
  expect(response.output).toEqual(seen.items)
  expect(response.error).toBeNull()
}

const responseFields = [
  'id object created_at status error incomplete_details instructions max_output_tokens metadata',
  'model output parallel_tool_calls previous_response_id reasoning store temperature text',
  'tool_choice tools top_p truncation usage user',
].flatMap((line) => line.split(' '))

function checkEvent(event: WireEvent, seen: Seen): void {
  const { type, item } = event
  expect(event.output_index).toBe(seen.items.length)
  if (type === 'response.output_item.added') {
    announce(item, seen)
    return
  }
  const { open } = seen
  if (open === undefined) throw new Error(`${type} without an item`)
  if (type === 'response.output_item.done') {
    endItem(open, item, seen)
    return
  }
  expect(event.item_id).toBe(open.id)
  if (open.type === 'message') checkMessage(event, seen)
  else if (open.type === 'reasoning') checkSummary(event, seen)
  else if (open.type === 'web_search_call') noteSearch(event, seen)
  else checkCall(event, open, seen)
}

/** What has happened to a search, in its order. */
function noteSearch({ type }: WireEvent, seen: Seen): void {
  const step = type.replace('response.web_search_call.', '')
  seen.input = seen.input === '' ? step : `${seen.input} ${step}`
}

function announce(item: WireItem, seen: Seen): void {
  expect(seen.open).toBeUndefined()
  expect(item.id).toMatch(/^(msg|rs|fc|ctc|ws)_/)
  expect(seen.ids.has(item.id)).toBe(false)
  seen.ids.add(item.id)
  if (item.type === 'message') expect(item).toMatchObject({ content: [], role: 'assistant' })
  else if (item.type === 'reasoning') expect(item.summary).toEqual([])
  else if (item.type !== 'web_search_call') expect(item.arguments ?? item.input).toBe('')
  if (item.type !== 'reasoning') expect(item.status).toBe('in_progress')
  Object.assign(seen, { open: item, parts: [], part: undefined, input: '', isTextDone: false })
}

function endItem(open: WireItem, item: WireItem, seen: Seen): void {
  const { id, type, call_id, name } = open
  expect({ ...item }).toMatchObject({ id, type })
  expect(item.call_id).toBe(call_id)
  expect(item.name).toBe(name)
  expect(seen.part).toBeUndefined()
  if (type === 'message') expect(item.content).toEqual(seen.parts)
  else if (type === 'reasoning') expect(item.summary).toEqual(seen.parts)
  else if (type === 'web_search_call')
    expect(seen.input).toMatch(/^in_progress searching( completed)?$/)
  else {
    expect(seen.isTextDone).toBe(true)
    expect(item.arguments ?? item.input).toBe(seen.input)
  }
  seen.items.push(item)
  seen.open = undefined
}

function checkMessage(event: WireEvent, seen: Seen): void {
  const { type, part } = event
  expect(event.content_index).toBe(seen.parts.length)
  if (type === 'response.content_part.added') {
    expect(seen.part).toBeUndefined()
    expect(part.text ?? part.refusal).toBe('')
    seen.part = { type: part.type, text: '', annotations: [] }
    seen.isTextDone = false
    return
  }
  const open = seen.part
  if (open === undefined) throw new Error(`${type} without a part`)
  const kind = open.type === 'refusal' ? 'refusal' : 'output_text'
  if (type === 'response.content_part.done') {
    expect(seen.isTextDone).toBe(true)
    expect(part.text ?? part.refusal).toBe(open.text)
    expect(part.annotations ?? []).toEqual(open.annotations)
    seen.parts.push(part)
    seen.part = undefined
  } else if (type === 'response.output_text.annotation.added') {
    expect(event.annotation_index).toBe(open.annotations.length)
    expect(seen.isTextDone).toBe(false)
    open.annotations.push(event.annotation)
  } else if (type === `response.${kind}.delta`) {
    expect(event.delta).not.toBe('')
    if (kind === 'output_text') expect(event.logprobs).toBeArray()
    open.text += event.delta
  } else {
    expect(type).toBe(`response.${kind}.done`)
    expect(event.text ?? event.refusal).toBe(open.text)
    seen.isTextDone = true
  }
}

function checkSummary(event: WireEvent, seen: Seen): void {
  const { type, part } = event
  expect(event.summary_index).toBe(seen.parts.length)
  if (type === 'response.reasoning_summary_part.added') {
    seen.part = { type: 'summary_text', text: '', annotations: [] }
    return
  }
  const open = seen.part
  if (open === undefined) throw new Error(`${type} without a part`)
  if (type === 'response.reasoning_summary_text.delta') open.text += event.delta
  else if (type === 'response.reasoning_summary_text.done') expect(event.text).toBe(open.text)
  else {
    expect(type).toBe('response.reasoning_summary_part.done')
    expect(part).toEqual({ type: 'summary_text', text: open.text })
    seen.parts.push(part)
    seen.part = undefined
  }
}

function checkCall(event: WireEvent, open: WireItem, seen: Seen): void {
  const isCustom = open.type === 'custom_tool_call'
  const kind = isCustom ? 'response.custom_tool_call_input' : 'response.function_call_arguments'
  expect(seen.isTextDone).toBe(false)
  if (event.type === `${kind}.delta`) {
    seen.input += event.delta
    return
  }
  expect(event.type).toBe(`${kind}.done`)
  expect(event.arguments ?? event.input).toBe(seen.input)
  seen.isTextDone = true
}
