import { isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import type { SchemaBudget } from './schema-budget.ts'
import type { References } from './schema-refs.ts'
import { asJson, type Write } from './schema-words.ts'

/** Definitions that are written out within one another: nobody reads on from there. */
const mostOpen = 8

/**
 * Writes schemas for the description of another one. A definition that they refer to is written in its
 * place, as far as the budget goes; one within itself stays a reference.
 */
export function createWriter({ resolve }: References, budget: SchemaBudget): Write {
  const open = new Set<JsonObject>()

  function whole(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(whole)
    if (!isJsonObject(value)) return value
    const { $ref, ...rest } = value
    const target = $ref === undefined || open.size >= mostOpen ? undefined : resolve($ref)
    if (target === undefined || open.has(target) || budget.isSpent()) {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, whole(item)]))
    }
    const { $defs, definitions, ...own } = target
    budget.copy(own)
    open.add(target)
    const written = whole({ ...own, ...rest })
    open.delete(target)
    return written
  }

  return (value) => {
    const text = asJson(value)
    return text.includes('"$ref"') ? asJson(whole(value)) : text
  }
}
