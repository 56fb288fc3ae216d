import { toOpenAPISchema } from '@elysiajs/openapi/openapi'
import type { TSchema } from '@sinclair/typebox'
import type { AnyElysia } from 'elysia'
import { type JsonSchema, toJsonSchema } from '../schemas.ts'
import { modelOperations } from './model-operations.ts'
import { fieldsOf, keyRefused, type Operations, type PlacedOperation, tags } from './operation.ts'
import { siteOperations } from './site-operations.ts'

export interface DocsSite {
  readonly name: string
  readonly version: string
  /** Addresses of the API; empty: that of the documentation itself. */
  readonly addresses: readonly string[]
}

export const operations: Operations = { ...modelOperations, ...siteOperations }

export type RequestSchemas = Readonly<Record<string, TSchema>>

/** Left out: second forms of paths, pages and what browsers ask for beside them, and the console. */
const unlisted =
  /\{b\}|^\/docs|^\/models|^\/$|^\/(favicon|robots|sitemap)\.|^\/console|^\/api\/v1\/\{/

/** The OpenAPI document: paths from the real routes, fields from the schemas that validate. */
export function openApiDocument(
  placed: readonly PlacedOperation[],
  site: DocsSite,
  schemas: Readonly<Record<string, JsonSchema>>,
  consoleApi: AnyElysia,
) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const one of placed)
    paths[one.path] = { ...paths[one.path], [one.method.toLowerCase()]: describe(one) }
  return {
    openapi: '3.1.0',
    info: { title: site.name, version: site.version, description: introduction },
    servers: (site.addresses.length > 0 ? site.addresses : ['/']).map((url) => ({ url })),
    tags: Object.entries({ ...tags, ...consoleTags }).map(([name, description]) => ({
      name,
      description,
    })),
    paths: { ...paths, ...consolePaths(consoleApi) },
    components: {
      securitySchemes: { ...securitySchemes, ...sessionScheme },
      schemas: Object.fromEntries(componentsOf(schemas)),
    },
  }
}

/** The described routes of the application, in the order of their descriptions. */
export function placedOperations(
  app: AnyElysia,
  requests: RequestSchemas = {},
): readonly PlacedOperation[] {
  const routes = new Map(routesOf(app).map((route) => [`${route.method} ${route.path}`, route]))
  return Object.entries(operations).flatMap(([name, operation]) => {
    const route = routes.get(name)
    return route ? [{ ...route, operation, request: requests[name] }] : []
  })
}

const introduction =
  'A model gateway. Clients speak the protocol they know, with a token (sk-…) as their key. ' +
  "Errors have the shape of the client's protocol; a 401 has a body of its own."

interface Route {
  readonly path: string
  readonly method: string
  readonly operationId: string
}

/** The routes of the application that the documentation is to describe. */
export function routesOf(app: AnyElysia): readonly Route[] {
  const found = toOpenAPISchema(app, { staticFile: false }).paths
  return Object.entries(found)
    .filter(([path]) => !unlisted.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods ?? {}).flatMap(([method, found]) => {
        const operationId = typeof found === 'object' && 'operationId' in found && found.operationId
        return operationId ? [{ path, method: method.toUpperCase(), operationId }] : []
      }),
    )
}

function describe(placed: PlacedOperation) {
  const { operationId, operation } = placed
  const { tag, summary, description, isOpen, parameters = [], others } = operation
  const causes = Object.entries({ ...(!isOpen && { 401: keyRefused }), ...others })
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description && { description }),
    ...(!isOpen && { security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })) }),
    ...(parameters.length > 0 && {
      parameters: parameters.map(({ place, ...parameter }) => ({
        ...{ ...parameter, in: place, required: place === 'path', schema: { type: 'string' } },
      })),
    }),
    ...(operation.body !== undefined && { requestBody: encodeRequest(placed) }),
    responses: {
      200: encodeAnswer(operation),
      ...Object.fromEntries(causes.map(([status, cause]) => [status, { description: cause }])),
    },
  }
}

function encodeRequest(placed: PlacedOperation) {
  const fields = fieldsOf(placed)
  const { contentType = 'application/json', body } = placed.operation
  const schema = {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(({ name, schema, description }) => [
        name,
        { ...(schema && toJsonSchema(schema)), description },
      ]),
    ),
    required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  }
  return { required: true, content: { [contentType]: { schema, example: body } } }
}

function encodeAnswer(operation: PlacedOperation['operation']) {
  const { answer: description, answerType = 'application/json', example, schema } = operation
  if (example === undefined && schema === undefined) return { description }
  const reference = schema && { schema: { $ref: `#/components/schemas/${schema}` } }
  const content = { ...reference, ...(example !== undefined && { example }) }
  return { description, content: { [answerType]: content } }
}

function componentsOf(schemas: Readonly<Record<string, JsonSchema>>) {
  return Object.entries(schemas).map(([name, { $schema, $id, ...schema }]) => [name, schema])
}

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer sk-…' },
  'x-api-key': { type: 'apiKey', in: 'header', name: 'x-api-key' },
  'x-goog-api-key': { type: 'apiKey', in: 'header', name: 'x-goog-api-key' },
} as const

const consoleTags = {
  'Sign-in': 'Ways into the console.',
  Console: 'What the console does for an account. Needs a session cookie.',
  Administration: 'What the console does for administrators. Needs a session of one.',
} as const

const sessionScheme = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'tollgate.session_token',
    description: 'Set by POST /api/v1/auth/sign-in/email.',
  },
} as const

/** The console's API as OpenAPI paths, from its routes' own schemas. */
function consolePaths(api: AnyElysia): Record<string, Record<string, unknown>> {
  const bodies = bodiesOf(api)
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [path, methods] of Object.entries(toOpenAPISchema(api, { staticFile: false }).paths)) {
    if (!path.startsWith('/api/v1/')) continue
    const described = Object.entries(methods ?? {}).map(([method, operation]) => [
      method,
      secured(operation, bodies.get(`${method.toUpperCase()} ${path}`)),
    ])
    paths[path] = Object.fromEntries(described)
  }
  return paths
}

/** Body schemas by method and path: a parser of our own hides them from the library. */
function bodiesOf({ routes }: AnyElysia): ReadonlyMap<string, unknown> {
  return new Map(
    routes.flatMap(({ method, path, hooks }) => {
      const body: unknown = hooks?.body
      const place = `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`
      return typeof body === 'object' && body !== null ? [[place, body] as const] : []
    }),
  )
}

/** Adds who may ask; `security: []` means everybody. */
function secured(operation: unknown, body: unknown): unknown {
  if (typeof operation !== 'object' || operation === null) return operation
  const { security, responses, ...rest }: Described = operation
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
      ...(!isOpen && { 401: { description: 'Not signed in.' } }),
      403: { description: 'Not allowed for the signed-in account, or sent by another site.' },
    },
  }
}

interface Described {
  readonly security?: readonly unknown[]
  readonly responses?: { readonly [status: string]: unknown }
}
