import { timingSafeEqual } from 'node:crypto'
import type { AnyElysia } from 'elysia'
import type { Context } from '../../gateway/context.ts'
import type { Logger } from '../../lib/log.ts'

/** Where the keeper answers what workers pass on, and the secret that workers show there. */
export interface PagesPlace {
  /** An abstract Unix socket: it begins with a zero byte. */
  readonly socket: string
  readonly secret: string
}

/** Of a request that is passed on: the worker's proof, and the address of the client's connection. */
const proofHeader = 'x-tollgate-proof'
const peerHeader = 'x-tollgate-peer'

/** Headers of one connection, which says nothing of the next; bodies get a length or chunks again. */
const ofConnection = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade'],
  ...['transfer-encoding', 'content-length', proofHeader, peerHeader],
])

/** Answers all routes of the keeper to its workers. */
export function listenForPages(app: AnyElysia, { socket, secret }: PagesPlace, log: Logger) {
  const proof = Buffer.from(secret)
  const isProved = ({ headers }: Request) => {
    const shown = Buffer.from(headers.get(proofHeader) ?? '')
    return shown.byteLength === proof.byteLength && timingSafeEqual(shown, proof)
  }
  const server = Bun.serve({
    unix: socket,
    development: false,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: (request) =>
      isProved(request) ? app.fetch(request) : new Response(null, { status: 403 }),
    error(error) {
      log.error('unhandled error', { error })
      return new Response('The gateway failed.\n', { status: 500 })
    },
  })
  const peers = {
    requestIP: ({ headers }: Request) => ({ address: headers.get(peerHeader) ?? '' }),
    timeout() {},
  }
  app.server = peers as unknown as typeof app.server
  return {
    close: (): Promise<void> => server.stop(false),
    drop: (): void => void server.stop(true),
  }
}

/** Passes a request on to the keeper, and its answer back, both as they come. */
export function createPassOn({ socket, secret }: PagesPlace) {
  return async ({ request, server }: Pick<Context, 'request' | 'server'>): Promise<Response> => {
    server?.timeout(request, 0) // long answers are the keeper's to limit
    const headers = kept(request.headers)
    headers.set(proofHeader, secret)
    headers.set(peerHeader, server?.requestIP(request)?.address ?? '')
    try {
      const answer = await fetch(`http://keeper${targetOf(request.url)}`, {
        ...{ unix: socket, method: request.method, headers, body: request.body },
        ...{ signal: request.signal, redirect: 'manual', decompress: false },
      })
      return new Response(answer.body, { status: answer.status, headers: kept(answer.headers) })
    } catch {
      return restarting()
    }
  }
}

/**
 * Path and query of a request. The runtime's URL has no host where the client named none (HTTP/1.0, as load balancers
 * ask for readiness), or an unusable one; the `host` header is passed on as it is.
 */
const targetOf = (url: string): string =>
  url.startsWith('/') ? url : url.slice(url.indexOf('/', url.indexOf('//') + 2))

function kept(headers: Headers): Headers {
  const copy = new Headers()
  for (const [name, value] of headers) if (!ofConnection.has(name)) copy.append(name, value)
  return copy
}

const restarting = () =>
  new Response('The gateway is starting again. Try again in a second.\n', {
    status: 503,
    headers: { 'retry-after': '1' },
  })
