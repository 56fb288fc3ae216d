import type { Logger } from '../lib/log.ts'
import { ApiError, type Fault } from './api-error.ts'

/** One validation error of Elysia. */
interface Finding {
  readonly path?: string
  readonly message?: string
  readonly value?: unknown
  readonly summary?: string
  readonly schema?: FaultySchema
}

interface Failed {
  readonly code: string | number
  readonly error: unknown
  readonly request: Request
}

/** Renders every error of the console's routes. */
export function renderError({ code, error, request }: Failed, log: Logger): Response {
  const refusal = refusalIn(error)
  if (refusal) {
    // Refusals for lack of capacity are not logged: clients could fill the log.
    if (refusal.reason === 'internal' || (refusal.status >= 500 && refusal.cause !== undefined))
      log.error('console', { error: refusal.message, cause: String(refusal.cause) })
    return refusal.toResponse(request)
  }
  if (code === 'VALIDATION') return invalidValue(error).toResponse(request)
  log.error('console: unhandled error', { error: String(error) })
  return new ApiError('internal', 'The gateway failed. Its log says why.').toResponse(request)
}

/** Elysia wraps errors of a parser. */
function refusalIn(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error
  return error instanceof Error && error.cause instanceof ApiError ? error.cause : undefined
}

/** Names the first invalid field. An invalid response is an internal error. */
function invalidValue(error: unknown): ApiError {
  const { type, all } = readFindings(error)
  if (type === 'response') return new ApiError('internal', 'The gateway failed to answer.')
  const [first] = all
  const path = first?.path?.slice(1).replaceAll('/', '.') ?? ''
  const field = path === '' && type === 'property' ? (first?.schema?.title ?? '') : path
  const name = field === '' ? `The ${type}` : field
  const message =
    expectationOf(first?.schema, first?.value) ?? first?.message ?? 'is not what is expected'
  return new ApiError('invalid_value', `${name}: ${message}.`, {
    ...(field !== '' && { field }),
    fault: faultOf(first?.schema, first?.value),
  })
}

function readFindings(error: unknown): { type: string; all: readonly Finding[] } {
  const found = error as { type?: string; all?: readonly Finding[] }
  return { type: found.type ?? 'body', all: found.all ?? [] }
}

interface FaultySchema {
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

/** The fault of a value that does not fit a schema; undefined: none fits. */
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

/** The expectation in words; undefined: TypeBox's own message is used. */
function expectationOf(schema: FaultySchema | undefined, value: unknown): string | undefined {
  const { type, anyOf, minimum, maximum } = schema ?? {}
  const words = anyOf?.map((branch) => branch.const)
  if (words?.every((word) => typeof word === 'string')) return `Expected one of ${words.join(', ')}`
  if (type !== 'integer' || value === undefined) return undefined
  if (minimum === undefined || maximum === undefined) return undefined
  return `Expected a whole number from ${minimum} to ${maximum}`
}
