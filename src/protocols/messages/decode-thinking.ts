import type { Effort, ReasoningSettings } from '../canonical/request.ts'
import { countIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import type { Note } from './content.ts'

/** How much to reason, and whether to show it, from `thinking` and `output_config.effort`. */
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
      // The latter still has the model say between its calls what it is at.
      if (thinking.type === 'between_tools') note('unknown_field', 'thinking')
      if (effort !== undefined) note('unknown_field', 'output_config.effort')
      return { amount: { type: 'off' } }
    default:
      note('unknown_field', 'thinking')
      return byEffort && { amount: byEffort }
  }
}

const effortOf = (word: string | undefined): Effort | undefined =>
  word === 'low' || word === 'medium' || word === 'high' || word === 'xhigh' || word === 'max'
    ? word
    : undefined

function showOf(display: unknown): ReasoningSettings['show'] {
  if (display === 'omitted') return 'none'
  return display === 'summarized' || display === 'updates' ? 'auto' : undefined
}

/**
 * Whether a request that asks for thinking, and does not say whether to show it, is shown it by its
 * vendor. Source: Anthropic, "Thinking", on controlling its display: from Claude Opus 4.7 on it is not.
 * A model of another name is not the vendor's, and is shown.
 */
export function showsUnasked(body: JsonObject): boolean {
  const { type, display } = objectIn(body, 'thinking') ?? {}
  if ((type !== 'adaptive' && type !== 'enabled') || (display ?? undefined) !== undefined)
    return false
  return !hidesUnasked.test(stringIn(body, 'model') ?? '')
}

const hidesUnasked = /claude-(opus-4[-.][7-9]|(opus|sonnet|haiku|fable)-([5-9]|\d\d)\b|mythos)/
