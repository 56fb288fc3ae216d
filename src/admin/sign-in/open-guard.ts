import { Elysia } from 'elysia'
import { checkOrigin } from '../access.ts'
import { success } from '../envelope.ts'
import { readJson } from '../read-json.ts'
import type { Outcome } from './parts.ts'

/** More is no sign-in. */
const maxBytes = 64 * 1024

/**
 * The guard of routes for who is not signed in yet: refuses pages of other sites (403), and all
 * bodies but JSON of at most 64 KiB.
 */
export const openGuard = (origins: () => readonly string[]) =>
  new Elysia({ name: 'admin.open' })
    .onParse({ as: 'scoped' }, ({ request }) => {
      checkOrigin(request, origins())
      return readJson(request, maxBytes)
    })
    .onBeforeHandle({ as: 'scoped' }, ({ request }) => checkOrigin(request, origins()))

/**
 * An outcome as an answer, with its cookies. A whole response: what a handler says by `set` is lost
 * in the compiled program when another function says it.
 */
export function answer<Data>({ data, cookies }: Outcome<Data>): Response {
  const headers = new Headers({ 'cache-control': 'no-store' })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return Response.json(success(data), { headers })
}
