import { afterAll, expect, test } from 'bun:test'
import { askedOf, makeThings } from '../../../admin/security/routes.ts'
import { people, startSecurityScene } from '../../../admin/security/scene.ts'
import { table } from '../../../admin/security/table.ts'
import { temporaryDirectory } from '../../../store/support.ts'

// In a file, so that a process of its own reads it: who may read what does not depend on that.

const directory = temporaryDirectory()
const scene = await startSecurityScene({ store: directory.file('gate.db') })
const things = await makeThings(scene)
afterAll(async () => {
  await scene.stop()
  directory[Symbol.dispose]()
})

const readable = Object.keys(table).filter((route) =>
  /^GET .*\/(requests|ledger|tokens|overview|attempts|audit|accounts|config\.yaml)/.test(route),
)

test('there is a process for it', () => {
  expect(readable.length).toBeGreaterThan(15)
  expect(scene.store.place).toEqual({ path: directory.file('gate.db') })
})

test.each(readable)('%s', async (route) => {
  const found: number[] = []
  for (const person of people) {
    const response = await scene.ask(person, askedOf(route, things))
    found.push(response.status)
    expect(response.headers.get('cache-control')).toMatch(/^no-(store|cache)/)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    await response.body?.cancel()
  }
  expect(found).toEqual([...(table[route] ?? [])])
})
