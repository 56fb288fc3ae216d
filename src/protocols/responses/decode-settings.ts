import { refuseValue } from '../canonical/error.ts'
import {
  type CanonicalRequest,
  efforts,
  type NativeUse,
  type OutputFormat,
  type ReasoningSettings,
  type ServiceTier,
} from '../canonical/request.ts'
import { arrayIn, countIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

type Verbosity = CanonicalRequest['verbosity']

/** A field that is one of a few words, when it is there at all. */
function wordOf<Word extends string>(
  holder: JsonObject | undefined,
  key: string,
  words: readonly Word[],
  at: string,
): Word | undefined {
  const value = holder?.[key] ?? undefined
  if (value === undefined) return undefined
  return words.find((word) => word === value) ?? refuseValue(at, `one of ${words.join(', ')}`)
}

/** The answer's format and length of speech (`text`); what else is in there is noted in `native`. */
export function decodeText(
  body: JsonObject,
  native: NativeUse[],
): { format: OutputFormat | undefined; verbosity: Verbosity } {
  const text = objectIn(body, 'text')
  noteOthers(text, ['format', 'verbosity'], 'text', native)
  const verbosity = wordOf(text, 'verbosity', ['low', 'medium', 'high'], 'text.verbosity')
  return { format: decodeFormat(objectIn(text, 'format')), verbosity }
}

function decodeFormat(format: JsonObject | undefined): OutputFormat | undefined {
  const at = 'text.format'
  const type = wordOf(format, 'type', ['text', 'json_object', 'json_schema'], `${at}.type`)
  if (type === undefined || type === 'text') return undefined
  if (type === 'json_object') return { type: 'json' }
  const schema = objectIn(format, 'schema') ?? refuseValue(`${at}.schema`, 'an object')
  return {
    type: 'schema',
    at,
    name: stringIn(format, 'name'),
    description: stringIn(format, 'description'),
    schema,
    strict: typeof format?.strict === 'boolean' ? format.strict : undefined,
  }
}

/** How much to reason, and what of it to tell. */
export function decodeReasoningSettings(
  body: JsonObject,
  native: NativeUse[],
): ReasoningSettings | undefined {
  const reasoning = objectIn(body, 'reasoning')
  noteOthers(reasoning, ['effort', 'summary', 'generate_summary'], 'reasoning', native)
  const effort = wordOf(reasoning, 'effort', ['none', ...efforts], 'reasoning.effort')
  const words = ['none', 'auto', 'concise', 'detailed'] as const
  const show =
    wordOf(reasoning, 'summary', words, 'reasoning.summary') ??
    wordOf(reasoning, 'generate_summary', words, 'reasoning.generate_summary')
  if (effort === undefined) return show && { show }
  return { amount: effort === 'none' ? { type: 'off' } : { type: 'effort', effort }, show }
}

/** Ways to reason that are the vendor's default. */
const defaults = new Set<unknown>(['auto', 'standard'])

function noteOthers(
  holder: JsonObject | undefined,
  known: readonly string[],
  at: string,
  native: NativeUse[],
): void {
  for (const key in holder) {
    const value = holder[key] ?? undefined
    if (value === undefined || known.includes(key) || defaults.has(value)) continue
    native.push({ feature: 'unknown_field', at: `${at}.${key}` })
  }
}

/**
 * How many alternatives to tell with each token. What else `include` names is noted in `native`,
 * but for encrypted reasoning, which every answer tells here.
 */
export function decodeInclude(body: JsonObject, native: NativeUse[]): number | undefined {
  let isAsked = false
  for (const [index, name] of arrayIn(body, 'include').entries()) {
    if (name === 'message.output_text.logprobs') isAsked = true
    else if (name !== 'reasoning.encrypted_content') {
      native.push({ feature: 'include', at: `include[${index}]` })
    }
  }
  const count = countIn(body, 'top_logprobs')
  return isAsked ? (count ?? 0) : count || undefined
}

/** `fast` is another word for `priority`; tiers that only this vendor has are noted in `native`. */
export function decodeServiceTier(body: JsonObject, native: NativeUse[]): ServiceTier | undefined {
  const tier = serviceTierOf(body.service_tier)
  if (tier === undefined && stringIn(body, 'service_tier') !== undefined) {
    native.push({ feature: 'unknown_field', at: 'service_tier' })
  }
  return tier
}

/** The tier by the vendor's word; undefined for one that only this vendor has. */
export function serviceTierOf(word: unknown): ServiceTier | undefined {
  if (word === 'fast') return 'priority'
  return tiers.find((tier) => tier === word)
}

const tiers: readonly ServiceTier[] = ['auto', 'default', 'flex', 'priority']

/** The client's own labels. */
export function decodeMetadata(body: JsonObject): Readonly<Record<string, string>> | undefined {
  const { metadata } = body
  if (metadata === undefined || metadata === null) return undefined
  if (!isJsonObject(metadata)) return refuseValue('metadata', 'an object')
  const labels: [string, string][] = Object.entries(metadata).map(([key, value]) => {
    return [key, typeof value === 'string' ? value : refuseValue(`metadata.${key}`, 'a string')]
  })
  return labels.length === 0 ? undefined : Object.fromEntries(labels)
}
