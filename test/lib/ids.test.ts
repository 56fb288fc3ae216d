import { expect, test } from 'bun:test'
import { createRequestId, createTokenKey } from '../../src/lib/ids.ts'

test('request ids are unique and sort in the order in which they were made', () => {
  const ids = Array.from({ length: 5000 }, createRequestId)
  expect(new Set(ids).size).toBe(5000)
  expect(ids.toSorted()).toEqual(ids)
  for (const id of ids) expect(id).toMatch(/^req_[0-9a-f]{32}$/)
})

test('token keys are sk- and 48 letters and digits, each as likely as the others', () => {
  const keys = Array.from({ length: 2000 }, createTokenKey)
  expect(new Set(keys).size).toBe(2000)
  const counts = new Map<string, number>()
  for (const key of keys) {
    expect(key).toMatch(/^sk-[0-9A-Za-z]{48}$/)
    for (const character of key.slice(3)) counts.set(character, (counts.get(character) ?? 0) + 1)
  }
  expect(counts.size).toBe(62)
  // 96,000 characters: 1,548 of each, give or take 39; taking bytes modulo 62 would give 1,875.
  expect(Math.max(...counts.values())).toBeLessThan(1780)
  expect(Math.min(...counts.values())).toBeGreaterThan(1320)
})
