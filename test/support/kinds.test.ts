import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'
import { importsOf } from './imports.ts'
import { kindOf } from './kinds.ts'

const project = join(import.meta.dir, '../..')
const fast = [...new Glob('test/**/*.test.ts').scanSync(project)]
  .filter((file) => kindOf(file) === 'fast')
  .sort()

/** They take tables and figures from beside the program, and start none. */
const starting = ['test/bench/suite/summary.test.ts', 'test/gateway/translated-cut.test.ts']

test.each([
  ['the compiled program', 'test/support/binary.ts', starting],
  ['a browser', 'test/support/browser.ts', []],
])('no fast test needs %s', (_, support, exceptions) => {
  const needing = fast.filter((file) => importsOf(file).has(support))
  expect(needing).toEqual([...exceptions])
})

test.each([
  ['test/store/postgres/money.alone.test.ts', 'alone'],
  ['test/store/postgres/lists.test.ts', 'servers'],
  ['test/app/shared-money.servers.test.ts', 'servers'],
  ['test/app/status-page/browser.test.ts', 'browser'],
  ['test/console/router.browser.test.ts', 'browser'],
  ['test/e2e/limits.alone.test.ts', 'alone'],
  ['test/e2e/status.test.ts', 'program'],
  ['test/long/long-silence.test.ts', 'long'],
  ['test/store/browser.ts', 'fast'],
] as const)('%s is %s', (path, kind) => {
  expect(kindOf(path)).toBe(kind)
})
