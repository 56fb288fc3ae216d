import type { HostedTool } from './canonical/tools.ts'
import type { Modality } from './canonical/usage.ts'
import { isJsonObject, wordSet, words } from './json.ts'
import type { JsonObject } from './protocol.ts'

/** Path of a member of a body: names and indexes. */
export type Path = readonly (string | number)[]

/** Billed features that a request asks for besides text. */
export interface RequestExtras {
  readonly hostedTools: readonly HostedToolAsk[]
  readonly tiers: readonly TierAsk[]
  readonly outputs: readonly OutputAsk[]
  readonly models: readonly ModelSelector[]
  /** Fields that choose among an upstream's sellers, whose prices differ. */
  readonly routing: readonly Path[]
}

/** A tool that the vendor shall run. */
export interface HostedToolAsk {
  /** Undefined: of an unpriced kind. */
  readonly tool: HostedTool | undefined
  readonly path: Path
  readonly isForced: boolean
  /** Each answer uses it once, visibly or not. */
  readonly isAlways?: boolean
  readonly mentions: readonly Path[]
}

export interface TierAsk {
  readonly tier: string
  readonly path: Path
}

interface OutputAsk {
  readonly modality: Modality
  readonly path: Path
}

/** The tool of a kind, by its name's prefix. Overlong names match none. */
export function namedTool(
  kinds: readonly (readonly [kind: RegExp, tool: HostedTool])[],
  kind: string,
): HostedTool | undefined {
  if (kind.length > longestKind) return undefined
  return kinds.find(([pattern]) => pattern.test(kind))?.[1]
}

const longestKind = 64

/** Case-insensitive upstreams would read another kind of tool. */
export function hasTwoKinds(tool: JsonObject): boolean {
  for (const name in tool) {
    if (name.length === 4 && name !== 'type' && name !== 'name' && name.toLowerCase() === 'type') {
      return true
    }
  }
  return false
}

/** A path as text: `tools[0].googleSearch`. */
export const pathText = (path: Path): string =>
  path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index > 0 ? `.${step}` : step))
    .join('')

const nothing: readonly never[] = []

/** The extras of a request; undefined without any, as usual. */
export function requestExtras(
  body: JsonObject,
  own: Partial<Pick<RequestExtras, 'hostedTools' | 'tiers' | 'outputs'>>,
): RequestExtras | undefined {
  const { hostedTools = nothing, tiers = nothing, outputs = nothing } = own
  const models = findSelectors(body)
  const routing = findRouting(body)
  const count = hostedTools.length + tiers.length + outputs.length + models.length + routing.length
  return count === 0 ? undefined : { hostedTools, tiers, outputs, models, routing }
}

const modalityNames = new Map<unknown, Modality>([
  ['audio', 'outputAudio'],
  ['image', 'outputImage'],
  ['video', 'outputVideo'],
])

/** Non-text output named by a list of modalities, or by one word. */
export function outputsIn(list: unknown, path: Path): readonly OutputAsk[] {
  const isList = Array.isArray(list)
  if (!isList && typeof list !== 'string') return nothing
  return [list].flat().flatMap((name: unknown, index) => {
    const modality = modalityNames.get(typeof name === 'string' ? name.toLowerCase() : name)
    return modality === undefined ? [] : [{ modality, path: isList ? [...path, index] : path }]
  })
}

/** Where such upstreams (OpenRouter, Vercel) read the choice of a seller. */
const routingPlaces: readonly Path[] = [
  ['provider'],
  ['providerOptions', 'gateway'],
  ['provider_options', 'gateway'],
]

/** Fields of it that exclude no seller, or concern privacy. */
const harmlessRouting = new Set(
  words(
    'allow_fallbacks require_parameters data_collection zdr zeroDataRetention max_price models',
  ),
)

function findRouting(body: JsonObject): readonly Path[] {
  const found: Path[] = []
  for (const place of routingPlaces) {
    if (body[`${place[0]}`] === undefined) continue
    let holder: unknown = body
    for (const step of place) holder = isJsonObject(holder) ? holder[step] : undefined
    if (!isJsonObject(holder)) continue
    for (const name of Object.keys(holder)) {
      if (!harmlessRouting.has(name)) found.push([...place, name])
    }
  }
  return found
}

/** A field that names one model or several. */
export interface ModelSelector {
  readonly path: Path
  readonly names: readonly string[] | undefined
}

