import { describe, expect, test } from 'bun:test'
import { KindGuard, OptionalKind, type TSchema } from '@sinclair/typebox'
import { Command } from 'commander'
import { planChanges } from '../../src/app/config/diff.ts'
import { type LoadedEntry, loadEntry } from '../../src/app/config/fragment.ts'
import { loadConfig } from '../../src/app/config/load.ts'
import { accountsText, configBeforeAccounts } from '../../src/app/console/config-export/service.ts'
import { configState } from '../../src/app/console/config-export/state.ts'
import { publicName } from '../../src/billing/extras.ts'
import { addSetOptions, fieldLines, namedFields, requireSome } from '../../src/cli/field-options.ts'
import { createSecretBox } from '../../src/lib/secrets.ts'
import { accountFields } from '../../src/resources/account.ts'
import { channelFields } from '../../src/resources/channel.ts'
import type { AnyField, Definition } from '../../src/resources/field.ts'
import { groupFields } from '../../src/resources/group.ts'
import { priceDefinitions, priceValues, rateFields } from '../../src/resources/price.ts'
import {
  fromColumns,
  fromFile,
  initialValues,
  onlyNamed,
  placesOf,
  planFields,
  toColumns,
  toFile,
  toReport,
  toView,
  toWritten,
} from '../../src/resources/resource.ts'
import { tokenFields } from '../../src/resources/token.ts'
import { openStore } from '../support/empty-store.ts'

// Every field of every resource, by its definition alone: a field that is added is tested here.

const header = 'CF-IPCountry'

interface Resource {
  readonly definition: Definition
  /** What an entry needs beside its fields. */
  readonly needs: object
  readonly load: (entry: object) => LoadedEntry<object>
}

function loadPrice(entry: object): LoadedEntry<object> {
  const loaded = loadEntry.price(entry)
  return loaded.ok ? { ...loaded, value: priceValues(loaded.value) } : loaded
}

const resources: { readonly [name: string]: Resource } = {
  account: {
    definition: accountFields,
    needs: { email: 'kim@example.com' },
    load: (entry) => loadEntry.account(entry, header),
  },
  token: { definition: tokenFields, needs: { key: 'sk-0123456789abcdef' }, load: loadEntry.token },
  group: {
    definition: groupFields,
    needs: { name: 'main' },
    load: (entry) => loadEntry.group(entry, header),
  },
  channel: {
    definition: channelFields,
    needs: { name: 'up', api_key: 'secret' },
    load: loadEntry.channel,
  },
  'price by token': { definition: priceDefinitions.tokens, needs: {}, load: loadPrice },
  'price by call': { definition: priceDefinitions.call, needs: {}, load: loadPrice },
  'price of nothing': { definition: priceDefinitions.free, needs: {}, load: loadPrice },
}

const texts: { readonly [kind: string]: string } = {
  ...{ name: 'up', text: 'some words', url: 'https://a.example/v1', email: 'kim@example.com' },
  ...{ usd: '2.5', multiplier: '0.8', duration: '7s', block: '10.0.0.0/8', country: 'CN' },
  'date-time': '2031-01-02T03:04:05.000Z',
  ...{ price: '0.25', 'tool-price': '10' },
}

/** A value of the file that differs from what holds without it. */
function sampleOf(schema: TSchema, usual?: unknown): unknown {
  if (typeof schema.reads === 'string') return texts[schema.reads]
  if (KindGuard.IsBoolean(schema)) return usual !== true
  if (KindGuard.IsLiteral(schema)) return schema.const
  if (KindGuard.IsRecord(schema))
    return { flex: sampleOf(Object.values(schema.patternProperties)[0] ?? schema) }
  if (KindGuard.IsInteger(schema)) return Number(schema.minimum ?? 0) + 7
  if (KindGuard.IsArray(schema)) return [sampleOf(schema.items)]
  if (KindGuard.IsUnion(schema)) {
    const words = schema.anyOf.filter(KindGuard.IsLiteral).map((word) => word.const)
    if (words.length > 0) return words.find((word) => word !== usual)
    return sampleOf(schema.anyOf[0] ?? schema, usual)
  }
  if (!KindGuard.IsObject(schema)) throw new Error(`No sample of ${JSON.stringify(schema)}.`)
  const all = Object.entries(schema.properties).map(([key, one]) => [key, sampleOf(one)])
  // Of what needs one at least, the others may be against it.
  return Object.fromEntries(schema.minProperties ? all.slice(0, 1) : all)
}

const samplesOf = (definition: Definition): { readonly [key: string]: unknown } =>
  Object.fromEntries(
    Object.entries(definition).map(([key, field]) => {
      if ('part' in field) return [key, samplesOf(field.part)]
      const usual = field.toFile(field.initial)
      return [field.fileKey ?? key, sampleOf(field.file, usual)]
    }),
  )

function entryOf(loaded: LoadedEntry<object>): object {
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
  return loaded.value
}

const isOne = ({ file }: AnyField) => {
  const schema = KindGuard.IsUnion(file) && !file.reads ? (file.anyOf[0] ?? file) : file
  return !KindGuard.IsObject(schema) && !KindGuard.IsArray(schema)
}

