import { isJsonObject, wordSet, words } from './json.ts'
import { bodySettings } from './known-parts.ts'
import type { Fault, JsonObject } from './protocol.ts'

/** A name for readers that ignore case and the form of letters. */
export const foldName = (name: string): string =>
  (isPlain.test(name) ? name : name.normalize('NFKC')).toLowerCase()

const isPlain = /^[\w-]*$/

/** A name for the most lenient readers, which also ignore underscores. */
export const foldAll = (name: string): string => foldName(name).replaceAll('_', '')

/** snake_case to camelCase, … */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Top-level fields that decide the charge, in any protocol. */
const fields = words(`
  model models n best_of stream service_tier serviceTier speed inference_geo fallbacks route preset
  provider plugins modalities tools tool_choice functions mcp_servers web_search_options background
  search_parameters enable_search max_tokens max_completion_tokens thread max_output_tokens
  generationConfig generation_config cachedContent store cached_content previous_response_id
  conversation moderation partial_images stream_options reasoning thinking toolConfig tool_config
  max_tool_calls size quality
`)

/** The same in snake_case and camelCase, each with its other spelling; their objects are settings. */
const settingsFields: ReadonlyMap<string, readonly string[]> = new Map(
  fields.flatMap((name) => {
    const written = [...new Set([camelCase(name), snakeCase(name)])]
    return written.map((one) => [one, written.filter((other) => other !== one)] as const)
  }),
)

export const decidingFields: ReadonlyMap<string, string> = new Map(
  fields.map((name) => [foldName(name), name]),
)

/** Names within settings that decide the charge, in OpenAI's and Anthropic's spelling. */
const decidingSettings = words(`
  type mode model models tools only n size quality partial_images include_usage effort enabled
  exclude budget_tokens max_tokens engine max_output_tokens candidate_count response_modalities
  thinking_config thinking_budget thinking_level include_thoughts image_config image_size max_uses
  max_results max_search_results max_num_results search_context_size environment container execution
  memory_limit forced_search
`)

const spellings: ReadonlyMap<string, readonly string[]> = new Map(
  decidingSettings.map((name) => [foldAll(name), [...new Set([name, camelCase(name)])]]),
)

/** Members with the client's own names, or those of a schema: by folded name. */
const ownNames = wordSet(`
  parameters parametersjsonschema inputschema outputschema schema jsonschema response responseschema
  responsejsonschema inputexamples arguments configs metadata labels headers variables env
`)

/** Gemini's configuration and its limits may have both names: see `withOneConfig`. */
const readTogether: ReadonlySet<string> = new Set(['maxoutputtokens', 'candidatecount'])
const configurations: ReadonlySet<string> = new Set(['generationConfig', 'generation_config'])

interface NameFacts {
  readonly folded: string
  /** The allowed spellings; undefined: it decides nothing. */
  readonly spellings: readonly string[] | undefined
  readonly isOwn: boolean
}

/** A cache: names of settings are few, and repeat across requests. */
const known = new Map<string, NameFacts>()
const mostKnown = 4_096

/** Undefined: a name with other characters is no setting. */
function factsOf(name: string): NameFacts | undefined {
  const found = known.get(name)
  if (found !== undefined) return found
  if (!/^[\p{L}\p{N}_]{1,100}$/u.test(name)) return undefined
  const folded = foldAll(name)
  const facts = { folded, spellings: spellings.get(folded), isOwn: ownNames.has(folded) }
  if (known.size < mostKnown) known.set(name, facts)
  return facts
}

/** The first ambiguous setting: written twice, or in a nonstandard spelling. */
export function settingsFault(body: JsonObject): Fault | undefined {
  for (const name in body) {
    const others = settingsFields.get(name)
    if (others === undefined) continue
    const twin = others.find((other) => Object.hasOwn(body, other))
    if (twin !== undefined && !configurations.has(name)) return sentTwice(name, name, twin)
    const value = body[name]
    const fault = typeof value === 'object' ? faultWithin(value, name) : undefined
    if (fault) return fault
  }
  return undefined
}

