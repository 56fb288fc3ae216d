import { refuseValue } from '../canonical/error.ts'
import { type Effort, efforts, type ReasoningSettings } from '../canonical/request.ts'
import { objectIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { readNumber, readObject, readText } from './fields.ts'

type Amount = NonNullable<ReasoningSettings['amount']>

/**
 * How much to reason, from what vendors have for it: `reasoning_effort` (OpenAI), `reasoning`
 * (OpenRouter), `thinking` (DeepSeek, Moonshot, Z.ai). Undefined where nothing is asked for.
 */
export function decodeReasoningSettings(body: JsonObject): ReasoningSettings | undefined {
  const settings = readObject(body, 'reasoning')
  const amount =
    decodeEffort(readText(body, 'reasoning_effort'), 'reasoning_effort') ??
    (settings && decodeSettings(settings)) ??
    decodeThinking(objectIn(body, 'thinking'))
  const isHidden = settings?.exclude === true || body.include_reasoning === false
  const show = isHidden ? 'none' : shows.find((name) => name === settings?.summary)
  return amount === undefined && show === undefined ? undefined : { amount, show }
}

const shows = ['auto', 'concise', 'detailed'] as const

/** An effort by OpenAI's names. Groq has `default` for what is undefined here. */
export function decodeEffort(name: string | undefined, at: string): Amount | undefined {
  if (name === undefined || name === 'default') return undefined
  if (name === 'none') return { type: 'off' }
  const effort = efforts.find((known) => known === name)
  return effort === undefined
    ? refuseValue(at, `one of none, ${efforts.join(', ')}`)
    : { type: 'effort', effort }
}

function decodeSettings(settings: JsonObject): Amount | undefined {
  if (settings.enabled === false) return { type: 'off' }
  const effort = decodeEffort(readText(settings, 'effort', 'reasoning'), 'reasoning.effort')
  if (effort !== undefined) return effort
  const tokens = readNumber(settings, 'max_tokens')
  if (tokens !== undefined) return tokens > 0 ? { type: 'budget', tokens } : { type: 'off' }
  return settings.enabled === true ? { type: 'auto' } : undefined
}

function decodeThinking(thinking: JsonObject | undefined): Amount | undefined {
  if (thinking?.type === 'disabled') return { type: 'off' }
  if (thinking?.type !== 'enabled') return undefined
  const tokens = readNumber(thinking, 'budget_tokens')
  return tokens !== undefined && tokens > 0 ? { type: 'budget', tokens } : { type: 'auto' }
}

/** An amount as OpenAI's effort; undefined leaves it to the model. */
export function encodeEffort(amount: Amount | undefined): Effort | 'none' | undefined {
  if (amount?.type === 'effort') return amount.effort
  if (amount?.type === 'budget') return effortOf(amount.tokens)
  return amount?.type === 'off' ? 'none' : undefined
}

/** The effort whose budget is nearest, as Google and OpenRouter translate the one to the other. */
function effortOf(tokens: number): Effort {
  if (tokens <= 1_024) return 'low'
  return tokens <= 8_192 ? 'medium' : 'high'
}
