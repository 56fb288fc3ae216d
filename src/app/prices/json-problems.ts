import type { TSchema } from '@sinclair/typebox'
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value'
import { joinPath } from '../config/problem.ts'

/** Enough to see what is wrong with a file. */
const maxShown = 5

/**
 * What keeps a value from fitting a schema, one line for each place: `models[3].input: "x" is not a
 * whole number of at least 0`. Empty when it fits.
 */
export function jsonProblems(schema: TSchema, value: unknown, base = ''): readonly string[] {
  const found = new Map<string, string>()
  let more = 0
  for (const error of Value.Errors(schema, value)) {
    const path = readablePath(base, value, error.path)
    if (found.has(path)) continue
    if (found.size < maxShown) found.set(path, `${path || 'The document'} ${complaint(error)}`)
    else more++
  }
  return [...found.values(), ...(more > 0 ? [`… and ${more} more`] : [])]
}

function complaint({ type, schema, value }: ValueError): string {
  if (type === ValueErrorType.ObjectAdditionalProperties) return 'is no known field: leave it out'
  return value === undefined
    ? `is missing: ${expected(schema)}`
    : `is ${show(value)}, but must be ${expected(schema)}`
}

/** `/models/3/input` as `models[3].input`. */
function readablePath(base: string, root: unknown, pointer: string): string {
  let path = base
  let at = root
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    path = joinPath(path, Array.isArray(at) ? Number(key) : key)
    at = typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined
  }
  return path
}

/** What a schema asks for, in words. */
function expected(schema: TSchema): string {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(expected).join(' or ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const least = typeof schema.minimum === 'number' ? ` of at least ${schema.minimum}` : ''
  const words: { readonly [type: string]: string } = {
    integer: `a whole number${least}`,
    number: `a number${least}`,
    string: schema.pattern ? `a text of the form ${schema.pattern}` : 'a text',
    array: 'a list',
    object: 'an object',
    null: 'null',
  }
  return words[String(schema.type)] ?? 'another value'
}

/** A value as a message shows it: whole when short. */
function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}
