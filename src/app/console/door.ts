import { type AnyElysia, Elysia } from 'elysia'
import type { Logger } from '../../lib/log.ts'
import type { ConsoleApp } from './app.ts'
import type { ConsoleParts } from './parts.ts'

interface Sockets {
  requestIP(request: Request): { address: string } | null
  timeout(request: Request, seconds: number): void
}

/** Named parameters, as wildcards miss short hosts; the console needs no more levels. */
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
  const routes: AnyElysia = new Elysia({ name: 'console.door' })
  for (const path of paths) {
    routes.all(path, ({ request, server }) => enter(request, server), { parse: 'none' })
  }
  return {
    routes,
    api: async (): Promise<AnyElysia> => (await load()).api,
    /** Ends the live views, which would keep their connections open. */
    close(): void {
      loading?.then(
        (console) => console.close(),
        () => {}, // it failed to load, which is logged already
      )
    },
    /** Stops the console if it was loaded. */
    async stop(): Promise<void> {
      const console = await loading?.catch(() => undefined)
      await console?.stop()
    },
  }
}
