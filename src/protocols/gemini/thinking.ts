import type { EncodeOptions } from '../canonical/codec.ts'
import { type Effort, efforts, type Note, type ReasoningSettings } from '../canonical/request.ts'
import { isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { camelNames, noteUnknown } from './wire.ts'

const fields = new Set(['thinkingBudget', 'thinkingLevel', 'includeThoughts'])

/** Decodes `thinkingConfig`. A budget of 0 is none, -1 the model's choice. */
export function decodeThinking(
  wire: unknown,
  at: string,
  note: Note,
): ReasoningSettings | undefined {
  if (!isJsonObject(wire)) return undefined
  noteUnknown(wire, fields, at, note)
  const { thinkingBudget, thinkingLevel, includeThoughts } = camelNames(wire)
  const amount = levelOf(thinkingLevel) ?? budgetOf(thinkingBudget)
  const show =
    typeof includeThoughts === 'boolean' ? (includeThoughts ? 'auto' : 'none') : undefined
  return amount === undefined && show === undefined ? undefined : { amount, show }
}

function levelOf(level: unknown): ReasoningSettings['amount'] {
  const name = typeof level === 'string' ? level.toLowerCase() : ''
  const effort = efforts.find((known) => known === name)
  return effort && { type: 'effort', effort }
}

function budgetOf(budget: unknown): ReasoningSettings['amount'] {
  if (typeof budget !== 'number' || !Number.isInteger(budget)) return undefined
  if (budget === 0) return { type: 'off' }
  return budget < 0 ? { type: 'auto' } : { type: 'budget', tokens: budget }
}

interface Family {
  readonly models: RegExp
  readonly levels?: readonly string[]
  /** Bounds of a budget, in LLM tokens; a minimum of 0 can be turned off. */
  readonly budget?: readonly [least: number, most: number]
  /** Does not think, and rejects the setting. */
  readonly isPlain?: true
}

/** Source: the vendor's guide "Thinking". The first match counts; newer models behave like the newest here. */
const families: readonly Family[] = [
  { models: /\bgemini-(1|2\.0)\b|\bgemma-[1-3]/, isPlain: true },
  { models: /\bgemini-2\.5-pro\b/, budget: [128, 32_768] },
  { models: /\bgemini-2\.5-flash-lite\b/, budget: [0, 24_576] },
  { models: /\bgemini-2\b/, budget: [0, 24_576] },
  { models: /\bgemini-3-pro\b/, levels: ['LOW', 'HIGH'] },
  { models: /\bgemini-3(\.[15])?-flash\b/, levels: ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'] },
]
const newest: Family = { models: /./, levels: ['LOW', 'MEDIUM', 'HIGH'] }
const budgeted: Family = { models: /./, budget: [0, 24_576] }

type ModelOptions = Pick<EncodeOptions, 'model' | 'quirks'>

function familyOf({ model, quirks }: ModelOptions): Family {
  const known = families.find(({ models }) => models.test(model))
  if (known?.levels === undefined && known !== undefined) return known
  return quirks.has('gemini_budget') ? budgeted : (known ?? newest)
}

/** Whether a model requires signatures on its calls: from Gemini 3 on. */
export function needsSignatures(options: ModelOptions): boolean {
  return familyOf(options).levels !== undefined
}

/** Whether function results may contain media (from Gemini 3 on). */
export const takesMediaInResults = needsSignatures

/** `thinkingConfig` for a model; undefined when nothing is set. */
export function encodeThinking(
  settings: ReasoningSettings | undefined,
  options: EncodeOptions,
): JsonObject | undefined {
  const family = familyOf(options)
  if (settings === undefined || family.isPlain) return undefined
  const amount = encodeAmount(settings.amount, family)
  // A model that does not think rejects showing it.
  const mayShow = amount.thinkingBudget !== 0
  const wanted = settings.show ?? (options.showsReasoning ? 'auto' : undefined)
  const isTold = wanted === 'none' || (wanted !== undefined && mayShow)
  const config = { ...amount, ...(isTold ? { includeThoughts: wanted !== 'none' } : {}) }
  return Object.keys(config).length === 0 ? undefined : config
}

type Amount = { readonly thinkingBudget?: number; readonly thinkingLevel?: string }

function encodeAmount(amount: ReasoningSettings['amount'], { levels, budget }: Family): Amount {
  switch (amount?.type) {
    case undefined:
      return {}
    case 'auto':
      return { thinkingBudget: -1 }
    case 'off':
      return levels
        ? { thinkingLevel: levelFor('minimal', levels) }
        : { thinkingBudget: budget?.[0] ?? 0 }
    case 'effort':
      return levels
        ? { thinkingLevel: levelFor(amount.effort, levels) }
        : { thinkingBudget: within(effortAmounts[amount.effort][1], budget) }
    case 'budget':
      return { thinkingBudget: levels ? amount.tokens : within(amount.tokens, budget) }
  }
}

function levelFor(effort: Effort, levels: readonly string[]): string {
  const wanted = allLevels.indexOf(effortAmounts[effort][0])
  const known = levels.find((level) => allLevels.indexOf(level) >= wanted)
  return known ?? levels.at(-1) ?? 'HIGH'
}

const allLevels = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH']

/** Budgets in LLM tokens. Source: the vendor's guide "OpenAI compatibility", `reasoning_effort`. */
const effortAmounts: { readonly [effort in Effort]: readonly [level: string, budget: number] } = {
  minimal: ['MINIMAL', 1024],
  low: ['LOW', 1024],
  medium: ['MEDIUM', 8192],
  high: ['HIGH', 24_576],
  xhigh: ['HIGH', 32_768],
  max: ['HIGH', 32_768],
}

const within = (tokens: number, [least, most]: readonly [number, number] = [0, 24_576]) =>
  Math.min(most, Math.max(least, tokens))

// Clients' SDKs decode signatures from base64: a foreign one becomes the base64 of a marked text.

const mark = 'tollgate:'

/** The prefix of wrapped signatures: the base64 of the mark, whose length is a multiple of 3. */
export const wrappedPrefix = 'dG9sbGdhdGU6'

/** Separates signatures that share one call. It does not occur in base64. */
const separator = '~'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

/** Signatures as the value of one `thoughtSignature`. */
export function wrapSignatures(signatures: readonly string[]): string {
  return encoder.encode(mark + signatures.join(separator)).toBase64()
}

/** Whether a `thoughtSignature` comes from `wrapSignatures`. */
export const isWrapped = (signature: string): boolean => signature.startsWith(wrappedPrefix)

/** The wrapped signatures, joined with `~`; any other signature unchanged. */
export function unwrapSignature(signature: string): string {
  if (!isWrapped(signature)) return signature
  const bytes = decodeBase64(signature)
  if (bytes === undefined) return signature
  try {
    return decoder.decode(bytes).slice(mark.length)
  } catch {
    return signature
  }
}

/** The bytes of base64 in either alphabet, padded or not; undefined for other text. */
export function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(toStandardBase64(text))
  } catch {
    // No base64: the caller decides.
    return undefined
  }
}

/** Padded base64 in the standard alphabet: Google's Python SDK writes the URL alphabet. */
export function toStandardBase64(text: string): string {
  const standard = /[-_]/.test(text) ? text.replaceAll('-', '+').replaceAll('_', '/') : text
  const over = standard.length % 4
  return over < 2 ? standard : standard + '='.repeat(4 - over)
}

/** The stand-in for a call's missing signature: from Gemini 3 on the vendor answers 400 without one. */
export const dummySignature = 'c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I='

const dummies = new Set(
  ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'].flatMap((text) => [
    text,
    encoder.encode(text).toBase64(),
  ]),
)

/** Whether a signature is a documented stand-in. */
export const isDummy = (signature: string): boolean => dummies.has(signature)
