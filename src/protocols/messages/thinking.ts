import type { Quirk } from '../canonical/quirks.ts'
import {
  type CanonicalRequest,
  type Effort,
  efforts,
  type Note,
  type Part,
  type ReasoningSettings,
  type Turn,
} from '../canonical/request.ts'
import { countIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/**
 * How reasoning is requested. `manual`: with a budget of LLM tokens; `default`: nothing is set. With `adaptive`
 * and `manual` the vendor rejects `top_k`, a temperature other than 1, and a `top_p` below 0.95.
 */
type ThinkingMode = 'default' | 'off' | 'adaptive' | 'manual'

/** The mode of a request before `hindrance` applies. */
export function thinkingMode(request: CanonicalRequest, quirks: ReadonlySet<Quirk>): ThinkingMode {
  const { amount, show } = request.reasoning ?? {}
  const isManual = quirks.has('thinking_budget')
  switch (amount?.type) {
    case undefined: {
      // Showing reasoning requests some, unless the vendor would reject it beside sampling settings.
      const isShown = show !== undefined && show !== 'none'
      const isSampled = [request.temperature, request.topP, request.topK].some(isSet)
      return isShown && !isManual && !isSampled ? 'adaptive' : 'default'
    }
    case 'off':
      return 'off'
    case 'budget':
      return 'manual'
    default:
      return isManual ? 'manual' : 'adaptive'
  }
}

const isSet = (value: number | undefined) => value !== undefined

/**
 * Why a thinking budget cannot be set; undefined when it can. The vendor rejects it with a forced tool, and where
 * the assistant's last turn does not begin with a thinking block. Without `thinking` it accepts the same request.
 */
export function hindrance(request: CanonicalRequest): string | undefined {
  const { turns, toolChoice, maxOutputTokens } = request
  if (forcing.has(toolChoice?.type)) return 'a tool is forced'
  if (toolChoice?.type === 'allowed' && toolChoice.isRequired) return 'a tool is forced'
  if (maxOutputTokens !== undefined && maxOutputTokens <= minBudget) return 'the limit is too low'
  return unfinishedTurnBegins(turns) ? undefined : 'the calls came without signed reasoning'
}

const forcing = new Set<unknown>(['required', 'tool', 'search'])

/** `thinking`, effort, and the output limit, which includes thinking. */
export function encodeThinking(
  request: CanonicalRequest,
  quirks: ReadonlySet<Quirk>,
  defaultMaxTokens: number,
): { readonly maxTokens: number; readonly thinking?: JsonObject; readonly effort?: string } {
  const maxTokens = request.maxOutputTokens ?? defaultMaxTokens
  const { amount, show } = request.reasoning ?? {}
  const display = show === undefined ? {} : { display: show === 'none' ? 'omitted' : 'summarized' }
  switch (thinkingMode(request, quirks)) {
    case 'default':
      return { maxTokens }
    case 'off':
      return { maxTokens, thinking: { type: 'disabled' } }
    case 'adaptive': {
      const effort = amount?.type === 'effort' ? { effort: effortWord(amount.effort) } : {}
      return { maxTokens, thinking: { type: 'adaptive', ...display }, ...effort }
    }
    case 'manual': {
      if (hindrance(request) !== undefined) return { maxTokens }
      const budget = budgetOf(request, maxTokens)
      const thinking = { type: 'enabled', budget_tokens: budget, ...display }
      // The client did not set this limit: its budget must not use it up.
      return { maxTokens: budget < maxTokens ? maxTokens : budget + maxTokens, thinking }
    }
  }
}

const effortWord = (effort: Effort) => (effort === 'minimal' ? 'low' : effort)

const minBudget = 1024

/** The client's budget stays; an effort maps to our own scale, which leaves a quarter for the answer. */
function budgetOf({ reasoning, maxOutputTokens }: CanonicalRequest, maxTokens: number): number {
  const amount = reasoning?.amount
  if (amount?.type === 'budget') {
    return Math.min(
      Math.max(amount.tokens, minBudget),
      (maxOutputTokens ?? Number.POSITIVE_INFINITY) - 1,
    )
  }
  const wanted = budgets[amount?.type === 'effort' ? amount.effort : 'medium']
  return Math.max(Math.min(wanted, Math.floor(maxTokens * 0.75)), minBudget)
}

const budgets: Readonly<Record<Effort, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_768,
}

