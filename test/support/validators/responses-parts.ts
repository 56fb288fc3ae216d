import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { checkPart, textOf } from './responses-shape.ts'
import type { Report } from './shared.ts'

/** The parts of one open item. */
export interface Parts {
  /** Type of the item. */
  readonly owner: unknown
  /** Parts that are done, by the member of the item that lists them. */
  readonly done: { readonly content: JsonObject[]; readonly summary: JsonObject[] }
  /** One part at a time, as the vendor sends them. */
  open: Part | undefined
}

/** The members of an item that list its parts. */
type List = 'content' | 'summary'

interface Part {
  readonly list: List
  readonly type: unknown
  readonly annotations: unknown[]
  text: string
  isTextDone: boolean
}

/** An event: `response.output_text.delta` is a step `delta` of `response.output_text`. */
interface Step {
  readonly name: string
  readonly step: string
  readonly event: JsonObject
}

/** Takes an event of the open item's parts; false: it is none. */
export function readPartEvent(parts: Parts, { name, step, event }: Step, report: Report): boolean {
  const text = partTexts.get(name)
  const list = partLists.get(name)
  if (list !== undefined && step === 'added') openPart(parts, list, event, report)
  else if (list !== undefined && step === 'done') closePart(parts, list, event, report)
  else if (text !== undefined) {
    const part = needOpen(parts, text.type, event, report)
    if (part !== undefined) readText(part, { step, member: text.member, event }, report)
    // Typed as always there; clients that read them do not ask.
    const hasLogprobs = text.type !== 'output_text' || Array.isArray(event.logprobs)
    report.need(hasLogprobs, 'logprobs is no array')
  } else if (name === 'response.output_text.annotation') {
    const part = needOpen(parts, 'output_text', event, report)
    const expected = part?.annotations.length
    report.need(event.annotation_index === expected, `annotation_index, expected ${expected}`)
    part?.annotations.push(event.annotation)
  } else return false
  return true
}

/** Events that open and close parts: by name, the list that they belong to. */
const partLists = new Map<string, List>([
  ['response.content_part', 'content'],
  ['response.reasoning_summary_part', 'summary'],
])

/** Events that tell the text of a part: by name, the part's type, and where `done` repeats it. */
const partTexts = new Map([
  ['response.output_text', { type: 'output_text', member: 'text' }],
  ['response.refusal', { type: 'refusal', member: 'refusal' }],
  ['response.reasoning_text', { type: 'reasoning_text', member: 'text' }],
  ['response.reasoning_summary_text', { type: 'summary_text', member: 'text' }],
])

function openPart(parts: Parts, list: List, event: JsonObject, report: Report): void {
  report.need(parts.open === undefined, 'the part before it is open')
  checkIndex(parts, list, event, report)
  const part = report.object(event.part, 'part') ?? {}
  const { type } = part
  checkPart(part, parts.owner, report)
  report.need(textOf(part) === '', 'the part begins with something')
  parts.open = { list, type, annotations: [], text: '', isTextDone: false }
}

function closePart(parts: Parts, list: List, event: JsonObject, report: Report): void {
  const { open, owner } = parts
  checkIndex(parts, list, event, report)
  const part = report.object(event.part, 'part') ?? {}
  checkPart(part, owner, report)
  report.need(open?.list === list, `no ${list} part is open`)
  report.need(part.type === open?.type, `its type was ${open?.type}`)
  report.need(open?.isTextDone === true, 'its text is not done')
  report.need(textOf(part) === open?.text, "the part's text is not what the deltas add up to")
  const isSame = Bun.deepEquals(part.annotations ?? [], open?.annotations, true)
  report.need(isSame, "the part's annotations are not those that were added")
  parts.done[list].push(part)
  parts.open = undefined
}

/** The open part, which an event for parts of `type` must belong to. */
function needOpen(parts: Parts, type: string, event: JsonObject, report: Report): Part | undefined {
  const { open } = parts
  report.need(open?.type === type, `no part ${type} is open`)
  if (open?.type !== type) return undefined
  checkIndex(parts, open.list, event, report)
  report.need(!open.isTextDone, 'after its text was done')
  return open
}

/** The open part is the next one of its list. */
function checkIndex({ done }: Parts, list: List, event: JsonObject, report: Report): void {
  const index = event[`${list}_index`]
  const expected = done[list].length
  report.need(index === expected, `${list}_index ${index}, expected ${expected}`)
}

/** A delta, or the text that all deltas add up to. */
export function readText(
  holder: { text: string; isTextDone: boolean },
  { step, member, event }: Omit<Step, 'name'> & { readonly member: string },
  report: Report,
): void {
  report.need(!holder.isTextDone, 'after its text was done')
  if (step === 'delta') {
    report.need(typeof event.delta === 'string', 'delta is no text')
    holder.text += String(event.delta)
    return
  }
  report.need(step === 'done', 'a kind that the vendor does not have')
  report.need(event[member] === holder.text, `${member} is not what the deltas add up to`)
  holder.isTextDone = true
}
