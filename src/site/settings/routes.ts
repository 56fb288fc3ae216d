import { Elysia } from 'elysia'
import { respond } from '../published.ts'
import type { Publication } from '../snapshot.ts'

/** Where the public settings are. */
export const settingsPath = '/api/v1/settings/public'

/** The public settings, open to all (CONTRACT 6). */
export function settingsRoutes(settings: Pick<Publication, 'current' | 'idle'>) {
  return new Elysia({ name: 'site.settings' }).get(
    settingsPath,
    async ({ request }) => {
      if (settings.current() === undefined) await settings.idle()
      const published = settings.current()
      return published ? respond(request, published) : unavailable()
    },
    { parse: 'none' },
  )
}

const unavailable = () =>
  Response.json(
    { code: 503, message: 'The settings are not available at present. Try again in a minute.' },
    { status: 503, headers: { 'cache-control': 'no-store', 'retry-after': '60' } },
  )
