import { LRUCache } from 'lru-cache'
import { isJsonObject } from '../../protocols/json.ts'
import type { JsonObject } from '../../protocols/protocol.ts'

/** Readers of unchecked JSON: other shapes read as empty. */
const object = (value: unknown): JsonObject => (isJsonObject(value) ? value : {})
const list = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.map(object) : []
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const number = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined

const sum = /(-?\d+(?:\.\d+)?)\s*([+*x×/÷−-])\s*(-?\d+(?:\.\d+)?)/

/** The arithmetic in a question with its result; undefined for a division by zero. */
export function arithmetic(question: string) {
  const found = sum.exec(question)
  if (found === null) return undefined
  const [left, sign, right] = [Number(found[1]), found[2] ?? '', Number(found[3])]
  if ('/÷'.includes(sign) && right === 0) return { written: found[0], result: undefined }
  const exact = '+'.includes(sign)
    ? left + right
    : '*x×'.includes(sign)
      ? left * right
      : '/÷'.includes(sign)
        ? left / right
        : left - right
  return { written: found[0], result: Number(exact.toPrecision(12)) }
}

/** The places in a question: `weather in Paris and New York?` has two. */
export function placesIn(question: string): string[] {
  const name = /\b(?:in|for|at|of)\s+(\p{Lu}[^?!.;:]*)/u.exec(question)?.[1]
  const loose = /\b(?:in|for|at)\s+([\p{L}'’-]+)/u.exec(question)?.[1]
  const places = (name ?? loose ?? '').split(/\s+and\s+/)
  return places.map((place) => place.replace(/\s+[^\p{Lu}].*$/u, '').trim()).filter(Boolean)
}

function word(schema: JsonObject, name: string, question: string): string {
  const today = new Date().toISOString()
  const format = text(schema.format)
  if (format === 'date-time') return today
  if (format === 'date') return today.slice(0, 10)
  if (format === 'time') return today.slice(11)
  if (format === 'email') return 'someone@example.com'
  if (format.startsWith('uri')) return 'https://example.com/'
  const place = placesIn(question)[0]
  if (/city|location|place|town|country|zone/i.test(name) && place !== undefined) return place
  const capital = /(?<!^)\b\p{Lu}\p{L}+/u.exec(question)?.[0]
  const found = /name$/i.test(name) && capital !== undefined ? capital : question.slice(0, 80)
  const filled = found.padEnd(number(schema.minLength) ?? 0, '.')
  return filled.slice(0, number(schema.maxLength) ?? filled.length)
}

function amount(schema: JsonObject, question: string, whole: boolean): number {
  const named = arithmetic(question)?.result ?? Number(/-?\d+(?:\.\d+)?/.exec(question)?.[0] ?? 1)
  const low = number(schema.minimum) ?? (number(schema.exclusiveMinimum) ?? -Infinity) + 1
  const high = number(schema.maximum) ?? (number(schema.exclusiveMaximum) ?? Infinity) - 1
  return Math.min(Math.max(whole ? Math.round(named) : named, low), high)
}

/** A value that fits a JSON schema, with words of the question. Ignores `pattern` and the like. */
export function sample(
  schema: JsonObject,
  question: string,
  name = '',
  root: JsonObject = schema,
): unknown {
  const reference = text(schema.$ref)
  if (reference.startsWith('#/')) {
    const target = reference
      .slice(2)
      .split('/')
      .reduce((at, key) => object(at[key]), root)
    return sample(target, question, name, root)
  }
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) {
    const named = schema.enum.find((one) => question.toLowerCase().includes(`${one}`.toLowerCase()))
    return named ?? schema.enum[0]
  }
  const branch = list(schema.anyOf ?? schema.oneOf ?? schema.allOf)[0]
  if (branch !== undefined) return sample(branch, question, name, root)
  const kind = `${Array.isArray(schema.type) ? schema.type[0] : schema.type}`.toLowerCase()
  if (kind === 'string') return word(schema, name, question)
  if (kind === 'number' || kind === 'integer') return amount(schema, question, kind === 'integer')
  if (kind === 'boolean') return true
  if (kind === 'null') return null
  if (kind === 'array') {
    const item = object(schema.items)
    return Array.from({ length: number(schema.minItems) ?? 1 }, () =>
      sample(item, question, name, root),
    )
  }
  const fields = object(schema.properties)
  const wanted = Array.isArray(schema.required) ? schema.required : Object.keys(fields)
  return Object.fromEntries(
    wanted.map((key) => [`${key}`, sample(object(fields[`${key}`]), question, `${key}`, root)]),
  )
}

const piece = /\s*(?:\p{sc=Han}|[\p{L}\p{N}]{1,6}|[^\s])|\s+/gu

/** Cuts a text into this model's tokens: short runs of letters, single signs. Nothing is lost. */
export const cut = (text: string): string[] => text.match(piece) ?? []

/** Joins tokens to stream chunks of a few words each. */
export function portions(tokens: readonly string[]): string[] {
  const found: string[] = []
  for (let at = 0; at < tokens.length; at += 5) found.push(tokens.slice(at, at + 5).join(''))
  return found
}

const step = 128
const shortest = 1024

/** Caches prompt prefixes as vendors do: from 1,024 tokens, in steps of 128. Evicts the oldest first. */
export function createPromptCache() {
  const known = new LRUCache<number | bigint, true>({ max: 20_000 })
  return {
    /** Tokens of a prompt read from the cache, and newly written. */
    recall(owner: string, tokens: readonly string[]) {
      let hash = Bun.hash(owner)
      let cached = 0
      let end = step
      for (; end <= tokens.length; end += step) {
        hash = Bun.hash(tokens.slice(end - step, end).join('\0'), hash)
        if (end < shortest) continue
        if (known.has(hash)) cached = end
        known.set(hash, true)
      }
      const kept = end - step
      return { cached, written: kept < shortest ? 0 : kept - cached }
    },
  }
}
export type PromptCache = ReturnType<typeof createPromptCache>
