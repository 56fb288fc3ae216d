import { Elysia } from 'elysia'
import { createGuard, type SignedIn } from '../../../admin/access.ts'
import { isFile } from '../../../admin/download.ts'
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
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } })
    .onError(({ code, error }) =>
      code === 'NOT_FOUND' ? pageNotFound() : renderError(code, error, parts.log),
    )
    .use(readingApi(guard, createReadingServices(parts)))
  return {
    async handle(request: Request, who: SignedIn): Promise<Response> {
      const isHead = request.method === 'HEAD'
      // It tells of what GET would give: this is made, and kept back.
      const asked = isHead ? new Request(request, { method: 'GET' }) : request
      people.set(asked, who)
      const answer = await compress(asked, await app.handle(asked))
      return isHead ? headOf(answer) : answer
    },
  }
}

/** With the length of what is kept back, but for a file: nobody knows how long that would be. */
async function headOf(answer: Response): Promise<Response> {
  const { status, headers, body } = answer
  if (isFile(headers)) {
    // Not waited for: it ends what it has begun, and that ends when this answer does.
    body?.cancel().catch(() => {})
    return new Response(null, answer)
  }
  const { byteLength } = await answer.arrayBuffer()
  headers.set('content-length', String(byteLength))
  return new Response(null, { status, headers })
}
