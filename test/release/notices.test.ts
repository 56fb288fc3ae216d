import { expect, test } from 'bun:test'
import { type Bill, type Component, checkLocked } from '../../data/release/bill.ts'
import { createNotices } from '../../data/release/notices.ts'

const component = (name: string, more: Partial<Component>): Component => ({
  ...{ name, version: '1.0.0', licenses: [{ license: { id: 'MIT' } }] },
  ...more,
})
const withText = (text: string) => ({
  licenses: [{ license: { name: 'file: LICENSE', text: { content: btoa(text) } } }],
})
const bill = (...components: readonly Component[]): Bill => ({
  ...{ metadata: { component: component('tollgate', {}) }, components, dependencies: [] },
})

test('the notices have the text of each licence, and those of the runtime', async () => {
  const text = await createNotices(
    bill(
      component('b', { group: '@of', evidence: withText('Made by the makers of b.\r\n') }),
      component('a', { author: 'A. Author' }),
      component('bun', {}),
    ),
  )
  expect(text).toMatch(
    /\na 1\.0\.0 \(MIT\)\n=+\n\nCopyright \(c\) A\. Author\n\nPermission is hereby/,
  )
  expect(text).toMatch(/@of\/b 1\.0\.0 \(MIT\)\n=+\n\nMade by the makers of b\.\n/)
  expect(text).toContain('JavaScriptCore')
  expect(text).toContain('GNU LESSER GENERAL PUBLIC LICENSE')
  expect(text).not.toContain('\r')
})

test('a package without the text of its licence is not released', () => {
  const alone = component('alone', { licenses: [{ license: { id: 'ISC' } }] })
  expect(createNotices(bill(alone))).rejects.toThrow('alone 1.0.0 has no file with its licence')
})

test('a package that the lock file does not have is not released', () => {
  const lock = '{ "packages": { "a": ["@of/a@1.0.0", "", {}, "sha512-x"], } }'
  expect(() => checkLocked([component('a', { group: '@of' })], lock)).not.toThrow()
  expect(() => checkLocked([component('a', { version: '1.0.1', group: '@of' })], lock)).toThrow(
    '@of/a@1.0.1',
  )
})