/** Words in field names by which vendors and aggregators let another model answer, help or judge. */
const selecting = wordSet('model models fallback fallbacks route router routing preset')
const maybe = /model|fallback|rout|preset/i
const plain = /^[\w-]*$/

/** Fields with such a word that select nothing. */
const harmless = new Set([
  'allow_fallbacks',
  'fallback_credit_token',
  'model_armor_config',
  'modelArmorConfig',
])

/** The client's own content (text, schemas, arguments, labels): no vendor looks for models in it. */
const content = wordSet(`
  messages input contents content system instructions prompt documents systemInstruction
  system_instruction parts description text_content parameters parametersJsonSchema
  parameters_json_schema input_schema schema json_schema responseSchema response_schema
  responseJsonSchema grammar response_json_schema functionDeclarations function_declarations
  function custom functions metadata client_metadata labels variables headers logit_bias filters
  user_location input_examples prediction trace tags
`)

/** Deeper bodies are rejected earlier. */
const deepest = 256
/** No client names more: reading very many, deep in a body, would take seconds. */
const mostSelectors = 100

/** Fields that select a model, except the top-level one; the last beyond a limit is a top-level field. */
export function findSelectors(body: JsonObject): readonly ModelSelector[] {
  const search: Search = { found: [], path: [] }
  for (const name in body) if (name !== 'model') look(name, body[name], search)
  return search.found
}

interface Search {
  readonly found: ModelSelector[]
  readonly path: (string | number)[]
}

function look(name: string, value: unknown, search: Search): void {
  const { found, path } = search
  if (found.length > mostSelectors) return
  const role = roleOf(name)
  if (role === 'content' || value === null) return
  if (role === 'other') {
    if (typeof value !== 'object') return
    path.push(name)
    walk(value, search)
    path.pop()
    return
  }
  if (value === undefined || value === false || value === '') return
  path.push(name)
  const names = namesIn(value)
  if (names?.length !== 0 && !isFree(path, names)) {
    const isLast = found.length === mostSelectors
    found.push(isLast ? { path: path.slice(0, 1), names: undefined } : { path: [...path], names })
  }
  path.pop()
}

function walk(value: object, search: Search): void {
  const { path } = search
  if (path.length >= deepest) return
  if (isJsonObject(value)) {
    for (const name in value) look(name, value[name], search)
    return
  }
  for (const [index, entry] of (value as readonly unknown[]).entries()) {
    if (typeof entry !== 'object' || entry === null) continue
    path.push(index)
    walk(entry, search)
    path.pop()
  }
}

type Role = 'content' | 'selector' | 'other'

const roles = new Map<string, Role>()
const mostRoles = 2_000
const longestRole = 64

function roleOf(name: string): Role {
  const known = roles.get(name)
  if (known !== undefined) return known
  const role = findRole(name)
  if (roles.size < mostRoles && name.length <= longestRole) roles.set(name, role)
  return role
}

function findRole(written: string): Role {
  if (content.has(written)) return 'content'
  const name = plain.test(written) ? written : written.normalize('NFKC')
  return maybe.test(name) && isSelector(name) ? 'selector' : 'other'
}

function isSelector(name: string): boolean {
  if (harmless.has(name)) return false
  const words = name.replace(/[A-Z]/g, (letter) => `_${letter}`)
  return [words, name].some((text) =>
    text
      .toLowerCase()
      .split(/[_-]/)
      .some((word) => selecting.has(word)),
  )
}

/** The models that a value names: a name, a list of names, or of objects with one. */
function namesIn(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return [value]
  if (!Array.isArray(value)) return undefined
  const names: string[] = []
  for (const entry of value as readonly unknown[]) {
    const name = isJsonObject(entry) ? entry.model : entry
    if (typeof name !== 'string') return undefined
    // Other members of an entry (speed, tools) would pass unchecked.
    if (isJsonObject(entry) && Object.keys(entry).length > 1) return undefined
    names.push(name)
  }
  return names
}

/** OpenAI's moderation models are free. */
function isFree([top, field, ...rest]: Path, names: readonly string[] | undefined): boolean {
  if (top !== 'moderation' || field !== 'model' || rest.length > 0) return false
  return names?.every((name) => /^(omni|text)-moderation-/.test(name)) === true
}
