import { describe, expect, test } from 'bun:test'
import { KindGuard, type TSchema } from '@sinclair/typebox'
import { createFirstFile } from '../../../src/app/config/first-file.ts'
import { loadConfig } from '../../../src/app/config/load.ts'
import { ConfigFile } from '../../../src/app/config/schema.ts'
import { createTemplate } from '../../../src/app/config/template.ts'
import { quirkNames, quirks } from '../../../src/protocols/canonical/quirks.ts'
import { noLimits } from '../../support/no-limits.ts'

const template = createTemplate('sk-0123456789abcdef0123456789')
const env = { OPENAI_API_KEY: 'key', ADMIN_PASSWORD: 'password' }
const load = (text: string) => loadConfig({ text, file: 'tollgate.yaml', env })

test('loads without problems or warnings and can answer a request', () => {
  const loaded = load(template)
  expect(loaded).toMatchObject({ ok: true, warnings: [] })
  const { channels, groups, prices, accounts } = loaded.ok
    ? loaded.config
    : { channels: [], groups: [], prices: [], accounts: [] }
  const token = accounts[0]?.tokens[0]
  expect(token?.key).toBe('sk-0123456789abcdef0123456789')
  expect(groups.map(({ name }) => name)).toContain(token?.group ?? '')
  expect(groups[0]?.channels).toEqual(channels.map(({ name }) => name))
  expect(prices.map(({ model }) => model)).toEqual(channels[0]?.models.map(({ id }) => id) ?? [])
})

describe('the file of a gateway that is set up in its console', () => {
  const first = createFirstFile('sk-0123456789abcdef0123456789')
  const awake = (text: string) => text.replace(/^( *)#(?=\S)/gm, '$1')
  const withoutHead = (text: string) => text.slice(text.indexOf('# Where and how'))

  test('needs no variables, and names nothing that the console sets', () => {
    const loaded = loadConfig({ text: first, file: 'tollgate.yaml', env: {} })
    if (!loaded.ok) throw new Error(JSON.stringify(loaded))
    const nothing = loadConfig({ text: '', file: 'tollgate.yaml', env: {} })
    if (!nothing.ok) throw new Error(JSON.stringify(nothing))
    expect(loaded.config).toEqual(nothing.config)
    expect(loaded.warnings).toEqual([])
  })

  test('has all of it as comments', () => {
    expect(withoutHead(awake(first))).toBe(withoutHead(awake(template)))
  })
})

test('names the missing variables when they are not set', () => {
  const loaded = loadConfig({ text: template, file: 'f', env: {} })
  const messages = loaded.ok ? [] : loaded.problems.map(({ message }) => message)
  expect(messages).toEqual([
    'channels[0].api_key refers to the environment variable OPENAI_API_KEY, which is not set',
    'accounts[0].password refers to the environment variable ADMIN_PASSWORD, which is not set',
  ])
})

test('still loads with every setting at rest put to use, and then says the same', () => {
  const awake = template.replace(/^( *)#(?=\S)/gm, '$1')
  expect(awake).not.toBe(template)
  const [asleep, all] = [load(template), load(awake)]
  if (!asleep.ok || !all.ok) throw new Error(JSON.stringify(all))
  // What is shown at rest is the default, but where there is none.
  expect(all.config.settings).toEqual({
    ...asleep.config.settings,
    countryHeader: 'CF-IPCountry',
  })
  expect(all.config.server).toEqual({
    ...asleep.config.server,
    trustedProxies: ['127.0.0.1', '::1'],
    metrics: { host: '127.0.0.1', port: 9464 },
    ...{ memoryBytes: 2 ** 31, maxRequests: 10_000, maxConnections: 20_000 },
  })
  expect(all.config.store).toEqual(asleep.config.store)
  expect(asleep.config.counters).toBeNull()
  expect([asleep.config.updates, all.config.updates]).toEqual([
    null,
    'https://releases.example.com/tollgate/latest.json',
  ])
  expect(all.config.counters?.url).toBe('redis://user:password@counters.example.com:6379/0')
  // Left out, these four stay as they are in the database.
  const first = { creditLimitNano: 0, balanceLowNano: null, limits: noLimits, regions: null }
  expect(all.config.accounts).toEqual(asleep.config.accounts.map((one) => ({ ...one, ...first })))
  // And these have no default.
  const proxy = 'http://user:password@proxy.example.com:3128'
  const set = { proxy, probe: { everyMs: 60_000, model: 'gpt-5-mini' } }
  expect(all.config.channels.map((channel) => ({ ...channel, speaks: 0 }))).toEqual(
    asleep.config.channels.map((channel) => ({ ...channel, ...set, speaks: 0 })),
  )
})

/** Every key of a schema with its description. */
function keysOf(schema: TSchema): { key: string; description: string | undefined }[] {
  if (KindGuard.IsObject(schema))
    return Object.entries(schema.properties).flatMap(([key, inner]) => [
      { key, description: inner.description },
      ...keysOf(inner),
    ])
  if (KindGuard.IsArray(schema)) return keysOf(schema.items)
  if (KindGuard.IsUnion(schema)) return schema.anyOf.flatMap((inner) => keysOf(inner))
  return KindGuard.IsRecord(schema)
    ? Object.values(schema.patternProperties).flatMap((inner) => keysOf(inner))
    : []
}

test('explains every key of the schema', () => {
  const missing = keysOf(ConfigFile).filter(({ key }) => !new RegExp(`\\b${key}:`).test(template))
  expect(missing).toEqual([])
})

test('explains every quirk', () => {
  for (const name of quirkNames) expect(template).toContain(`#   ${name}: ${quirks[name].title}\n`)
})

test('every key of the schema has a description', () => {
  const keys = keysOf(ConfigFile)
  expect(keys.length).toBeGreaterThan(60)
  expect(keys.filter(({ description }) => !description)).toEqual([])
})
