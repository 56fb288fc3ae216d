import { isJsonObject } from './json.ts'
import type { JsonObject } from './protocol.ts'
import type { Path } from './request-extras.ts'

/** A field that names a model, or several. */
export interface ModelSelector {
  readonly path: Path
  /** Undefined: whom it names can't be told from it. */
  readonly names: readonly string[] | undefined
}

/**
 * Words in the names of fields by which vendors and aggregators let another model answer, help or
 * judge: `models`, `fallbacks`, `fallback_model`, `route`, `preset`, `advisorModel`,
 * `modelSelectionConfig` … So says the walk over the SDKs of OpenAI, Anthropic and Google, and the
 * references of OpenRouter, Vercel, LiteLLM and Groq.
 */
const selecting = new Set([
  ...['model', 'models', 'fallback', 'fallbacks'],
  ...['route', 'router', 'routing', 'preset'],
])
const maybe = /model|fallback|rout|preset/i
const plain = /^[\w-]*$/

/** Fields with such a word that choose nothing. */
const harmless = new Set([
  'allow_fallbacks',
  'fallback_credit_token',
  'model_armor_config',
  'modelArmorConfig',
])

/** What is the client's own (text, schemas, arguments, labels): no vendor looks for models in it. */
const content = new Set([
  ...['messages', 'input', 'contents', 'content', 'system', 'instructions', 'prompt', 'documents'],
  ...['systemInstruction', 'system_instruction', 'parts', 'description', 'text_content'],
  ...['parameters', 'parametersJsonSchema', 'parameters_json_schema', 'input_schema', 'schema'],
  ...['json_schema', 'responseSchema', 'response_schema', 'responseJsonSchema', 'grammar'],
  ...[
    'response_json_schema',
    'functionDeclarations',
    'function_declarations',
    'function',
    'custom',
  ],
  ...['functions', 'metadata', 'client_metadata', 'labels', 'variables', 'headers', 'logit_bias'],
  ...['filters', 'user_location', 'input_examples', 'prediction', 'trace', 'tags'],
])

/** Bodies that nest deeper are refused before. */
const deepest = 256
/** No client names more: looking at each of very many, deep in a body, would take seconds. */
const mostSelectors = 100

/**
 * All fields of a body that select a model, but for the one at its top: that is the one which is
 * checked and charged. Where there are too many, the last one is the field at the top that holds the rest.
 */
export function findSelectors(body: JsonObject): readonly ModelSelector[] {
  const found: ModelSelector[] = []
  const path: (string | number)[] = []

  function look(name: string, value: unknown): void {
    if (found.length > mostSelectors) return
    const role = roleOf(name)
    if (role === 'content') return
    if (role === 'selector') {
      if (value === null || value === undefined || value === false || value === '') return
      path.push(name)
      const names = namesIn(value)
      if (names?.length !== 0 && !isFree(path, names)) {
        const isLast = found.length === mostSelectors
        found.push(
          isLast ? { path: path.slice(0, 1), names: undefined } : { path: [...path], names },
        )
      }
      path.pop()
    } else if (typeof value === 'object' && value !== null) {
      path.push(name)
      walk(value)
      path.pop()
    }
  }

  function walk(value: unknown): void {
    if (path.length >= deepest) return
    if (Array.isArray(value)) {
      value.forEach((entry: unknown, index) => {
        if (typeof entry !== 'object' || entry === null) return
        path.push(index)
        walk(entry)
        path.pop()
      })
    } else if (isJsonObject(value)) {
      for (const name in value) look(name, value[name])
    }
  }

  for (const name in body) if (name !== 'model') look(name, body[name])
  return found
}

type Role = 'content' | 'selector' | 'other'

/** Of names that are seen again and again; the client's own must not grow it. */
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

/** The models that a value names: a name, or a list of names or of objects with one. */
function namesIn(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return [value]
  if (!Array.isArray(value)) return undefined
  const names: string[] = []
  for (const entry of value as readonly unknown[]) {
    const name = isJsonObject(entry) ? entry.model : entry
    if (typeof name !== 'string') return undefined
    // What else an entry says (another speed, tools) would not be checked.
    if (isJsonObject(entry) && Object.keys(entry).length > 1) return undefined
    names.push(name)
  }
  return names
}

/** OpenAI's models for moderation cost nothing. */
function isFree([top, field, ...rest]: Path, names: readonly string[] | undefined): boolean {
  if (top !== 'moderation' || field !== 'model' || rest.length > 0) return false
  return names?.every((name) => /^(omni|text)-moderation-/.test(name)) === true
}
