import { toOpenAPISchema } from '@elysiajs/openapi/openapi'
import type { AnyElysia } from 'elysia'

/** The chapters of the console's API. */
export const consoleTags = {
  'Sign-in': 'Ways into the console.',
  Console: 'What the console does for an account. Needs the session cookie of who is signed in.',
  Administration: 'What the console does for administrators. Needs a session of one.',
} as const

/** How the console's API knows who asks. */
export const sessionScheme = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'tollgate.session_token',
    description: 'Set by POST /api/v1/auth/sign-in/email.',
  },
} as const

/** The console's API as OpenAPI paths: its routes say themselves what they take and answer. */
export function consolePaths(api: AnyElysia): Record<string, Record<string, unknown>> {
  const found = toOpenAPISchema(api, { staticFile: false }).paths
  const bodies = bodiesOf(api)
  return Object.fromEntries(
    Object.entries(found)
      .filter(([path]) => path.startsWith('/api/v1/'))
      .map(([path, methods]) => [
        path,
        Object.fromEntries(
          Object.entries(methods ?? {}).map(([method, operation]) => [
            method,
            secured(operation, bodies.get(`${method.toUpperCase()} ${path}`)),
          ]),
        ),
      ]),
  )
}

/** What each route takes, by method and path: a parser of our own hides it from the library. */
function bodiesOf({ routes }: AnyElysia): ReadonlyMap<string, unknown> {
  return new Map(
    routes.flatMap(({ method, path, hooks }) => {
      const body: unknown = hooks?.body
      const place = `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`
      return typeof body === 'object' && body !== null ? [[place, body] as const] : []
    }),
  )
}

/** Says who may ask; what says itself that it needs no session (`security: []`) is open to all. */
function secured(operation: unknown, body: unknown): unknown {
  if (typeof operation !== 'object' || operation === null) return operation
  const { security, responses, ...rest } = operation as Described
  const isOpen = security?.length === 0
  const hasAnswer = Object.keys(responses ?? {}).some((status) => status.startsWith('2'))
  return {
    ...rest,
    ...(body !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: body } } },
    }),
    ...(!isOpen && { security: [{ session: [] }] }),
    responses: {
      ...(!hasAnswer && { 200: { description: 'The answer, as it comes.' } }),
      ...responses,
      ...(!isOpen && { 401: { description: 'Nobody is signed in.' } }),
      403: { description: 'Not allowed to who is signed in, or sent by another site.' },
    },
  }
}

interface Described {
  readonly security?: readonly unknown[]
  readonly responses?: { readonly [status: string]: unknown }
}
