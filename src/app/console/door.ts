import { type AnyElysia, Elysia } from 'elysia'
import { pageNotFound } from '../../gateway/errors.ts'
import type { Logger } from '../../lib/log.ts'
import type { ConsoleApp } from './app.ts'
import type { ConsoleParts } from './parts.ts'

/** Knows the sockets of requests. */
interface Sockets {
  requestIP(request: Request): { address: string } | null
  timeout(request: Request, seconds: number): void
}

/** Named parameters: wildcards miss short hosts. So many levels are enough for the console. */
const paths = [
  '/console',
  '/console/',
  ...['/console', '/api/v1'].flatMap((base) =>
    ['/:a', '/:a/:b', '/:a/:b/:c', '/:a/:b/:c/:d', '/:a/:b/:c/:d/:e'].map((rest) => base + rest),
  ),
]

/** Routes to the console and its API, which are loaded on first use to save memory. */
export function createConsoleDoor(parts: ConsoleParts, log: Logger) {
  let loading: Promise<ConsoleApp> | undefined
  const load = () => {
    loading ??= import('./app.ts').then(({ createConsoleApp }) => createConsoleApp(parts))
    loading.catch((error: unknown) => {
      loading = undefined
      log.error('the console could not be loaded', { error: String(error) })
    })
    return loading
  }
  const enter = async (request: Request, server: Sockets | null) => {
    const console = await load()
    return console.handle(request, {
      address: server?.requestIP(request)?.address ?? '',
      limitSilence: (seconds) => server?.timeout(request, seconds),
    })
  }
  const routes: AnyElysia = new Elysia({ name: 'console.door' }).get('/', ({ request }) =>
    isBrowser(request) ? toConsole() : pageNotFound(),
  )
  for (const path of paths) {
    routes.all(path, ({ request, server }) => enter(request, server), { parse: 'none' })
  }
  return {
    routes,
    /** The console's API, for its documentation. */
    api: async (): Promise<AnyElysia> => (await load()).api,
    /** Ends the live views: they would keep their connections as long as they can. */
    close(): void {
      loading?.then(
        (console) => console.close(),
        () => {}, // it was not loaded, which the log has told
      )
    },
    /** Ends what the console has begun; nothing when nobody came. */
    async stop(): Promise<void> {
      const console = await loading?.catch(() => undefined)
      await console?.stop()
    },
  }
}

/** People are led to the console; a program that asks here has a wrong path, and is told so. */
const isBrowser = ({ headers }: Request) => headers.get('accept')?.includes('text/html') ?? false

const toConsole = () =>
  new Response(null, {
    status: 302,
    headers: { location: '/console', 'cache-control': 'no-cache' },
  })
