import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { CanonicalRequest } from '../../../src/protocols/canonical/request.ts'
import { isJsonObject } from '../../../src/protocols/json.ts'
import type { JsonObject, ProtocolName } from '../../../src/protocols/protocol.ts'
import { sampleOf } from './schema-sample.ts'
import { createSeeded } from './seeded.ts'

/**
 * How the schemas of two requests differ in meaning: those of tools and of the answer. Where the
 * table says adapted they are compared by what they let pass, not by how they say it.
 */
export function schemaFaults(
  sent: CanonicalRequest,
  again: CanonicalRequest,
  upstream: ProtocolName,
): readonly string[] {
  const faults: string[] = []
  for (const { name, parameters: told } of again.tools) {
    const tool = sent.tools.find((one) => one.name === name)
    // A custom tool is a function with one text; one without parameters takes none.
    const isNone = upstream === 'gemini' || upstream === 'chat'
    const none = isNone ? undefined : { type: 'object', properties: {} }
    const wanted = tool?.kind === 'custom' ? inputOf[upstream] : (tool?.parameters ?? none)
    const isEnforced = upstream === 'gemini' || tool?.strict === true
    faults.push(
      ...compared(wanted, told, isEnforced ? upstream : undefined).map((f) => `${name}: ${f}`),
    )
  }
  const formats = [sent.format, again.format].map((f) =>
    f?.type === 'schema' ? f.schema : undefined,
  )
  faults.push(...compared(formats[0], formats[1], upstream).map((fault) => `format: ${fault}`))
  return faults
}

/** What is left to be compared of a request. */
export function withoutSchemas(request: CanonicalRequest): object {
  const tools = request.tools.map((tool) => ({ ...tool, parameters: undefined }))
  return { ...request, tools, format: request.format && { ...request.format, schema: undefined } }
}

const input = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] }
const inputOf = { chat: undefined, responses: undefined, messages: input, gemini: input }

/** `upstream` is told where its vendor takes only some of JSON schema. */
function compared(
  wanted: JsonObject | undefined,
  told: JsonObject | undefined,
  upstream: ProtocolName | undefined,
): readonly string[] {
  // The vendor wants an object's schema.
  const isEqual =
    Bun.deepEquals(wanted, told) || Bun.deepEquals({ type: 'object', ...wanted }, told)
  if (isEqual) return []
  if (wanted === undefined || told === undefined) return [wanted ? 'lost' : 'invented']
  if (upstream !== 'messages' && upstream !== 'gemini') return ['not equal']
  return [...differences(wanted, told, upstream), ...unsaid(wanted, told)]
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, logger: false })
const known = new WeakMap<JsonObject, ValidateFunction>()

function validatorOf(schema: JsonObject): ValidateFunction {
  const { $schema, $id, ...plain } = schema
  const validate = known.get(schema) ?? ajv.compile(plain)
  known.set(schema, validate)
  return validate
}

const samples = 60

/** Values that one of the schemas lets pass and the other does not. */
function differences(wanted: JsonObject, told: JsonObject, upstream: 'messages' | 'gemini') {
  const faults = new Set<string>()
  const [asked, answered] = [validatorOf(wanted), validatorOf(told)]
  let passed = 0
  for (let seed = 0; seed < samples; seed++) {
    const value = sampleOf(wanted, createSeeded(seed))
    const isWanted = asked(value)
    if (isWanted) passed++
    const isTold = answered(value)
    if (isWanted && !isTold) faults.add(`refuses ${JSON.stringify(value)}`)
    const isLost = !isWanted && isTold && (asked.errors ?? []).some((e) => mustStay(e, upstream))
    if (isLost) faults.add(`takes ${JSON.stringify(value)}`)
  }
  if (passed === 0) faults.add('no value of the samples is one')
  return [...faults].slice(0, 2)
}

/**
 * Row "Structured output by a JSON schema": what the vendors have no keyword for is told in words.
 * Those of choices, too: which members must be there, and that only one of them fits.
 */
function mustStay({ keyword, schemaPath, params }: ErrorObject, upstream: 'messages' | 'gemini') {
  if (upstream === 'messages') {
    return !bounds.test(keyword) && !schemaPath.includes('/prefixItems/')
  }
  const values: readonly unknown[] = params.allowedValues ?? [params.allowedValue]
  const isPlain = values.every((value) => typeof value === 'string' || typeof value === 'number')
  if (keyword === 'enum' || keyword === 'const') return isPlain
  return !open.test(keyword) && !/\/(anyOf|oneOf)\/\d+\/required$/.test(schemaPath)
}

const bounds = /^(min|max|exclusive|multipleOf|pattern|uniqueItems)/
const open = /^(exclusiveMinimum|exclusiveMaximum|multipleOf|uniqueItems|oneOf|anyOf)$/

/** Words and values of a schema that are nowhere in the other. */
function unsaid(wanted: JsonObject, told: JsonObject): readonly string[] {
  const text = JSON.stringify(told)
  const missing = new Set<string>()
  const look = (value: unknown, key: string) => {
    if (Array.isArray(value)) for (const item of value) look(item, key)
    else if (isJsonObject(value)) for (const [name, item] of Object.entries(value)) look(item, name)
    else if (!noted.has(key) && value !== null && typeof value !== 'boolean') {
      // Ranges that are open may move by one.
      const isMoved =
        key.startsWith('exclusive') || text.includes(JSON.stringify(value).slice(1, -1))
      if (!isMoved && !text.includes(`${value}`)) missing.add(`${key}: ${value}`)
    }
  }
  look(wanted, '')
  return [...missing]
}

/** Names of definitions may change, and the dialect is the vendor's. */
const noted = new Set(['$ref', '$schema', '$id', 'title'])
