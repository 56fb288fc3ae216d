import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { type Parts, readPartEvent, readText } from './responses-parts.ts'
import { checkItem, isOfProgram } from './responses-shape.ts'
import type { Report } from './shared.ts'

/** An item between its added and its done event. */
export interface Item {
  readonly added: JsonObject
  readonly index: unknown
  readonly parts: Parts
  /** Arguments, input or code: what of the item itself is streamed. */
  text: string
  isTextDone: boolean
}

/** Members that deltas are appended to, by the item's type. */
const growing = new Map<unknown, readonly string[]>([
  ['message', ['content']],
  ['reasoning', ['summary', 'content']],
  ['function_call', ['arguments']],
  ['custom_tool_call', ['input']],
  ['mcp_call', ['arguments']],
  ['code_interpreter_call', ['code']],
])

/** Takes the item of an added event: what grows is empty in it. */
export function startItem(item: JsonObject, index: unknown, report: Report): Item {
  checkItem(item, report)
  const { type, status } = item
  for (const member of growing.get(type) ?? []) {
    const value = item[member] ?? ''
    const isEmpty = value === '' || (Array.isArray(value) && value.length === 0)
    report.need(isEmpty, `${member} begins with something`)
  }
  const hasStatus = type === 'message' || type === 'function_call'
  report.need(!hasStatus || status === 'in_progress', `it begins with status ${status}`)
  const parts: Parts = { owner: type, done: { content: [], summary: [] }, open: undefined }
  return { added: item, index, parts, text: '', isTextDone: false }
}

/** Events that tell a text of the item itself: by name, the item's type and member. */
const itemTexts = new Map([
  ['response.function_call_arguments', { type: 'function_call', member: 'arguments' }],
  ['response.custom_tool_call_input', { type: 'custom_tool_call', member: 'input' }],
  ['response.mcp_call_arguments', { type: 'mcp_call', member: 'arguments' }],
  ['response.code_interpreter_call_code', { type: 'code_interpreter_call', member: 'code' }],
])

/** Takes an event of an open item; false: it is of a kind that is not looked into. */
export function readItemEvent(
  item: Item,
  type: string,
  event: JsonObject,
  report: Report,
): boolean {
  const { output_index: index, item_id: id } = event
  report.need(index === item.index, `output_index ${index} is not the open item's`)
  const cut = type.lastIndexOf('.')
  const [name, step] = [type.slice(0, cut), type.slice(cut + 1)]
  const text = itemTexts.get(name)
  if (text !== undefined) {
    report.need(item.added.type === text.type, `the open item is a ${item.added.type}`)
    readText(item, { step, member: text.member, event }, report)
  } else if (!readPartEvent(item.parts, { name, step, event }, report)) return false
  report.need(id === item.added.id, `item_id ${id} is not the open item's`)
  return true
}

/** Compares an item as it is done with all that was told of it. */
export function finishItem(
  { added, parts, text, isTextDone }: Item,
  item: JsonObject,
  report: Report,
): void {
  checkItem(item, report)
  const { type, status } = item
  report.need(type === added.type, `its type was ${added.type}`)
  report.need(item.id === added.id, `its id was ${added.id}`)
  report.need(status !== 'in_progress' || isOfProgram(item), 'it is done, but in progress')
  report.need(parts.open === undefined, 'a part is open')
  if (type === 'message' || type === 'reasoning') {
    const isSame = Bun.deepEquals(item.content ?? [], parts.done.content, true)
    report.need(isSame, 'content is not the parts that were done')
  }
  if (type === 'reasoning') {
    const isSame = Bun.deepEquals(item.summary, parts.done.summary, true)
    report.need(isSame, 'summary is not the parts that were done')
  }
  if (type === 'function_call' || type === 'custom_tool_call') {
    report.need(item.call_id === added.call_id, `its call_id was ${added.call_id}`)
    report.need(item.name === added.name, `its name was ${added.name}`)
  }
  for (const [name, expected] of itemTexts) {
    if (type !== expected.type) continue
    report.need(isTextDone, `no ${name}.done`)
    report.need(
      item[expected.member] === text,
      `${expected.member} is not what the deltas add up to`,
    )
  }
}
