import { describe, expect, test } from 'bun:test'
import { checkTags, checkVersion } from '../../data/release/source.ts'

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
    expect(() => checkTags(version, { ofCommit, taken })).not.toThrow()
  })

  test('that name another commit refuse the version', () => {
    expect(() => checkTags('1.2.3', { ofCommit: [], taken: true })).toThrow('another commit')
  })

  test('that give the commit another version refuse this one', () => {
    const tags = { ofCommit: ['v1.2.2'], taken: false }
    expect(() => checkTags('1.2.3', tags)).toThrow('has the tag v1.2.2')
  })
})
