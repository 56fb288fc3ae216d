import { ApiError } from './api-error.ts'

const sent = new WeakMap<Request, unknown>()

/** Remembers what the client sent, for `requireWhole`. */
export function remember<Body>(request: Request, body: Body): Body {
  sent.set(request, body)
  return body
}

/**
 * Throws where a handler would get less than the client sent: before it validates, Elysia makes `{}` of what should be
 * an object and is none, and drops fields that the schema does not name. `{"budget": 5}` would be a token without one.
 */
export function requireWhole(request: Request, body: unknown): void {
  if (sent.has(request)) compare(sent.get(request), body, '')
}

function compare(given: unknown, kept: unknown, path: string): void {
  if (given === kept) return
  if (Array.isArray(kept) && Array.isArray(given)) {
    for (const [at, one] of kept.entries()) compare(given[at], one, `${path}[${at}]`)
  } else if (isMap(kept)) {
    if (!isMap(given)) throw noObject(path || 'body')
    for (const name of Object.keys(given)) {
      const field = path === '' ? name : `${path}.${name}`
      if (!Object.hasOwn(kept, name)) throw unknown(field)
      compare(given[name], kept[name], field)
    }
  }
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const noObject = (field: string) =>
  new ApiError('invalid_value', `${field}: write an object: names and values in braces.`, { field })

const unknown = (field: string) =>
  new ApiError('invalid_value', `${field}: nothing here has a field of this name.`, { field })
