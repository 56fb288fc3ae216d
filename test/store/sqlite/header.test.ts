import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { checkHeader } from '../../../src/store/sqlite/file.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { now, temporaryDirectory } from '../support.ts'

test('takes a database of ours and refuses all else, before anything is opened', async () => {
  using directory = temporaryDirectory()
  const own = directory.file('own.db')
  await openSqliteStore({ path: own, clock: () => now }).close()
  checkHeader(own)

  const empty = directory.file('empty.db')
  writeFileSync(empty, '')
  expect(() => checkHeader(empty)).toThrow(`${empty} is no SQLite database`)

  const text = directory.file('notes.txt')
  writeFileSync(text, 'SQLite format 3 is what this text is about. '.repeat(10))
  expect(() => checkHeader(text)).toThrow('is no SQLite database, so no backup')

  const foreign = directory.file('foreign.db')
  const other = new Database(foreign, { create: true })
  other.run('CREATE TABLE notes (text TEXT)')
  other.close()
  expect(() => checkHeader(foreign)).toThrow(`${foreign} is a database of another program`)

  const db = new Database(own)
  db.run('PRAGMA user_version = 999')
  db.close()
  expect(() => checkHeader(own)).toThrow('written by a newer version of this program')
})