function faultWithin(value: unknown, at: string): Fault | undefined {
  if (!Array.isArray(value)) return isJsonObject(value) ? objectFault(value, at) : undefined
  for (let index = 0; index < value.length; index++) {
    const item: unknown = value[index]
    const fault = typeof item === 'object' ? faultWithin(item, `${at}[${index}]`) : undefined
    if (fault) return fault
  }
  return undefined
}

function objectFault(settings: JsonObject, at: string): Fault | undefined {
  /** Of two names that fold alike, at least one differs from its folded form. */
  let folded: Map<string, string> | undefined
  for (const name in settings) {
    const facts = factsOf(name)
    if (facts === undefined) continue
    if (facts.folded !== name) {
      const twin = Object.hasOwn(settings, facts.folded) ? facts.folded : folded?.get(facts.folded)
      const areRead = readTogether.has(facts.folded) && configurations.has(at)
      if (twin !== undefined && !areRead) return sentTwice(`${at}.${name}`, name, twin)
      folded ??= new Map()
      folded.set(facts.folded, name)
    }
    const wanted = facts.spellings
    if (wanted !== undefined && !wanted.includes(name)) return misspelt(`${at}.${name}`, wanted)
    const value = settings[name]
    if (typeof value !== 'object' || facts.isOwn) continue
    const fault = faultWithin(value, `${at}.${name}`)
    if (fault) return fault
  }
  return undefined
}

const sentTwice = (param: string, name: string, twin: string): Fault => ({
  code: 'invalid_value',
  param,
  message: `${param}: "${twin}" and "${name}" are one field to some upstreams. Send it once.`,
})

const misspelt = (param: string, known: readonly string[]): Fault => ({
  code: 'invalid_value',
  param,
  message: `${param} is no field's name. Write it so: ${known.map((one) => `"${one}"`).join(' or ')}.`,
})

type IsHarmless = (value: unknown) => boolean

const isEmpty: IsHarmless = (value) => isJsonObject(value) && Object.keys(value).length === 0
const isOff: IsHarmless = (value) => value === false

/** Google's own settings in OpenAI's protocol: its documentation has clients send them in `extra_body`. */
const googleNames = new Set(['thinking_config', 'thought_tag_marker'])
const isOfGoogle: IsHarmless = (value) =>
  isJsonObject(value) &&
  Object.entries(value).every(
    ([name, settings]) =>
      name === 'google' &&
      isJsonObject(settings) &&
      Object.keys(settings).every((one) => googleNames.has(one)),
  )

/** Fields that some upstreams act on and the gateway cannot check, by folded name, with their harmless values. */
const unreadFields: ReadonlyMap<string, IsHarmless> = new Map([
  ['extrabody', isOfGoogle],
  ['extraheaders', isEmpty],
  ['extraquery', isEmpty],
  ['deferred', isOff],
])

/** The first such field of a body with an effect. */
export function unreadFault(body: JsonObject): Fault | undefined {
  for (const name in body) {
    const isHarmless = unreadFields.get(factsOf(name)?.folded ?? foldAll(name))
    const value = body[name]
    if (isHarmless === undefined || value === undefined || value === null) continue
    if (!isHarmless(value)) return refused(name)
  }
  return undefined
}

const refused = (param: string): Fault => ({
  code: 'unsupported_parameter',
  param,
  message: `${param} is not taken here: what it asks for can't be looked at. Send its fields as the request's own, or leave it out.`,
})

const fold = (name: string) => foldAll(name).replace(/[^a-z0-9]/g, '')

const names: ReadonlySet<string> = new Set(
  [...decidingFields.keys(), ...bodySettings, ...decidingSettings, ...unreadFields.keys()].map(
    fold,
  ),
)

/** Whether a name means something in a body, in any protocol and spelling: elsewhere it could override it. */
export const isOfBody = (name: string): boolean => names.has(fold(name))
