import type { Logger } from '../lib/log.ts'
import { ApiError } from './api-error.ts'
import { expectationOf, type FaultySchema, faultOf } from './schema-fault.ts'

/** One thing that a schema found wrong, as Elysia reports it. */
interface Finding {
  readonly path?: string
  readonly message?: string
  readonly value?: unknown
  readonly summary?: string
  readonly schema?: FaultySchema
}

/** Answers whatever was thrown below a route of the console. */
export function renderError(code: string | number, error: unknown, log: Logger): Response {
  const refusal = refusalIn(error)
  if (refusal) {
    // What is only full, or not there, is nobody's fault: people could fill the log with it.
    if (refusal.reason === 'internal' || (refusal.status >= 500 && refusal.cause !== undefined))
      log.error('console', { error: refusal.message, cause: String(refusal.cause) })
    return refusal.toResponse()
  }
  if (code === 'VALIDATION') return invalidValue(error).toResponse()
  log.error('console: unhandled error', { error: String(error) })
  return new ApiError('internal', 'The gateway failed. Its log says why.').toResponse()
}

/** What a parser throws comes wrapped. */
function refusalIn(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error
  return error instanceof Error && error.cause instanceof ApiError ? error.cause : undefined
}

/** Names the first field that does not fit; a value that was answered wrongly is our own fault. */
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
