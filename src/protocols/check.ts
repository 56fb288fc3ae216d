import { type Static, type TSchema, Type } from '@sinclair/typebox'
import {
  type TypeCheck,
  TypeCompiler,
  type ValueError,
  ValueErrorType,
} from '@sinclair/typebox/compiler'
import { settingsFault, unreadFault } from './field-names.ts'
import { isJsonObject } from './json.ts'
import type { Check, Fault } from './protocol.ts'

/** An optional field that may be null, as most vendors allow for fields with a default. */
export function nullable<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()], { expected: schema.expected }))
}

/** Parts of all request schemas. `expected` finishes the sentence "`field` must be …". */
export const Text = Type.String({ expected: 'a string' })
export const Name = Type.String({ minLength: 1, expected: 'a non-empty string' })
export const Flag = Type.Boolean({ expected: 'true or false' })
export const Num = Type.Number({ expected: 'a number' })
export const List = Type.Array(Type.Unknown(), { expected: 'an array' })
export const Bag = Type.Object({}, { expected: 'an object' })
export const Objects = Type.Array(Bag, { expected: 'an array of objects' })
export const PositiveInteger = Type.Integer({ minimum: 1, expected: 'an integer of 1 or more' })

/** A content part: its `type` decides its other members. */
export const Part = Type.Object({ type: Name }, { expected: 'an object with a "type"' })
export const Content = Type.Union(
  [Text, Type.Array(Part, { expected: 'an array of content parts' })],
  { expected: 'a string or an array of content parts' },
)

/** A check that finds the first fault of a body by `schema`, which the first request compiles. */
export function createCheck<T extends TSchema>(
  schema: T,
  rules: (body: Static<T>) => Fault | undefined = () => undefined,
): Check {
  let compiled: TypeCheck<T> | undefined
  const check = (body: unknown) => {
    if (!isJsonObject(body))
      return invalid('', `The body must be a JSON object, not ${describe(body)}.`)
    compiled ??= TypeCompiler.Compile(schema)
    if (compiled.Check(body)) return rules(body) ?? unreadFault(body) ?? settingsFault(body)
    const error = compiled.Errors(body).First()
    return error === undefined ? invalid('', 'The body is not valid.') : toFault(innermost(error))
  }
  return Object.assign(check, { schema })
}

/** A fault for a value of the wrong kind or range. */
export function invalid(param: string, message: string): Fault {
  return { code: 'invalid_value', param, message }
}

/** A fault for a missing required field. */
export function missing(param: string, expected: string): Fault {
  const message = `${param} is required and must be ${expected}.`
  return { code: 'missing_parameter', param, message }
}

/** Vendors reject `stream_options` without `stream: true`. */
export function streamOptionsFault(body: {
  readonly stream?: boolean | null
  readonly stream_options?: unknown
}): Fault | undefined {
  const param = 'stream_options'
  if ((body[param] ?? undefined) === undefined || body.stream === true) return undefined
  const message = `${param} is only allowed with stream: true. Set stream to true or leave it out.`
  return { code: 'conflicting_parameters', param, message }
}

/** A value for an error message, shortened. */
export function describe(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array'
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return `${value}`
  if (typeof value !== 'string') return 'an object'
  if (value === '') return 'an empty string'
  const characters = Array.from(value.slice(0, 80))
  const short = characters.length > 40 ? `${characters.slice(0, 40).join('')}…` : value
  return `the string ${JSON.stringify(short)}`
}

/** Of a union's failed variants, the one that fails inside its value fits the value's kind. */
function innermost(error: ValueError): ValueError {
  if (error.type !== ValueErrorType.Union) return error
  for (const variant of error.errors) {
    const first = variant.First()
    const inner = first && innermost(first)
    if (inner !== undefined && inner.path.length > error.path.length) return inner
  }
  return error
}

function toFault(error: ValueError): Fault {
  const param = readablePath(error.path)
  const expected: unknown = error.schema.expected ?? 'valid'
  if (error.type === ValueErrorType.ObjectRequiredProperty || error.value === undefined) {
    return missing(param, `${expected}`)
  }
  return invalid(param, `${param} must be ${expected}, not ${describe(error.value)}.`)
}

/** `/messages/2/content` as `messages[2].content`. */
function readablePath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step, index) => (/^\d+$/.test(step) ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('')
}
