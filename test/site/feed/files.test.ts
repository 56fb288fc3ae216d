import { expect, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { createFeedBuilder } from '../../../src/site/feed/document.ts'
import { readFeedFile, writeFeedFiles } from '../../../src/site/feed/files.ts'
import { publish } from '../../../src/site/published.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { catalogOf, tokenTerms } from './catalogs.ts'

const noon = Date.UTC(2026, 10, 21, 12)
const paths = ['pricing/provider-pricing.json', 'api/provider/pricing']

test('both addresses with their compressed forms, dated as published', async () => {
  using folder = createTempDir()
  const published = await publish('{"a":1}', undefined, noon)
  const files = paths.flatMap((path) => [folder.join(`${path}.gz`), folder.join(path)])
  expect(await writeFeedFiles(folder.path, published)).toEqual(files)
  for (const path of paths) {
    expect(readFileSync(folder.join(path), 'utf8')).toBe('{"a":1}')
    expect(gunzipSync(readFileSync(folder.join(`${path}.gz`))).toString()).toBe('{"a":1}')
    expect(statSync(folder.join(path)).mtimeMs).toBe(noon)
  }
  expect(await readFeedFile(folder.path)).toEqual({ text: '{"a":1}', modifiedMs: noon })
})

test('only what is missing or wrong is written again', async () => {
  using folder = createTempDir()
  const published = await publish('{"a":1}', undefined, noon)
  await writeFeedFiles(folder.path, published)
  expect(await writeFeedFiles(folder.path, published)).toEqual([])
  const backup = folder.join('api/provider/pricing')
  writeFileSync(backup, 'something else')
  expect(await writeFeedFiles(folder.path, published)).toEqual([backup])
})

test('a folder without a feed is none', async () => {
  using folder = createTempDir()
  expect(await readFeedFile(folder.path)).toBeUndefined()
})

test('an earlier document goes on to hold, with its time, while its content is the same', async () => {
  let input = 1_000_000
  let now = noon
  const source = {
    catalog: () => catalogOf([{ name: 'g' }], [{ id: 'm', terms: tokenTerms(input, 1) }]),
    site: () => ({ name: 'n', domain: 'd', currency: 'CNY' }),
    clock: () => now,
  }
  const earlier = await createFeedBuilder(source)()
  now += 60_000
  const build = createFeedBuilder({ ...source, earlier })
  expect(await build()).toBe(earlier)
  input++
  expect(await build()).toContain('"updated_at":"2026-11-21T12:01:00.000Z"')
  const afresh = await createFeedBuilder({ ...source, earlier: 'no feed at all' })()
  expect(afresh).toContain('"updated_at":"2026-11-21T12:01:00.000Z"')
})

test('a newer document is never dated before an older one, though the clock goes back', async () => {
  let input = 1_000_000
  let now = noon
  const build = createFeedBuilder({
    catalog: () => catalogOf([{ name: 'g' }], [{ id: 'm', terms: tokenTerms(input, 1) }]),
    site: () => ({ name: 'n', domain: 'd', currency: 'CNY' }),
    clock: () => now,
  })
  expect(await build()).toContain('"updated_at":"2026-11-21T12:00:00.000Z"')
  now -= 60_000
  input++
  expect(await build()).toContain('"updated_at":"2026-11-21T12:00:00.001Z"')
})
