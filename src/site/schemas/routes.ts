import { Elysia } from 'elysia'
import type { Clock } from '../../lib/clock.ts'
import { type Published, publish, respond } from '../published.ts'
import type { JsonSchema } from './json-schema.ts'

/** Where a schema file is. */
export const schemaPath = (file: string) => `/schemas/${file}`

/** Schema files, each made when it is first asked for. */
export function schemaRoutes(files: Readonly<Record<string, () => JsonSchema>>, clock: Clock) {
  const app = new Elysia({ name: 'site.schemas' })
  for (const [file, schema] of Object.entries(files)) {
    let published: Promise<Published> | undefined
    app.get(
      schemaPath(file),
      async ({ request }) => {
        published ??= publish(`${JSON.stringify(schema(), null, 2)}\n`, undefined, clock())
        return respond(request, await published)
      },
      { parse: 'none' },
    )
  }
  return app
}
