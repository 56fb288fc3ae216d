import { type TSchema, Type } from '@sinclair/typebox'
import type { Note } from '../canonical/request.ts'
import * as t from '../check.ts'
import { settingsFault } from '../field-names.ts'
import { countIn, isJsonObject, objectIn } from '../json.ts'
import type { Fault, JsonObject, RequestFacts } from '../protocol.ts'
import { largestOf } from '../request-facts.ts'

// The vendor's JSON reader accepts one object for an array of one, and both camelCase and snake_case, as its
// documentation uses both.
const content = <Parts extends TSchema>(parts: Parts) =>
  Type.Object({ role: t.nullable(t.Text), parts }, { expected: 'an object with "parts"' })
const oneOrMore = <One extends TSchema>(one: One, expected: string) =>
  Type.Union([one, Type.Array(one, { minItems: 1 })], { expected })

const Content = content(Type.Union([t.Bag, t.Objects], { expected: 'an array of parts' }))
// The vendor rejects a content without a part: "contents.parts must not be empty".
const SaidContent = content(oneOrMore(t.Bag, 'a non-empty array of parts'))
const contents = 'a non-empty array of contents'

const Count = Type.Integer({ minimum: 0, expected: 'an integer of 0 or more' })
// The vendor also reads a number as a word, and one word as a list. No known client writes that.
const Words = Type.Array(t.Text, { expected: 'an array of strings' })
const GenerationConfig = Type.Object(
  {
    maxOutputTokens: t.nullable(t.PositiveInteger),
    max_output_tokens: t.nullable(t.PositiveInteger),
    // The vendor reads 0 as unset.
    candidateCount: t.nullable(Count),
    candidate_count: t.nullable(Count),
    responseModalities: t.nullable(Words),
    response_modalities: t.nullable(Words),
  },
  { expected: 'an object' },
)

const settings = {
  systemInstruction: t.nullable(t.Bag),
  system_instruction: t.nullable(t.Bag),
  tools: t.nullable(Type.Union([t.List, t.Bag], { expected: 'an array' })),
  generationConfig: t.nullable(GenerationConfig),
  generation_config: t.nullable(GenerationConfig),
  serviceTier: t.nullable(t.Text),
  service_tier: t.nullable(t.Text),
}

const GenerateRequest = Type.Object({ contents: oneOrMore(SaidContent, contents), ...settings })

/** The first fault of a request for content, streamed or not. */
export const checkGenerate = t.createCheck(GenerateRequest, (body) => {
  const { asked } = withOneConfig(body)
  return asked === body ? undefined : settingsFault({ generationConfig: asked.generationConfig })
})

const CountTokensRequest = Type.Object({
  contents: t.nullable(oneOrMore(Content, contents)),
  generateContentRequest: t.nullable(t.Bag),
  generate_content_request: t.nullable(t.Bag),
  ...settings,
})

/** The first fault of a request for a token count: of contents, or of a whole request. */
export const checkCountTokens = t.createCheck(CountTokensRequest, (body): Fault | undefined => {
  const whole = body.generateContentRequest ?? body.generate_content_request
  return body.contents || whole ? undefined : t.missing('contents', contents)
})

const EmbedRequest = Type.Object({ content: Content }, { expected: 'an object with "content"' })

/** The first fault of a request for one embedding. */
export const checkEmbed = t.createCheck(EmbedRequest)

const BatchEmbedRequest = Type.Object({
  requests: oneOrMore(EmbedRequest, 'a non-empty array of embedding requests'),
})

/** The first fault of a request for several embeddings. */
export const checkBatchEmbed = t.createCheck(BatchEmbedRequest)

const configNames = ['generationConfig', 'generation_config'] as const
export const limitNames = ['maxOutputTokens', 'max_output_tokens'] as const
export const countNames = ['candidateCount', 'candidate_count'] as const

/** The request with one configuration that names each limit once: of two spellings the larger counts. */
export function withOneConfig(body: JsonObject) {
  const written = configNames.map((name) => objectIn(body, name)).filter(isJsonObject)
  const [first, second] = written
  const isOnce = (names: readonly string[]) =>
    names.filter((name) => countIn(first, name) !== undefined).length < 2
  if (second === undefined && isOnce(limitNames) && isOnce(countNames)) {
    return { asked: body, amend: {} as RequestFacts['amend'] }
  }
  const config: Record<string, unknown> = { ...second, ...first }
  for (const names of [limitNames, countNames]) {
    for (const name of names) delete config[name]
    const most = Math.max(...written.map((one) => largestOf(one, names).most ?? 0))
    if (most > 0) config[names[0]] = most
  }
  const { generation_config: other, ...rest } = body
  return {
    asked: { ...rest, generationConfig: config },
    amend: { generationConfig: config, ...(other !== undefined && { generation_config: null }) },
  }
}

/**
 * A message with camelCase names; the vendor also reads snake_case. With both, camelCase wins. Not for objects
 * with the client's own names (arguments, properties, labels).
 */
export function camelNames(message: JsonObject): JsonObject {
  const entries = Object.entries(message)
  if (!entries.some(([name]) => isSnake(name))) return message
  const renamed = entries
    .filter(([name]) => isSnake(name))
    .map(([name, value]) => [camel(name), value])
  return Object.fromEntries([...renamed, ...entries.filter(([name]) => !isSnake(name))])
}

const isSnake = (name: string) => name.indexOf('_', 1) > 0

const camel = (name: string) =>
  name.replace(/(?!^)_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** A name as the client wrote it in `message`: snake_case, if camelCase is absent. */
export function written(message: JsonObject, name: string): string {
  if (Object.hasOwn(message, name)) return name
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return Object.hasOwn(message, snake) ? snake : name
}

/** Paths of a message's fields at `at`, as the client wrote their names. */
export const placesIn = (message: JsonObject, at: string) => (name: string) =>
  `${at}.${written(message, name)}`

/** The elements of an array with their paths; a single value has the array's own. */
export function eachOf(value: unknown, at: string): readonly { item: unknown; at: string }[] {
  if (!Array.isArray(value)) return listOf(value).map((item) => ({ item, at }))
  return value.map((item: unknown, index) => ({ item, at: `${at}[${index}]` }))
}

/** Notes each non-null field of a message whose name is not in `known`. */
export function noteUnknown(
  message: JsonObject,
  known: ReadonlySet<string>,
  at: string,
  note: Note,
): void {
  for (const [name, value] of Object.entries(message)) {
    const isKnown = known.has(isSnake(name) ? camel(name) : name)
    if (!isKnown && value !== undefined && value !== null) {
      note('unknown_field', at === '' ? name : `${at}.${name}`)
    }
  }
}

/** An array; a single value counts as an array of one, as for the vendor's JSON reader. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}
