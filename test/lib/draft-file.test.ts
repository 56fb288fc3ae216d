import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createDraftFile } from '../../src/lib/draft-file.ts'
import { createTempDir } from '../support/temp-dir.ts'

test('a draft has a name of its own until it is placed, and only its owner can read it', async () => {
  using folder = createTempDir()
  const file = folder.join('copy.db')
  const draft = createDraftFile(file)
  expect(existsSync(file)).toBeFalse()
  expect(statSync(draft.path).mode & 0o777).toBe(0o600)
  writeFileSync(draft.path, 'whole', { mode: 0o644 })
  expect(await draft.place({ replace: false })).toBe('placed')
  draft.discard()
  expect(readdirSync(folder.path)).toEqual(['copy.db'])
  expect(readFileSync(file, 'utf8')).toBe('whole')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('what is there stays, unless it is to be replaced', async () => {
  using folder = createTempDir()
  const file = folder.join('copy.db')
  writeFileSync(file, 'old')
  const draft = createDraftFile(file)
  writeFileSync(draft.path, 'new')
  expect(await draft.place({ replace: false })).toBe('taken')
  expect(readFileSync(file, 'utf8')).toBe('old')
  expect(await draft.place({ replace: true })).toBe('placed')
  expect(readFileSync(file, 'utf8')).toBe('new')
  expect(readdirSync(folder.path)).toEqual(['copy.db'])
})

test('discarding removes the draft and what was made beside it, nothing else', () => {
  using folder = createTempDir()
  const draft = createDraftFile(folder.join('copy.db'))
  const other = createDraftFile(folder.join('copy.db'))
  writeFileSync(`${draft.path}-journal`, 'x')
  writeFileSync(folder.join('.copy.db.mine.tmp'), 'x')
  draft.discard()
  draft.discard()
  const left = [other.path.slice(folder.path.length + 1), '.copy.db.mine.tmp']
  expect(readdirSync(folder.path).sort()).toEqual(left.sort())
})

test('drafts that a killed process left behind are removed, those of a living one are not', () => {
  using folder = createTempDir()
  const file = folder.join('copy.db')
  const age = (path: string, seconds: number) => {
    const time = new Date(Date.now() - seconds * 1000)
    utimesSync(path, time, time)
  }
  const names = ['.copy.db.0123456789ab.tmp', '.copy.db.0123456789ab.tmp-journal']
  for (const name of names) {
    writeFileSync(folder.join(name), 'half')
    age(folder.join(name), 61)
  }
  const foreign = folder.join('.other.db.0123456789ab.tmp')
  writeFileSync(foreign, 'x')
  age(foreign, 600)
  const living = folder.join('.copy.db.ba9876543210.tmp')
  writeFileSync(living, 'half')
  age(living, 30)
  const draft = createDraftFile(file)
  expect(
    readdirSync(folder.path)
      .map((name) => folder.join(name))
      .sort(),
  ).toEqual([draft.path, living, foreign].sort())
})

test('what has taken the place of a removed draft is not placed', async () => {
  using folder = createTempDir()
  const file = folder.join('copy.db')
  const draft = createDraftFile(file)
  const keptBusy = createDraftFile(folder.join('busy'))
  draft.discard()
  await expect(draft.place({ replace: true })).rejects.toThrow('was removed before it was done')
  writeFileSync(folder.join('between'), 'takes the number of the removed file')
  writeFileSync(draft.path, 'empty')
  await expect(draft.place({ replace: true })).rejects.toThrow('was removed before it was done')
  keptBusy.discard()
  expect(existsSync(file)).toBeFalse()
})

test('a draft is touched for as long as its process lives', async () => {
  using folder = createTempDir()
  const draft = createDraftFile(folder.join('copy.db'))
  const longAgo = new Date(Date.now() - 300_000)
  utimesSync(draft.path, longAgo, longAgo)
  const end = performance.now() + 5_000
  while (statSync(draft.path).mtimeMs < Date.now() - 60_000) {
    if (performance.now() > end) throw new Error('It was not touched within 5 s.')
    await Bun.sleep(20)
  }
  draft.discard()
})

test('a missing folder is the system error that the caller explains', () => {
  expect(() => createDraftFile('/no/such/folder/copy.db')).toThrow('ENOENT')
})
