import { arrayIn, isJsonObject, stringIn } from '../../../src/protocols/json.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import type { Seeded } from './seeded.ts'

/** A value that a schema may or may not let pass: most of it fits, and now and then something not. */
export function sampleOf(root: JsonObject, seeded: Seeded): unknown {
  return sample(root, 0)

  function sample(schema: unknown, depth: number): unknown {
    if (!isJsonObject(schema) || depth > 8) return seeded.pick(['x', 1, null])
    // One mistake in some of the values.
    if (seeded.once(25)) return seeded.pick([['wrong'], 'wrong', -7, true, {}, null])
    const reference = stringIn(schema, '$ref')
    if (reference !== undefined)
      return sample({ ...follow(reference), ...without(schema, '$ref') }, depth + 1)
    const all = arrayIn(schema, 'allOf').filter(isJsonObject)
    if (all.length > 0) return sample(merged([without(schema, 'allOf'), ...all]), depth + 1)
    const either = [...arrayIn(schema, 'anyOf'), ...arrayIn(schema, 'oneOf')].filter(isJsonObject)
    if (either.length > 0) {
      const rest = without(without(schema, 'anyOf'), 'oneOf')
      return sample(merged([rest, seeded.pick(either)]), depth + 1)
    }
    if (schema.const !== undefined) return schema.const
    const values = arrayIn(schema, 'enum')
    if (values.length > 0) return seeded.pick(values)
    return ofType(typeOf(schema), schema, depth)
  }

  function ofType(type: unknown, schema: JsonObject, depth: number): unknown {
    switch (type) {
      case 'object':
        return objectOf(schema, depth)
      case 'array': {
        const tuple = arrayIn(schema, 'prefixItems')
        const least = typeof schema.minItems === 'number' ? schema.minItems : 0
        const count = Math.max(least, tuple.length) + seeded.below(3)
        return Array.from({ length: count }, (_, at) =>
          sample(tuple[at] ?? schema.items ?? {}, depth + 1),
        )
      }
      case 'integer':
      case 'number': {
        const { minimum, maximum, exclusiveMinimum: open } = schema
        const least = typeof minimum === 'number' ? minimum : typeof open === 'number' ? open : 0
        const step = seeded.below(4) - (seeded.once(4) ? 1 : 0)
        return typeof maximum === 'number' && seeded.once(2) ? maximum : least + step
      }
      case 'boolean':
        return seeded.once(2)
      case 'null':
        return null
      default:
        return 'a text that is long enough for most of them'.slice(0, seeded.pick([3, 9, 40]))
    }
  }

  function objectOf(schema: JsonObject, depth: number): JsonObject {
    const properties = isJsonObject(schema.properties) ? schema.properties : {}
    const required = new Set(arrayIn(schema, 'required'))
    const entries = Object.entries(properties).filter(([name]) =>
      required.has(name) ? !seeded.once(30) : !seeded.once(3),
    )
    const known = entries.map(([name, value]) => [name, sample(value, depth + 1)])
    const more = schema.additionalProperties
    // Where nothing is said of others, closing the object is the vendor's condition.
    const isSaid = isJsonObject(more) || more === false
    const other =
      isSaid && seeded.once(4) ? [['other', sample(isJsonObject(more) ? more : {}, depth + 1)]] : []
    return Object.fromEntries([...known, ...other])
  }

  function typeOf({ type, properties, items }: JsonObject): unknown {
    if (Array.isArray(type)) return seeded.pick(type)
    return type ?? (properties ? 'object' : items ? 'array' : 'string')
  }

  function follow(reference: string): JsonObject {
    let value: unknown = root
    for (const step of reference.split('/').slice(1))
      value = isJsonObject(value) ? value[step] : undefined
    return isJsonObject(value) ? value : {}
  }
}

const without = ({ ...schema }: JsonObject, key: string): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => name !== key))

/** Roughly: enough to find values of both. */
function merged(schemas: readonly JsonObject[]): JsonObject {
  const objects = (key: string) => schemas.map((schema) => schema[key]).filter(isJsonObject)
  const lists = schemas.flatMap((schema) => arrayIn(schema, 'required'))
  const properties = Object.assign({}, ...objects('properties'))
  return {
    ...Object.assign({}, ...schemas),
    ...(objects('properties').length > 0 ? { properties } : {}),
    ...(lists.length > 0 ? { required: lists } : {}),
  }
}
