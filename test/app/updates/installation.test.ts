import { afterEach, expect, test } from 'bun:test'
import { realpathSync } from 'node:fs'
import { findInstaller, findPackage } from '../../../src/app/updates/installation.ts'

afterEach(() => {
  delete process.env.TOLLGATE_IMAGE
})

test('a program of npm, of an image or of a package is replaced by who has put it there', async () => {
  const npm = '/usr/lib/node_modules/tollgate/node_modules/@tollgate/linux-x64/tollgate'
  expect(await findInstaller(npm)).toEqual({
    name: 'npm',
    command: 'npm install --global tollgate@latest',
  })
  process.env.TOLLGATE_IMAGE = '1'
  expect(await findInstaller('/usr/local/bin/tollgate')).toMatchObject({ name: 'an image' })
})

const dpkg = Bun.which('dpkg-query')

test.skipIf(dpkg === null)('a file of a Debian package is for apt-get', async () => {
  expect(await findPackage(realpathSync(dpkg ?? ''))).toEqual({
    name: 'dpkg',
    command:
      'apt-get install ./dpkg_VERSION_ARCH.deb   (the newer file; of a repository: apt-get install ' +
      '--only-upgrade dpkg)',
  })
})
