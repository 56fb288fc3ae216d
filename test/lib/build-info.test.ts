import { expect, test } from 'bun:test'
import { join } from 'node:path'

const file = join(import.meta.dir, '../../src/lib/build-info.ts')

/** What a build of these facts trusts while the environment names a key. */
function trusted(facts: Readonly<Record<string, string>>): string {
  const defines = Object.entries(facts).flatMap(([name, value]) => [
    '--define',
    `${name}=${JSON.stringify(value)}`,
  ])
  const script = `console.log((await import(${JSON.stringify(file)})).releaseKey() ?? 'nothing')`
  const { stdout } = Bun.spawnSync([process.execPath, ...defines, '--eval', script], {
    env: { ...process.env, TOLLGATE_RELEASE_KEY: 'of the environment' },
  })
  return stdout.toString().trim()
}

test('a release trusts its own key or none; only other builds take one from the environment', () => {
  const release = { TOLLGATE_COMMIT: '0123456789abcdef' }
  expect(trusted({ ...release, TOLLGATE_RELEASE_KEY: 'its own' })).toBe('its own')
  expect(trusted(release)).toBe('nothing')
  expect(trusted({})).toBe('of the environment')
})
