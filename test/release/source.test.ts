import { describe, expect, test } from 'bun:test'
import { checkChangelog } from '../../data/release/changelog.ts'
import { complainOfMirror } from '../../data/release/image/debian-packages.ts'
import { requireAll } from '../../data/release/needs.ts'
import { ReleaseError } from '../../data/release/release.ts'
import { checkVersion, compareTags } from '../../data/release/source.ts'

test('all that is missing is said at once; a fault of a check is one', async () => {
  const missing = (message: string) => () => {
    throw new ReleaseError(message)
  }
  const all = requireAll('1.2.3', [missing('one\ntwo'), () => {}, async () => missing('three')()])
  await expect(all).rejects.toThrow(
    'Nothing was built. This is missing for a release:\n- one\n  two\n- three',
  )
  await requireAll('1.2.3', [() => {}])
  const fault = requireAll('1.2.3', [() => JSON.parse('')])
  await expect(fault).rejects.toThrow(SyntaxError)
})

describe('CHANGELOG.md', () => {
  const text = `# Changelog

## [Unreleased]

### Added

- Something.

## [1.2.3] - 2026-11-27

### Fixed

- It.

## [1.2.2] - 2026-11-01

### Added
`
  test.each([['1.2.3'], ['1.2.3-rc.1'], ['1.3.0-rc.1']])('has what %s needs', (version) => {
    expect(() => checkChangelog(version, text)).not.toThrow()
  })

  test.each([
    ['1.3.0', text, 'has no section of 1.3.0: put "## [1.3.0] - YYYY-MM-DD" below'],
    ['1.2.2', text, 'says nothing below "## [1.2.2] - 2026-11-01"'],
    ['1.2.3', text.replace(' - 2026-11-27', ''), 'has no section of 1.2.3'],
    ['1.3.0-rc.1', text.replace('- Something.', ''), 'says nothing below "## [Unreleased]"'],
  ])('lacks what %s needs', (version, changed, reason) => {
    expect(() => checkChangelog(version, changed)).toThrow(reason)
  })
})

test('the image is of Debian: elsewhere a mirror is named, and its keys are there', () => {
  const mirror = 'https://deb.debian.org/debian'
  const ofDebian = { isDebian: true, mirror: undefined, hasKeys: true }
  expect(() => complainOfMirror(ofDebian)).not.toThrow()
  expect(() => complainOfMirror({ isDebian: false, mirror, hasKeys: true })).not.toThrow()
  expect(() => complainOfMirror({ ...ofDebian, isDebian: false })).toThrow(
    'DEBIAN_MIRROR must name',
  )
  expect(() => complainOfMirror({ ...ofDebian, mirror: 'deb' })).toThrow('"deb" is no address')
  expect(() => complainOfMirror({ isDebian: false, mirror, hasKeys: false })).toThrow(
    'apt-get install debian-archive-keyring',
  )
})

describe('the version of a release', () => {
  test.each([['1.2.3'], ['1.2.3-rc.1'], ['1.2.3-nightly.20261127']])('%s is taken', (version) => {
    expect(() => checkVersion(version, '1.2.3')).not.toThrow()
  })

  test.each([
    ['', 'is no version'],
    ['v1.2.3', 'is no version'],
    ['1.2', 'is no version'],
    ['1.2.3-', 'is no version'],
    ['1.2.3-rc.01', 'is no version'],
    ['1.2.3+build', 'is no version'],
    ['1.2.3 --define', 'is no version'],
    ['1.2.4', 'is not that of package.json, "1.2.3"'],
    ['1.2.30', 'is not that of package.json'],
  ])('"%s" is refused', (version, reason) => {
    expect(() => checkVersion(version, '1.2.3')).toThrow(reason)
  })
})

describe('tags', () => {
  test.each([
    ['1.2.3', [], false],
    ['1.2.3', ['v1.2.3'], true],
    ['1.2.3', ['v1.2.3-rc.2', 'v1.2.3'], true],
    ['1.2.3-nightly.1', ['v1.2.2'], false],
  ])('%s may be made of a commit with the tags %p', (version, ofCommit, taken) => {
    expect(() => compareTags(version, { ofCommit, taken })).not.toThrow()
  })

  test('that name another commit refuse the version', () => {
    expect(() => compareTags('1.2.3', { ofCommit: [], taken: true })).toThrow('another commit')
  })

  test('that give the commit another version refuse this one', () => {
    const tags = { ofCommit: ['v1.2.2'], taken: false }
    expect(() => compareTags('1.2.3', tags)).toThrow('has the tag v1.2.2')
  })
})
