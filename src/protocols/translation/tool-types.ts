import type { Tool } from '../canonical/request.ts'
import { arrayIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/**
 * A tool as OpenAI's models read it: a TypeScript type with comments. Measured: on 28 recorded
 * requests its LLM tokens are those that the vendor counts (±2), but for a constant of all tools.
 */
export function toolType(tool: Tool): string {
  const parameters = tool.parameters ?? {}
  const input = tool.kind === 'custom' ? 'string' : createWriter(parameters)(parameters, 0)
  return [
    comment(tool.description),
    comment(tool.grammar?.definition),
    comment(stringIn(parameters, 'description')),
    `type ${tool.name} = (${isNothing.has(input) ? '' : `_: ${input}`}) => any;\n\n`,
  ].join('')
}

/** The types of an input without parameters. */
const isNothing = new Set(['any', 'object', '{\n}'])

const comment = (text: string | undefined) =>
  text === undefined || text === '' ? '' : `// ${text}\n`

/** Deeper than any vendor lets schemas nest. */
const deepest = 32

/** Writes the schemas of one tool. A definition is written out where it is used first. */
function createWriter(root: JsonObject) {
  const written = new Set<string>()

  function typeOf(schema: unknown, depth: number): string {
    if (!isJsonObject(schema) || depth > deepest) return 'any'
    const reference = stringIn(schema, '$ref')
    if (reference !== undefined) return referenced(reference, depth)
    const values = arrayIn(schema, 'enum')
    if (values.length > 0) return values.map(literal).join(' | ')
    const either = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => arrayIn(schema, key))
    if (either.length > 0) return either.map((one) => typeOf(one, depth + 1)).join(' | ')
    if (schema.type === 'array') return `${typeOf(schema.items, depth + 1)}[]`
    if (objectIn(schema, 'properties')) return objectType(schema, depth)
    const types = arrayIn(schema, 'type')
    return types.length > 0
      ? types.filter((type) => typeof type === 'string').join(' | ')
      : (stringIn(schema, 'type') ?? 'any')
  }

  function referenced(reference: string, depth: number): string {
    const name = reference.slice(reference.lastIndexOf('/') + 1)
    if (written.has(name)) return name
    written.add(name)
    const definitions = objectIn(root, '$defs') ?? objectIn(root, 'definitions')
    return typeOf(definitions?.[name], depth + 1)
  }

  function objectType(schema: JsonObject, depth: number): string {
    const required = new Set(arrayIn(schema, 'required'))
    const lines = Object.entries(objectIn(schema, 'properties') ?? {}).map(([key, value]) => {
      const about = isJsonObject(value) ? stringIn(value, 'description') : undefined
      const optional = required.has(key) ? '' : '?'
      return `${comment(about)}${key}${optional}: ${typeOf(value, depth + 1)},\n`
    })
    return `{\n${lines.join('')}}`
  }

  return typeOf
}

const literal = (value: unknown) =>
  typeof value === 'object' && value !== null ? 'object' : JSON.stringify(value)
