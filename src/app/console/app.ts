import { type AnyElysia, Elysia } from 'elysia'
import { createGuard } from '../../admin/access.ts'
import { adminApi } from '../../admin/api.ts'
import { renderError } from '../../admin/errors.ts'
import { readingApi } from '../../admin/reading-api.ts'
import { pageNotFound } from '../../gateway/errors.ts'
import { createConsoleFiles } from './files.ts'
import type { ConsoleParts, Peer } from './parts.ts'
import { compressJson } from './reading/compress.ts'
import { createReader, createReadingPaths } from './reading/reader.ts'
import { createFacts, createServices } from './services.ts'

export type ConsoleApp = Awaited<ReturnType<typeof createConsoleApp>>

/** The console and its API, wired. Throws when its files can't be read. */
export async function createConsoleApp(parts: ConsoleParts) {
  const peers = new WeakMap<Request, Peer>()
  const { store, clock, log } = parts
  const facts = createFacts(parts)
  const { services, sessions, close, stop } = createServices(parts, facts, (request) =>
    peers.get(request),
  )
  const guard = createGuard(sessions, services.origins)
  const files = await createConsoleFiles(() => parts.config().site)
  const api = adminApi(guard, services, log)
  const reader = store.place && createReader({ place: store.place, facts, clock, log })
  const isReading = createReadingPaths(readingApi(guard, services).routes, api.routes)
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } })
    .onError(({ code }) => (code === 'NOT_FOUND' ? pageNotFound() : undefined))
    .use(api)
    .use(files.routes)

  /** Answers a read in the reading process; undefined: this process answers it. Rejects unsigned requests. */
  async function readElsewhere(request: Request, peer: Peer): Promise<Response | undefined> {
    if (!reader || !isReading(request)) return undefined
    try {
      const who = await sessions.find(request)
      return who && (await reader.answer(request, who, peer.limitSilence))
    } catch (error) {
      return renderError({ code: 'UNKNOWN', error, request }, log)
    }
  }

  return {
    api: api as AnyElysia,
    async handle(request: Request, peer: Peer): Promise<Response> {
      peers.set(request, peer)
      const response =
        (await readElsewhere(request, peer)) ??
        (await compressJson(request, await app.handle(request)))
      keepToYourself(response.headers)
      return response
    },
    close,
    async stop(): Promise<void> {
      await reader?.close()
      await stop()
    },
  }
}

/** Without its own cache rules an answer is private to one person and moment, and its type is fixed. */
function keepToYourself(headers: Headers): void {
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
  headers.set('x-content-type-options', 'nosniff')
}
