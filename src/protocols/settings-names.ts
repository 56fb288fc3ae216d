import { camelCase, foldAll, settingsFields } from './deciding-fields.ts'
import { isJsonObject } from './json.ts'
import type { Fault, JsonObject } from './protocol.ts'

/** Names in settings that decide the charge, as OpenAI and Anthropic write them. */
export const decidingSettings = [
  ...['type', 'mode', 'model', 'models', 'tools', 'only', 'n', 'size', 'quality', 'partial_images'],
  ...['include_usage', 'effort', 'enabled', 'exclude', 'budget_tokens', 'max_tokens', 'engine'],
  ...['max_output_tokens', 'candidate_count', 'response_modalities', 'thinking_config'],
  ...['thinking_budget', 'thinking_level', 'include_thoughts', 'image_config', 'image_size'],
  ...['max_uses', 'max_results', 'max_search_results', 'max_num_results', 'search_context_size'],
  ...['environment', 'container', 'execution', 'memory_limit', 'forced_search'],
]

/** How each may be written, by its folded name. */
const spellings: ReadonlyMap<string, readonly string[]> = new Map(
  decidingSettings.map((name) => [foldAll(name), [...new Set([name, camelCase(name)])]]),
)

/** Members whose names are the client's own, or those of a schema: by their folded names. */
const ownNames: ReadonlySet<string> = new Set([
  ...['parameters', 'parametersjsonschema', 'inputschema', 'outputschema', 'schema', 'jsonschema'],
  ...['response', 'responseschema', 'responsejsonschema', 'inputexamples', 'arguments', 'configs'],
  ...['metadata', 'labels', 'headers', 'variables', 'env'],
])

/** Gemini's configuration, and its limits, may be written by both of their names: see `withOneConfig`. */
const readTogether: ReadonlySet<string> = new Set(['maxoutputtokens', 'candidatecount'])
const configurations: ReadonlySet<string> = new Set(['generationConfig', 'generation_config'])

interface NameFacts {
  readonly folded: string
  /** How it must be written; undefined: it decides nothing. */
  readonly spellings: readonly string[] | undefined
  /** What it holds has names of the client's own. */
  readonly isOwn: boolean
}

/** Names of settings are few, and the same in most requests. */
const known = new Map<string, NameFacts>()
const mostKnown = 4_096

/** Undefined: what is no word can't be taken for a setting. */
function factsOf(name: string): NameFacts | undefined {
  const found = known.get(name)
  if (found !== undefined) return found
  if (!/^[\p{L}\p{N}_]{1,100}$/u.test(name)) return undefined
  const folded = foldAll(name)
  const facts = { folded, spellings: spellings.get(folded), isOwn: ownNames.has(folded) }
  if (known.size < mostKnown) known.set(name, facts)
  return facts
}

/**
 * The first name of a body's settings that another reader could take for another one: two of one
 * object that differ in nothing but case or underscores, or one that decides the charge in a spelling
 * of its own. Many upstreams read names without regard to case, and some take both spellings.
 */
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
  /** Of two names that fold to one, at least one is not its own folded form. */
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
