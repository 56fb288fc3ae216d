import { LRUCache } from 'lru-cache'
import { growing } from '../../lib/cache-options.ts'
import { ApiError } from '../api-error.ts'
import { failureOf } from './failures.ts'
import type { LibraryParts, LibraryUse, OidcProvider } from './library.ts'

/** What the configuration says of signing in; read anew at each request. */
export interface SignInSettings {
  readonly siteName: string
  readonly mayRegister: boolean
  readonly providers: readonly OidcProvider[]
}

/** What must be known of a request, and can't be taken from what a client may write. */
export interface RequestFacts {
  addressOf(request: Request): string
  /** Whether it came by TLS, to us or to a trusted proxy. */
  isSecure(request: Request): boolean
}

/** One request to the sign-in library. */
export interface LibraryCall {
  /** The request of the client: its cookies and its address count. */
  readonly request: Request
  readonly method: 'GET' | 'POST'
  /** Of the library, such as `/sign-in/email`; may have a query. */
  readonly path: string
  readonly body?: object
  /** Whether an OIDC provider is needed for it. */
  readonly needsProviders?: boolean
}

/** What it answered. */
export interface LibraryReply {
  readonly data: { readonly [field: string]: unknown }
  readonly cookies: readonly string[]
  /** Where the browser is sent; null: nowhere. */
  readonly location: string | null
}

export interface Library {
  /** Throws `ApiError` for every refusal. */
  call(call: LibraryCall): Promise<LibraryReply>
}

/** Hosts that the console is opened by at once: an instance of the library is made for each. */
const mostInstances = 8

/** The headers of a client that the library sees. */
const passed = ['cookie', 'user-agent', 'accept-language']

interface CallParts extends LibraryParts {
  readonly settings: () => SignInSettings
  readonly facts: RequestFacts
}

/** Loads the library when it is first needed, and asks it in the name of clients. */
export function createLibraryCaller(parts: CallParts): Library {
  const { settings, facts } = parts
  type Instance = { handler(request: Request): Promise<Response> }
  const instances = new LRUCache<string, Promise<Instance>>(growing(mostInstances))

  function instanceFor(use: LibraryUse): Promise<Instance> {
    // What is configured is part of the key: a change makes another instance.
    const key = parts.secrets.keyedHash(JSON.stringify(use))
    const made =
      instances.get(key) ??
      import('./library.ts').then((module) => module.createLibrary(parts, use))
    instances.set(key, made)
    made.catch(() => instances.delete(key))
    return made
  }

  return {
    async call({ request, method, path, body, needsProviders = false }) {
      const { siteName, mayRegister, providers } = settings()
      const isSecure = facts.isSecure(request)
      const origin = originOf(request, isSecure)
      const used = needsProviders ? providers : []
      const use = { siteName, isSecure, origin, mayRegister, providers: used }
      const { handler } = await instanceFor(use)
      const { addressHeader, libraryPath } = await import('./library.ts')
      const headers = new Headers({ origin, [addressHeader]: facts.addressOf(request) })
      for (const name of passed) {
        const value = request.headers.get(name)
        if (value !== null) headers.set(name, value)
      }
      if (method === 'POST') headers.set('content-type', 'application/json')
      const inner = new Request(origin + libraryPath + path, {
        method,
        headers,
        ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
      })
      return readReply(await handler(inner))
    },
  }
}

/** The origin that the console was opened by. Throws for a host that is none. */
function originOf(request: Request, isSecure: boolean): string {
  const host = request.headers.get('host') ?? new URL(request.url).host
  const url = URL.parse(`${isSecure ? 'https' : 'http'}://${host}`)
  if (!/^[\w.:[\]-]+$/.test(host) || url === null) {
    throw new ApiError('invalid_value', 'The Host header is not a host.')
  }
  return url.origin
}

async function readReply(response: Response): Promise<LibraryReply> {
  const text = await response.text()
  const data = parse(text)
  if (response.status >= 400) {
    throw failureOf(response.status, data, response.headers.getSetCookie())
  }
  const location = response.headers.get('location')
  return { data, cookies: response.headers.getSetCookie(), location }
}

function parse(text: string): { readonly [field: string]: unknown } {
  if (!/^\s*[[{]/.test(text)) return {}
  const value: unknown = JSON.parse(text)
  if (Array.isArray(value)) return { items: value }
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
