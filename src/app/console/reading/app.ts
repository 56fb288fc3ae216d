import { Elysia } from 'elysia'
import { createGuard, type SignedIn } from '../../../admin/access.ts'
import { renderError } from '../../../admin/errors.ts'
import { readingApi } from '../../../admin/reading-api.ts'
import { pageNotFound } from '../../../gateway/errors.ts'
import { compress } from './compress.ts'
import { createReadingServices, type ReadingParts } from './services.ts'

/** What is read, as an application of its own. `who` has been found by the session already. */
export function createReadingApp(parts: ReadingParts) {
  const people = new WeakMap<Request, SignedIn>()
  const guard = createGuard({
    sessions: { find: async (request) => people.get(request) },
    origins: () => [], // asked for changes only, and nothing is changed here
  })
  const app = new Elysia({ strictPath: true })
    .onError(({ code, error }) =>
      code === 'NOT_FOUND' ? pageNotFound() : renderError(code, error, parts.log),
    )
    .use(readingApi(guard, createReadingServices(parts)))
  return {
    async handle(request: Request, who: SignedIn): Promise<Response> {
      people.set(request, who)
      return compress(request, await app.handle(request))
    },
  }
}
