import { KindGuard, type TSchema, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Clock } from '../lib/clock.ts'
import type { ValueKind } from '../resources/values.ts'
import { FeedDocument, FeedFailure } from '../site/feed/schema.ts'
import { PlazaDocument } from '../site/plaza/schema.ts'
import { type Published, publish, respond } from '../site/published.ts'
import { type JsonSchema, toJsonSchema, toSchemaDocument, wordsOf } from '../site/schemas.ts'
import { SettingsDocument } from '../site/settings/schema.ts'
import { StatusDocument } from '../site/status/schema.ts'
import { ConfigFile } from './config/schema.ts'

const feed = Type.Union([FeedDocument, FeedFailure], {
  title: 'Price feed',
  description: 'Final prices per model and group; with success false, why there are none.',
})

/** The published schemas by the names of `tollgate schema`: their file and their content. */
export const schemas = {
  feed: { file: 'feed.json', content: () => toSchemaDocument('feed', feed) },
  plaza: { file: 'plaza.json', content: () => toSchemaDocument('plaza', PlazaDocument) },
  settings: {
    file: 'settings.json',
    content: () => toSchemaDocument('settings', SettingsDocument),
  },
  status: { file: 'status.json', content: () => toSchemaDocument('status', StatusDocument) },
  config: { file: 'tollgate.yaml.json', content: configJsonSchema },
} as const satisfies Record<string, { file: string; content: () => JsonSchema }>

export const schemaPath = (file: string) => `/schemas/${file}`

/** Routes of the schema files, each built on first request. */
export function schemaRoutes(clock: Clock) {
  const app = new Elysia({ name: 'site.schemas' })
  for (const { file, content } of Object.values(schemas)) {
    let published: Promise<Published> | undefined
    app.get(
      schemaPath(file),
      async ({ request }) => {
        published ??= publish(`${JSON.stringify(content(), null, 2)}\n`, undefined, clock())
        return respond(request, await published)
      },
      { parse: 'none' },
    )
  }
  return app
}

/** Schemas of public documents by name, for the API documentation. */
export const documentSchemas = (): Readonly<Record<string, JsonSchema>> => ({
  feed: schemas.feed.content(),
  plaza: schemas.plaza.content(),
  settings: schemas.settings.content(),
  status: schemas.status.content(),
})

/** The JSON Schema of tollgate.yaml for editors: any value may be text or a variable reference. */
export function configJsonSchema(): JsonSchema {
  return { ...toSchemaDocument('tollgate.yaml', ConfigFile, rewriteValue), $defs: { reference } }
}

const reference = {
  type: 'string',
  pattern: '\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}',
  description: `\${NAME} reads an environment variable.`,
}

/** Texts that may look like a number or a flag, such as a model called 4 or a password 12345. */
const anyScalar: ReadonlySet<string> = new Set<ValueKind>(['text', 'name', 'key', 'password'])

function rewriteValue(part: TSchema): JsonSchema | undefined {
  const { description, reads, writeOnly } = part
  if (typeof reads === 'string') {
    const numbers = KindGuard.IsUnion(part) ? ['number'] : []
    const others = anyScalar.has(reads) ? ['number', 'boolean'] : numbers
    const type = others.length > 0 ? ['string', ...others] : 'string'
    return { type, description, ...(writeOnly && { writeOnly }) }
  }
  const isValue =
    KindGuard.IsBoolean(part) || KindGuard.IsInteger(part) || KindGuard.IsLiteral(part)
  if (!isValue && !wordsOf(part)) return undefined
  const { description: _, ...value } = toJsonSchema(part)
  return { description, anyOf: [value, { $ref: '#/$defs/reference' }] }
}
