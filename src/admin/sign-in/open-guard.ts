import { Elysia } from 'elysia'
import { checkOrigin } from '../access.ts'
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

/** What a handler may say of its answer's head. */
export interface AnswerHead {
  readonly headers: { 'set-cookie'?: string | string[]; 'cache-control'?: string }
}

/** Puts the cookies of an outcome into the answer; returns what the client is told. */
export function deliver<Data>({ headers }: AnswerHead, { data, cookies }: Outcome<Data>): Data {
  headers['cache-control'] = 'no-store'
  if (cookies.length > 0) headers['set-cookie'] = [...cookies]
  return data
}
