import { type ObjectOptions, type TSchema, Type } from '@sinclair/typebox'

export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** A document around its data, as this site answers. */
export const successful = <Data extends TSchema>(data: Data, options: ObjectOptions) =>
  Type.Object(
    {
      code: Type.Literal(0, { description: '0 on success.' }),
      message: Type.String({ description: 'success' }),
      data,
    },
    options,
  )

/** Rewrites a published part; undefined: unchanged. */
type Rewrite = (part: TSchema) => JsonSchema | undefined

const dialect = 'https://json-schema.org/draft/2020-12/schema'

/** Keywords of JSON Schema that are copied as they are; unlisted ones are ours. */
const plain = new Set([
  ...['type', 'const', 'enum', 'title', 'description', 'writeOnly', 'required', 'format'],
  ...['pattern', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'],
  'minProperties',
])
const partsByName = new Set(['properties', 'patternProperties'])
const listsOfParts = new Set(['anyOf', 'allOf'])
const singleParts = new Set(['items', 'additionalProperties'])

/** A TypeBox schema as JSON Schema 2020-12, with a URN as its id: addresses differ per instance. */
export function toSchemaDocument(name: string, schema: TSchema, rewrite: Rewrite = asItIs) {
  return { $schema: dialect, $id: `urn:tollgate:schema:${name}`, ...toJsonSchema(schema, rewrite) }
}

/** One schema without TypeBox's symbols and without keywords that JSON Schema does not know. */
export function toJsonSchema(schema: TSchema, rewrite: Rewrite = asItIs): JsonSchema {
  const rewritten = rewrite(schema)
  if (rewritten) return rewritten
  const words = wordsOf(schema)
  if (words) return { enum: words, ...(schema.description && { description: schema.description }) }
  const part = (value: unknown) => (isSchema(value) ? toJsonSchema(value, rewrite) : value)
  const result: { [keyword: string]: unknown } = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (plain.has(keyword) || singleParts.has(keyword)) result[keyword] = part(value)
    else if (listsOfParts.has(keyword) && Array.isArray(value)) result[keyword] = value.map(part)
    else if (partsByName.has(keyword))
      result[keyword] = Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, part(inner)]),
      )
  }
  return result
}

/** The values of a union of literals. */
export function wordsOf(schema: TSchema): readonly unknown[] | undefined {
  const branches: unknown = schema.anyOf
  if (!Array.isArray(branches) || !branches.every((branch) => 'const' in branch)) return undefined
  return branches.map((branch) => branch.const)
}

const asItIs: Rewrite = () => undefined

const isSchema = (value: unknown): value is TSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