/** Whether the assistant's unfinished turn begins with signed reasoning. Results alone do not end a turn. */
function unfinishedTurnBegins(turns: readonly Turn[]): boolean {
  let first: Turn | undefined
  for (const turn of turns.toReversed()) {
    if (turn.role === 'assistant') first = turn
    else if (!goesOn(turn, first === undefined)) break
  }
  const part = first?.parts[0]
  return part === undefined || (part.type === 'reasoning' && part.signature !== undefined)
}

/** In the last message one result suffices, whatever is beside it: the vendor wants its call. */
function goesOn({ role, parts }: Turn, isLast: boolean): boolean {
  if (role !== 'user') return isLast
  const isResult = ({ type }: Part) => type === 'tool-result'
  return isLast ? parts.some(isResult) : parts.length > 0 && parts.every(isResult)
}

/** Decodes `thinking` and `output_config.effort`. */
export function decodeThinking(body: JsonObject, note: Note): ReasoningSettings | undefined {
  const thinking = objectIn(body, 'thinking')
  const word = stringIn(objectIn(body, 'output_config'), 'effort')
  const effort = effortOf(word)
  if (word !== undefined && effort === undefined) note('unknown_field', 'output_config.effort')
  const byEffort = effort && ({ type: 'effort', effort } as const)
  if (thinking === undefined) return byEffort && { amount: byEffort }
  if (isJsonObject(thinking.block_binding)) note('unknown_field', 'thinking.block_binding')
  const show = showOf(thinking.display)
  switch (thinking.type) {
    case 'adaptive':
      return { amount: byEffort ?? { type: 'auto' }, show }
    case 'enabled': {
      const tokens = countIn(thinking, 'budget_tokens')
      if (tokens === undefined) return { amount: byEffort ?? { type: 'auto' }, show }
      if (effort !== undefined) note('unknown_field', 'output_config.effort')
      return { amount: { type: 'budget', tokens }, show }
    }
    case 'disabled':
    case 'between_tools':
      // In the latter the model still comments between its calls.
      if (thinking.type === 'between_tools') note('unknown_field', 'thinking')
      if (effort !== undefined) note('unknown_field', 'output_config.effort')
      return { amount: { type: 'off' } }
    default:
      note('unknown_field', 'thinking')
      return byEffort && { amount: byEffort }
  }
}

/** The vendor has no `minimal`. */
const effortOf = (word: string | undefined): Effort | undefined =>
  efforts.find((effort) => effort === word && effort !== 'minimal')

function showOf(display: unknown): ReasoningSettings['show'] {
  if (display === 'omitted') return 'none'
  return display === 'summarized' || display === 'updates' ? 'auto' : undefined
}

/** Whether the vendor shows requested thinking by default: since Claude Opus 4.7 it does not. */
export function showsUnasked(body: JsonObject): boolean {
  const { type, display } = objectIn(body, 'thinking') ?? {}
  if ((type !== 'adaptive' && type !== 'enabled') || (display ?? undefined) !== undefined)
    return false
  return !hidesUnasked.test(stringIn(body, 'model') ?? '')
}

const hidesUnasked = /claude-(opus-4[-.][7-9]|(opus|sonnet|haiku|fable)-([5-9]|\d\d)\b|mythos)/

/** The largest answers of models: the vendor requires a limit. Source: its models overview; the first match counts. */
const limits: readonly (readonly [model: RegExp, maxTokens: number])[] = [
  [/claude-(2|instant)|claude-3-(opus|sonnet|haiku)/, 4_096],
  [/claude-3-5/, 8_192],
  [/claude-opus-4(-1|-0|-2025|@|$)/, 32_000],
  [/claude/, 64_000],
]

/** A limit that all imitators accept. */
const ofOthers = 8_192

/** The output limit where the client sets none. `model` is the upstream's name. */
export function usualMaxTokens(model: string): number {
  return limits.find(([pattern]) => pattern.test(model))?.[1] ?? ofOthers
}
