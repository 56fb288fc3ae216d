import type { ObservedExtras } from './extras.ts'
import type { HostedTool } from './tools.ts'
import type { Usage } from './usage.ts'

/**
 * `open`: more must follow. `closing`: it could be the end. `closed`: the protocol's last event, or the whole
 * body.
 */
type Phase = 'open' | 'closing' | 'closed'

/** How the upstream itself says that its answer ended. */
export type Outcome = 'complete' | 'incomplete' | 'failed'

/** What the gateway learns from one answer that passes untouched; filled by its `AnswerObserver`. */
export interface Observation {
  phase: Phase
  outcome: Outcome | undefined
  /** The upstream took the request, but works on it in the background: the answer is fetched later. */
  pending: boolean
  /** A whole body that is no answer of this protocol. */
  foreign: boolean
  /** Answers side by side (choices, candidates), by index: those that began, and those that ended. */
  readonly begun: Set<unknown>
  readonly ended: Set<unknown>
  /** Undefined until the upstream reports usage: an explicit 0 is data. */
  usage: Usage | undefined
  /** The upstream's own usage object (for streams: the last one, or the merged ones), as JSON. */
  usageRaw: unknown
  /** What the answer tells of tools that the vendor ran, and of its tier, beside its usage. */
  observed: ObservedExtras | undefined
  /** Images that an answer of nothing but images has. */
  images: number
  /** That of it which is in `usage`. */
  counted: ObservedExtras | undefined
  /** Usage was reported, but no report said what the input was. */
  lacksInput: boolean
  /** Length of the text at the last report of output: what came later is in no report. */
  reportedLength: number
  /** The upstream's id of its answer, where a later request may refer to it. */
  answerId: string | undefined
  /** Other ids that a later request may refer to: the answer's items, its conversation. */
  readonly partIds: Set<string>
  /** The last `sequence_number`, in the protocol that numbers its events (responses). */
  sequence: number | undefined
  /** The upstream's words when it reported an error inside of the answer. */
  errorMessage: string | undefined
  /** Text that was delivered (answer, reasoning, tool arguments), for a local estimate. */
  readonly text: TextSample
}

/** Text seen so far: its length, and its beginning, from which the whole is estimated. */
export interface TextSample {
  /** The first characters, at most `sampleLimit`. */
  sample: string
  /** All characters, in UTF-16 code units. */
  length: number
  /** The same in UTF-8: no text has more LLM tokens than bytes. */
  bytes: number
}

const sampleLimit = 65_536

/** A fresh observation: nothing seen, all open. */
export function createObservation(): Observation {
  return {
    phase: 'open',
    outcome: undefined,
    pending: false,
    foreign: false,
    begun: new Set(),
    ended: new Set(),
    usage: undefined,
    usageRaw: undefined,
    observed: undefined,
    images: 0,
    counted: undefined,
    lacksInput: false,
    reportedLength: Number.POSITIVE_INFINITY,
    answerId: undefined,
    partIds: new Set(),
    sequence: undefined,
    errorMessage: undefined,
    text: { sample: '', length: 0, bytes: 0 },
  }
}

/** Adds delivered text. Memory stays bounded: past the limit only the length grows. */
export function addText(text: TextSample, piece: unknown): void {
  if (typeof piece !== 'string' || piece === '') return
  if (text.sample.length < sampleLimit) {
    const before = text.sample.length
    text.sample += piece.slice(0, sampleLimit - before)
    if (before >> flattenShift !== text.sample.length >> flattenShift) flatten(text.sample)
  }
  text.length += piece.length
  text.bytes += utf8Length(piece)
}

/** Every so many characters, as a power of two. */
const flattenShift = 10

/** Joined pieces take several times the memory of their text until a search makes them one. */
const flatten = (text: string): boolean => /\0\0/.test(text)

/** Bytes of a text in UTF-8; pieces of a stream are short. */
function utf8Length(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit > 0x7f) bytes++
    // The halves of a pair are two of four bytes each.
    if (unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff)) bytes++
  }
  return bytes
}

/** Notes a piece of one of the answers side by side; `outcome` when it is that one's last. */
export function noteSideAnswer(seen: Observation, index: unknown, outcome?: Outcome): void {
  seen.begun.add(index)
  if (outcome !== undefined) {
    seen.ended.add(index)
    conclude(seen, outcome)
  }
  if (seen.phase !== 'closed') seen.phase = seen.ended.size < seen.begun.size ? 'open' : 'closing'
}

/** Notes how an answer ended. With several candidates the worst end stands. */
export function conclude(seen: Observation, outcome: Outcome): void {
  if (seen.outcome === 'failed') return
  if (seen.outcome === 'incomplete' && outcome === 'complete') return
  seen.outcome = outcome
}

/** Marks a body that holds none of the fields that every answer of its protocol has. */
export function noteForeign(
  seen: Observation,
  body: { readonly [field: string]: unknown },
  fields: readonly string[],
): void {
  seen.foreign = seen.usage === undefined && !fields.some((field) => field in body)
}

/** Notes the protocol's last event. */
export function complete(seen: Observation): void {
  seen.phase = 'closed'
  seen.outcome ??= 'complete'
}

/** Notes an error that the upstream reported inside its answer: that is always its end. */
export function fail(seen: Observation, message: unknown): void {
  seen.phase = 'closed'
  seen.outcome = 'failed'
  if (typeof message === 'string' && message !== '') seen.errorMessage = message
}

/** Whether the answer has come to its regular end: what follows is passed on, but not counted. */
export function isOver(seen: Observation): boolean {
  return seen.phase === 'closed' && seen.outcome !== 'failed'
}

/** Counts the uses of tools that an answer shows, each once, however often a stream tells of it. */
export class ToolTally {
  readonly #seen: Observation
  #ids: Set<string> | undefined

  constructor(seen: Observation) {
    this.#seen = seen
  }

  /** `id` tells one use from the others; `uses`: what it is billed as. */
  note(tool: HostedTool, id: string, uses = 1): void {
    const key = `${tool} ${id}`
    this.#ids ??= new Set()
    if (this.#ids.has(key)) return
    this.#ids.add(key)
    this.told(tool, (this.#seen.observed?.tools?.[tool] ?? 0) + uses)
  }

  /** The answer's own sum stands in the place of what was counted. */
  told(tool: HostedTool, uses: number): void {
    const { observed } = this.#seen
    if ((observed?.tools?.[tool] ?? 0) === uses) return
    this.#seen.observed = { tier: observed?.tier, tools: { ...observed?.tools, [tool]: uses } }
  }
}

/** Notes the tier that an answer names beside its usage; its last word stands. */
export function observeTier(seen: Observation, tier: string | undefined): void {
  if (tier === undefined || seen.observed?.tier === tier) return
  seen.observed = { tier, tools: seen.observed?.tools }
}
