import type { ObservedExtras } from './extras.ts'
import type { HostedTool } from './tools.ts'
import type { Usage } from './usage.ts'

/** `open`: more must follow. `closing`: it may be the end. `closed`: the last event, an error, or a whole body. */
type Phase = 'open' | 'closing' | 'closed'

export type Outcome = 'complete' | 'incomplete' | 'failed'

/** What the gateway learns from one answer that passes through; filled by its `AnswerObserver`. */
export interface Observation {
  phase: Phase
  outcome: Outcome | undefined
  /** The upstream works in the background: the answer is fetched later. */
  pending: boolean
  foreign: boolean
  /** Choices or candidates by index: those that began, and those that ended. */
  readonly begun: Set<unknown>
  readonly ended: Set<unknown>
  /** Undefined until the upstream reports usage: an explicit 0 is data. */
  usage: Usage | undefined
  /** The upstream's usage object as JSON (streams: the last, or the merged ones). */
  usageRaw: unknown
  /** Vendor-run tools and the tier, as seen outside of usage. */
  observed: ObservedExtras | undefined
  images: number
  /** The part of `observed` that `usage` includes. */
  counted: ObservedExtras | undefined
  /** Usage was reported, but without the input. */
  lacksInput: boolean
  /** Length of the text at the last report of output: later text is in no report. */
  reportedLength: number
  answerId: string | undefined
  /** Other ids that a later request may refer to: the answer's items, its conversation. */
  readonly partIds: Set<string>
  /** The last `sequence_number` (responses). */
  sequence: number | undefined
  errorMessage: string | undefined
  /** Delivered text (answer, reasoning, tool arguments), for a local estimate. */
  readonly text: TextSample
}

/** Length and beginning of the text, from which the whole is estimated. */
export interface TextSample {
  sample: string
  length: number
  /** Length in UTF-8 bytes: an upper bound for LLM tokens. */
  bytes: number
}

const sampleLimit = 65_536

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

/** Adds delivered text. Memory is bounded: past the limit only the length grows. */
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

/** Characters between two flattenings, as a power of two. */
const flattenShift = 10

/** A rope of joined pieces takes several times its text's memory until a search flattens it. */
const flatten = (text: string): boolean => /\0\0/.test(text)

function utf8Length(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit > 0x7f) bytes++
    // Each half of a surrogate pair counts two of four bytes.
    if (unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff)) bytes++
  }
  return bytes
}

/** Notes a piece of one choice; `outcome` when it is the last. */
export function noteSideAnswer(seen: Observation, index: unknown, outcome?: Outcome): void {
  seen.begun.add(index)
  if (outcome !== undefined) {
    seen.ended.add(index)
    conclude(seen, outcome)
  }
  if (seen.phase !== 'closed') seen.phase = seen.ended.size < seen.begun.size ? 'open' : 'closing'
}

/** Notes how an answer ended. Of several candidates the worst end counts. */
export function conclude(seen: Observation, outcome: Outcome): void {
  if (seen.outcome === 'failed') return
  if (seen.outcome === 'incomplete' && outcome === 'complete') return
  seen.outcome = outcome
}

/** Marks a body that lacks all fields of its protocol's answers. */
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

/** Notes an error inside the answer; it always ends it. */
export function fail(seen: Observation, message: unknown): void {
  seen.phase = 'closed'
  seen.outcome = 'failed'
  if (typeof message === 'string' && message !== '') seen.errorMessage = message
}

/** The protocol's own last event was seen: later frames pass, but do not count. */
export const isFinal = (seen: Observation) => seen.phase === 'closed' && seen.outcome !== 'failed'

/** Everything that the answer began with has ended, well or with an error. */
export const hasEnded = (seen: Observation) => seen.outcome !== undefined && seen.phase !== 'open'

/** This may be all; but usage may still follow, even after an error. */
export const mayEnd = (seen: Observation) => seen.phase !== 'open' && !isFinal(seen)

/** It continues in the background without a reader: its end is fetched by its id. */
export const isFetchable = (seen: Observation) => seen.pending && seen.answerId !== undefined

/** Counts uses of tools, each once, however often a stream repeats it. */
export class ToolTally {
  readonly #seen: Observation
  #ids: Set<string> | undefined

  constructor(seen: Observation) {
    this.#seen = seen
  }

  /** `id` identifies the use; `uses`: its billed count. */
  note(tool: HostedTool, id: string, uses = 1): void {
    const key = `${tool} ${id}`
    this.#ids ??= new Set()
    if (this.#ids.has(key)) return
    this.#ids.add(key)
    this.setTotal(tool, (this.#seen.observed?.tools?.[tool] ?? 0) + uses)
  }

  setTotal(tool: HostedTool, uses: number): void {
    const { observed } = this.#seen
    if ((observed?.tools?.[tool] ?? 0) === uses) return
    this.#seen.observed = { tier: observed?.tier, tools: { ...observed?.tools, [tool]: uses } }
  }
}

/** Notes the tier that an answer names outside of usage; the last one counts. */
export function observeTier(seen: Observation, tier: string | undefined): void {
  if (tier === undefined || seen.observed?.tier === tier) return
  seen.observed = { tier, tools: seen.observed?.tools }
}
