import { KindGuard, type TSchema } from '@sinclair/typebox'
import type { ValueKind } from '../../resources/values.ts'
import { type JsonSchema, toJsonSchema, toSchemaDocument, wordsOf } from '../../site/schemas.ts'
import { ConfigFile } from './schema.ts'

/**
 * The JSON Schema of tollgate.yaml for editors. The text of a value counts, not how YAML types it,
 * and each may be a reference to the environment: both are let through here.
 */
export function configJsonSchema(): JsonSchema {
  return { ...toSchemaDocument('tollgate.yaml', ConfigFile, rewriteValue), $defs: { reference } }
}

const reference = {
  type: 'string',
  pattern: '\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}',
  description: `\${NAME} reads an environment variable.`,
}

/** Texts that may look like a number or a flag, such as a model called 4 or a password 12345. */
const anyScalar: ReadonlySet<string> = new Set<ValueKind>(['text', 'name', 'key', 'password'])

function rewriteValue(part: TSchema): JsonSchema | undefined {
  const { description, reads, writeOnly } = part
  if (typeof reads === 'string') {
    const numbers = KindGuard.IsUnion(part) ? ['number'] : []
    const others = anyScalar.has(reads) ? ['number', 'boolean'] : numbers
    const type = others.length > 0 ? ['string', ...others] : 'string'
    return { type, description, ...(writeOnly && { writeOnly }) }
  }
  const isValue =
    KindGuard.IsBoolean(part) || KindGuard.IsInteger(part) || KindGuard.IsLiteral(part)
  if (!isValue && !wordsOf(part)) return undefined
  const { description: _, ...value } = toJsonSchema(part)
  return { description, anyOf: [value, { $ref: '#/$defs/reference' }] }
}
