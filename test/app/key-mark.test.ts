import { expect, test } from 'bun:test'
import { createKeyMark } from '../../src/app/channel-care.ts'
import { createSecretBox } from '../../src/lib/secrets.ts'

test('a mark is the same for the same key and secret, and tells nothing of the key', () => {
  const keyMark = createKeyMark(createSecretBox('a secret'))
  expect(keyMark('sk-upstream-1')).toMatch(/^[\w-]{16}$/)
  expect(keyMark('sk-upstream-1')).toBe(keyMark('sk-upstream-1'))
  expect(keyMark('sk-upstream-1')).not.toBe(keyMark('sk-upstream-2'))
  const other = createKeyMark(createSecretBox('another secret'))
  expect(other('sk-upstream-1')).not.toBe(keyMark('sk-upstream-1'))
})
