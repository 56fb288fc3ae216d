import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expectedMessage } from '../../src/app/user-error.ts'
import { ofSqlite } from '../support/of-sqlite.ts'
import { createWorkplace } from './cli.ts'

// What is wrong with the surroundings is told to a person: what, and the way out; never a stack.

test('a configuration that can not be read', async () => {
  await using place = await createWorkplace()
  await place.write('file', '')
  const { code, err } = await place.run(['serve', '--config', 'file/tollgate.yaml'])
  expect([code, err]).toEqual([
    1,
    "tollgate: The configuration file/tollgate.yaml can't be read: Error: ENOTDIR: not a directory, open 'file/tollgate.yaml'. Give a file that this user may read.\n",
  ])
})

test('whatever the system refuses is told in its words; a bug keeps its stack', async () => {
  const refusal = Promise.try(() => readFileSync('/nowhere/file')).catch(expectedMessage)
  expect(await refusal).toBe("ENOENT: no such file or directory, open '/nowhere/file'")
  expect(expectedMessage(new TypeError('undefined is not a function'))).toBeUndefined()
})

ofSqlite('a database that does not come about leaves no secret for it', async () => {
  await using place = await createWorkplace()
  await mkdir(join(place.path, 'folder'))
  await place.write('tollgate.yaml', 'store: sqlite:./folder\nserver: { listen: "127.0.0.1:0" }\n')
  const { code, err } = await place.run(['serve'])
  expect([code, err]).toEqual([
    1,
    `tollgate: The database ${join(place.path, 'folder')} can not be opened: it is not a file. Give the path of a file.\n`,
  ])
  expect(existsSync(join(place.path, 'folder.secret'))).toBeFalse()
})
