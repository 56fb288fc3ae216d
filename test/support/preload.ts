import { join, relative } from 'node:path'
import { plugin } from 'bun'
import { isFastRun, kindOf, leftOut } from './kinds.ts'
import { testEngine } from './test-store.ts'

// Runs before any test: see bunfig.toml.

const project = join(import.meta.dir, '../..')
/**
 * A machine may be slow, and that is no test's matter: this ends what hangs. Bun forgets what a preload
 * sets after the first file, so each file sets it itself.
 */
const patience = `import * as __tests from 'bun:test'; __tests.setDefaultTimeout(120_000); `

if (isFastRun) console.log(leftOut)

if (testEngine === 'postgres') {
  const { prepareDatabases } = await import('./lent-databases.ts')
  await prepareDatabases()
}

plugin({
  name: 'tests of this run',
  setup(build) {
    build.onLoad({ filter: /\.test\.ts$/ }, async ({ path }) => {
      const isLeftOut = isFastRun && kindOf(relative(project, path)) !== 'fast'
      return { contents: isLeftOut ? '' : patience + (await Bun.file(path).text()), loader: 'ts' }
    })
  },
})