for (const [name, { definition, needs, load }] of Object.entries(resources)) {
  const samples = { ...samplesOf(definition), ...needs }

  describe(`${name}: every field`, () => {
    test('holds its usual value where nothing is said', () => {
      for (const { field, path } of placesOf(definition)) {
        if (OptionalKind in field.file)
          expect([path, field.fromFile(undefined)]).toEqual([path, field.initial])
      }
    })

    test('has another value in the sample, and a plan tells it', () => {
      const read = entryOf(load(samples))
      const [usual, now] = [
        planFields(definition, initialValues(definition)),
        planFields(definition, read),
      ]
      for (const { fileKey } of placesOf(definition)) {
        // The tiers of a price are named by what they are above.
        const begin = fileKey === 'tiers' ? 'above 8: ' : `${fileKey}.`
        const told = Object.keys(now).filter((key) => `${key}.`.startsWith(begin))
        expect([fileKey, told.some((key) => now[key] !== usual[key])]).toEqual([fileKey, true])
      }
    })

    test('goes into columns, the file and the API, and comes back as it was', () => {
      const read = entryOf(load(samples)) as never
      const { ...columns } = toColumns(definition, read)
      expect(read).toMatchObject(fromColumns(definition, columns as never))
      expect(entryOf(load({ ...toFile(definition, read), ...needs }))).toEqual(read)
      const view = toView(definition, read)
      expect(entryOf(load({ ...toWritten(definition, view), ...needs }))).toEqual(read)
      expect(onlyNamed(definition, read, view)).toEqual(fromFile(definition, samples) as never)
    })

    for (const { field, fileKey } of placesOf(definition).filter((place) => isOne(place.field))) {
      test(`${fileKey} refuses what does not fit: the field, the value, and the way out`, () => {
        const bad = field.file.reads === 'text' ? ['list'] : 'a\nb'
        const entry = { ...samples, ...needs, ...nested(fileKey, bad, samples) }
        const loaded = load(entry)
        if (loaded.ok) throw new Error(`${fileKey} takes ${JSON.stringify(bad)}.`)
        const [problem] = loaded.problems
        expect(problem?.path).toBe(loaded.at + fileKey)
        expect(problem?.message).toMatch(/write|must be|remove|control character/)
        if (typeof bad === 'string') expect(problem?.message).toContain(JSON.stringify(bad))
      })
    }

    test('that commands show has words for its value and for none', () => {
      const report = toReport(definition, entryOf(load(samples)) as never)
      const usual = toReport(definition, initialValues(definition) as never)
      for (const lines of [fieldLines(definition, report), fieldLines(definition, usual)])
        for (const [title, text] of lines)
          expect(`${title}: ${text}`).not.toMatch(/undefined|null|\[object/)
    })

    test('that set changes is read from its option, and taken away by its word', () => {
      for (const { field, path, valueIn } of placesOf(definition)) {
        const { flag, clear } = field
        if (!flag?.canSet || !flag.value) continue
        const said = (text: string) => {
          const command = new Command().exitOverride()
          addSetOptions(command, definition)
          command.parse([flag.name, text], { from: 'user' })
          return namedFields(definition, command.opts())
        }
        const sample = String(sampleOf(field.file))
        const named = said(sample)
        expect(Object.keys(named)).toEqual([path.split('.')[0] ?? ''])
        requireSome(named, definition)
        const entry = { ...samples, ...needs, ...toWritten(definition, named) }
        const read = onlyNamed(definition, entryOf(load(entry)), named)
        expect([path, valueIn(read)]).toEqual([path, field.fromFile(sampleOf(field.file))])
        if (clear) expect(JSON.stringify(said(clear[0]))).toContain('null')
      }
    })
  })
}

/** An entry's key with another value, within its part. */
function nested(path: string, value: unknown, around: { readonly [key: string]: unknown }): object {
  const [key = '', inner] = path.split('.')
  return { [key]: inner === undefined ? value : { ...(around[key] as object), [inner]: value } }
}

test('receipts name the prices of tokens as the file does', () => {
  const named = Object.values(rateFields).map(({ as }) => publicName(as))
  expect(named).toEqual(Object.keys(rateFields))
})

test('all of them go from the file into the database, out by an export, and back without a difference', async () => {
  const { account, token, group, channel, ...prices } = resources
  const entry = (one = account) => ({ ...samplesOf(one?.definition ?? {}), ...one?.needs })
  const secrets = createSecretBox('a secret of tests, long enough')
  const now = Date.parse('2026-11-21T08:00:00Z')
  const text = JSON.stringify({
    settings: { country_header: header },
    channels: [entry(channel)],
    groups: [{ ...entry(group), name: 'up' }],
    prices: Object.fromEntries(Object.entries(prices).map(([name, one]) => [name, entry(one)])),
    accounts: [{ ...entry(account), tokens: [entry(token)] }],
  })
  const parse = (source: string, env = {}) => {
    const loaded = loadConfig({ text: source, file: 'tollgate.yaml', env })
    if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
    return loaded.config
  }
  const store = await openStore(() => now)
  const plan = async (config: ReturnType<typeof parse>) => {
    const [catalog, accounts, tokens] = await Promise.all([
      store.catalog.load(),
      store.admin.accounts(),
      store.admin.tokens({}),
    ])
    return planChanges({ config, current: { catalog, accounts, tokens }, secrets, prune: true })
  }
  const config = parse(text)
  await store.admin.write((await plan(config)).writes)
  expect((await plan(config)).changes).toEqual([])

  let exported = configBeforeAccounts(configState(config, await store.catalog.load(), secrets), now)
  for await (const piece of accountsText(store.lists)) exported += piece
  const env = { CHANNEL_UP_KEY: 'secret', TOKEN_1_KEY: 'sk-0123456789abcdef' }
  expect((await plan(parse(exported, env))).changes).toEqual([])
  await store.close()
})
