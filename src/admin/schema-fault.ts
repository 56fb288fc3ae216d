import type { Fault } from './faults.ts'

/** What of a schema tells why a value does not fit it. */
export interface FaultySchema {
  readonly title?: string
  readonly type?: string
  readonly const?: unknown
  readonly anyOf?: readonly FaultySchema[]
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
}

/** The machine word for a value that does not fit a schema; undefined: there is none for it. */
export function faultOf(schema: FaultySchema | undefined, value: unknown): Fault | undefined {
  if (schema === undefined) return undefined
  if (value === undefined) return 'missing'
  const { type, anyOf, minLength = 0, maxLength = Number.POSITIVE_INFINITY, maxItems } = schema
  if (anyOf) {
    const branches = anyOf.filter((branch) => branch.type !== 'null')
    if (branches.length > 0 && branches.every((branch) => branch.const !== undefined))
      return 'unfit_choice'
    return branches.length === 1 ? faultOf(branches[0], value) : undefined
  }
  if (type === 'integer') return 'unfit_whole_number'
  if (typeof value === 'string' && value.length > maxLength) return 'too_long'
  if (value === '' && minLength > 0) return 'missing'
  if (Array.isArray(value) && maxItems !== undefined && value.length > maxItems) return 'too_many'
  return undefined
}

/** What a schema expects, in words; undefined: nothing to say that its library does not say. */
export function expectationOf(
  schema: FaultySchema | undefined,
  value: unknown,
): string | undefined {
  const { type, minimum, maximum } = schema ?? {}
  if (type !== 'integer' || value === undefined) return undefined
  if (minimum === undefined || maximum === undefined) return undefined
  return `Expected a whole number from ${minimum} to ${maximum}`
}
