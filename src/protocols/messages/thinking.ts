import type { Quirk } from '../canonical/quirks.ts'
import type { CanonicalRequest, Effort, Part, Turn } from '../canonical/request.ts'
import type { JsonObject } from '../protocol.ts'

/** What a request's reasoning becomes here. */
export interface ThinkingFields {
  readonly maxTokens: number
  readonly thinking?: JsonObject
  /** For `output_config`. */
  readonly effort?: string
}

/**
 * How a channel is told to reason. `manual` is with a budget of LLM tokens, which its `quirk` or the
 * request wants; `default`: nothing is said. With `adaptive` and `manual` the vendor refuses
 * `top_k`, a temperature other than 1, and a `top_p` below 0.95.
 */
export type ThinkingMode = 'default' | 'off' | 'adaptive' | 'manual'

/** The mode of a request, as it is before `hindrance` is asked. */
export function thinkingMode(request: CanonicalRequest, quirks: ReadonlySet<Quirk>): ThinkingMode {
  const { amount, show } = request.reasoning ?? {}
  const isManual = quirks.has('thinking_budget')
  switch (amount?.type) {
    case undefined: {
      // Who wants to see it wants it, but not at the price of a refusal.
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
 * Why thinking with a budget can't be asked for, to be named; undefined when it can. Sources: the
 * vendor's "Thinking in tool and multi-turn workflows" (forced tools; adaptive thinking allows
 * them), and its error "When `thinking` is enabled, a final `assistant` message must start with a
 * thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks)". Without
 * `thinking` the same request is taken, so it is left out, for this request only. Adaptive thinking
 * needs no such block.
 */
export function hindrance(request: CanonicalRequest): string | undefined {
  const { turns, toolChoice, maxOutputTokens } = request
  if (forcing.has(toolChoice?.type)) return 'a tool is forced'
  if (toolChoice?.type === 'allowed' && toolChoice.isRequired) return 'a tool is forced'
  if (maxOutputTokens !== undefined && maxOutputTokens <= minBudget) return 'the limit is too low'
  return unfinishedTurnBegins(turns) ? undefined : 'the calls came without signed reasoning'
}

const forcing = new Set<unknown>(['required', 'tool', 'search'])

/** `thinking`, effort, and the limit of output, which thinking counts toward. */
export function encodeThinking(
  request: CanonicalRequest,
  quirks: ReadonlySet<Quirk>,
  defaultMaxTokens: number,
): ThinkingFields {
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
      // Nobody asked for this limit: a budget that was asked for must not use it up.
      return { maxTokens: budget < maxTokens ? maxTokens : budget + maxTokens, thinking }
    }
  }
}

const effortWord = (effort: Effort) => (effort === 'minimal' ? 'low' : effort)

/** The vendor's least, and below `max_tokens`. */
const minBudget = 1024

/**
 * A budget that was asked for stays, below a limit that was, too. An effort is one on our own scale
 * that leaves a quarter of any limit for the answer.
 */
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

/**
 * Whether the assistant's turn that the answer goes on with begins with reasoning that can be sent.
 * Results of tools, and nothing else, do not end such a turn.
 */
function unfinishedTurnBegins(turns: readonly Turn[]): boolean {
  let first: Turn | undefined
  for (const turn of turns.toReversed()) {
    if (turn.role === 'assistant') first = turn
    else if (!goesOn(turn, first === undefined)) break
  }
  const part = first?.parts[0]
  return part === undefined || (part.type === 'reasoning' && part.signature !== undefined)
}

/** In the last message one result is enough, whatever stands beside it: the vendor wants its call. */
function goesOn({ role, parts }: Turn, isLast: boolean): boolean {
  if (role !== 'user') return isLast
  const isResult = ({ type }: Part) => type === 'tool-result'
  return isLast ? parts.some(isResult) : parts.length > 0 && parts.every(isResult)
}
