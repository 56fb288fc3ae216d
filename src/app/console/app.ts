import { type AnyElysia, Elysia } from 'elysia'
import { createGuard } from '../../admin/access.ts'
import { adminApi } from '../../admin/api.ts'
import { pageNotFound } from '../../gateway/errors.ts'
import { createConsoleFiles } from './files.ts'
import type { ConsoleParts, Peer } from './parts.ts'
import { createServices } from './services.ts'

/** The console and its API, wired. */
export interface ConsoleApp {
  /** Its API alone. */
  readonly api: AnyElysia
  handle(request: Request, peer: Peer): Promise<Response>
  /** Ends the live views. */
  close(): void
  stop(): Promise<void>
}

/** Builds the console once. Throws when its files can't be read. */
export async function createConsoleApp(parts: ConsoleParts): Promise<ConsoleApp> {
  const peers = new WeakMap<Request, Peer>()
  const { services, sessions, close, stop } = createServices(parts, (request) => peers.get(request))
  const guard = createGuard({ sessions, origins: services.origins })
  const files = await createConsoleFiles()
  const api = adminApi(guard, services, parts.log)
  const app = new Elysia({ strictPath: true })
    .onError(({ code }) => (code === 'NOT_FOUND' ? pageNotFound() : undefined))
    .use(api)
    .use(files.routes)
  return {
    api,
    async handle(request, peer) {
      peers.set(request, peer)
      const response = await app.handle(request)
      keepToYourself(response.headers)
      return response
    },
    close,
    stop,
  }
}

/** What is not said to be kept is of one person and one moment, and never another kind of file. */
function keepToYourself(headers: Headers): void {
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
  headers.set('x-content-type-options', 'nosniff')
}
