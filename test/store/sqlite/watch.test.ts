import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { copyFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { openFile } from '../../../src/store/sqlite/file.ts'
import { createWatch, type Watch } from '../../../src/store/sqlite/watch.ts'
import { temporaryDirectory } from '../support.ts'

let directory: ReturnType<typeof temporaryDirectory>
let path: string
let db: Database
let watch: Watch

beforeEach(() => {
  directory = temporaryDirectory()
  path = directory.file('gate.db')
  db = openFile({ path })
  db.run('CREATE TABLE filler (text TEXT)')
  watch = createWatch(db, path)
})
afterEach(() => {
  db.close()
  directory[Symbol.dispose]()
})

const fill = () => {
  for (let i = 0; i < 50; i++) db.run('INSERT INTO filler VALUES (hex(randomblob(2000)))')
}

test.each(['', '-wal', '-shm'])(
  'tells that a file is gone, and that it is back: gate.db%s',
  (ending) => {
    expect(watch.look()).toBeUndefined()
    renameSync(path + ending, directory.file('elsewhere'))
    expect(watch.look()).toBe(
      `${path}${ending} is gone: it was moved or deleted, or its disk is away`,
    )
    expect(watch.require).toThrow(`The database ${path} can not be used: ${path}${ending} is gone`)
    writeFileSync(path + ending, 'another')
    expect(watch.look()).toBe(`${path}${ending} was replaced by another file`)
    renameSync(directory.file('elsewhere'), path + ending)
    expect(watch.look()).toBeUndefined()
    watch.require()
  },
)

test('a copy in its place is another file', () => {
  copyFileSync(path, directory.file('copy'))
  renameSync(directory.file('copy'), path)
  expect(watch.look()).toEndWith('was replaced by another file')
})

test('a file that is cut off is told of; one that grows, or that somebody packs, is not', () => {
  for (let round = 0; round < 3; round++) {
    fill()
    expect(watch.look()).toBeUndefined()
    db.run('PRAGMA wal_checkpoint(PASSIVE)')
    expect(watch.look()).toBeUndefined()
  }
  db.run('DELETE FROM filler WHERE rowid % 4 > 0')
  using other = new Database(path)
  other.run('VACUUM')
  expect(watch.look()).toBeUndefined()
  other.run('PRAGMA wal_checkpoint(TRUNCATE)')
  expect(watch.look()).toBeUndefined()
  fill()
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  expect(watch.look()).toBeUndefined()
  truncateSync(path, 4096)
  expect(watch.look()).toBe(`${path} was cut off`)
  rmSync(path)
})
