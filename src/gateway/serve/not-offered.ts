import type { Protocol } from '../../protocols/protocol.ts'
import { protocolOf } from '../admit/options.ts'
import { type Context, httpCall, isBeta } from '../context.ts'
import { GatewayError } from '../errors.ts'
import { type GuardParts, guarded } from './guarded.ts'
import { publishedIn } from './published-paths.ts'

/** Answers a path that is not offered; undefined: nobody publishes it. */
export type NotOffered = (
  context: Pick<Context, 'request' | 'server'>,
) => Promise<Response> | undefined

/**
 * CONTRACT 2.3: what a vendor publishes and is not offered here is, with a good key, a 404 in the shape
 * of its protocol, so that its SDK shows the reason.
 */
export function createNotOffered(parts: GuardParts): NotOffered {
  return ({ request, server }) => {
    const path = /^\w+:\/\/[^/]*([^?#]*)/.exec(request.url)?.[1] ?? ''
    const name = publishedIn(request.method, path)
    if (name === undefined) return undefined
    const call = httpCall({ request, server, params: {} }, isBeta(request))
    return guarded(parts, { call, protocol: shapeFor(request, protocolOf(name)) }, () => {
      const message = `This gateway does not offer ${request.method} ${shown(path)}. What it offers is in /docs.`
      throw new GatewayError('not_offered', message)
    })
  }
}

/** Two vendors have files, skills and agents of their own: their SDKs tell who they are. */
function shapeFor({ headers }: Request, published: Protocol): Protocol {
  if (headers.has('anthropic-version')) return protocolOf('messages')
  return headers.has('x-goog-api-key') ? protocolOf('gemini') : published
}

/** Ids in it are the client's own, and may be of any length. */
const shown = (path: string) => (path.length > 200 ? `${path.slice(0, 200)}…` : path)
