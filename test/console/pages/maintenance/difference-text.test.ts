import { expect, test } from 'bun:test'
import { differenceKinds, type VerifyDifference } from '../../../../src/admin/maintenance/schema.ts'
import { differenceText } from '../../../../src/console/pages/maintenance/text.ts'

const found: VerifyDifference = {
  kind: 'amount',
  text: 'request req_1: amount_nano is 90, should be 88: by its counts',
  changes: [{ field: 'amount_nano', stored: '90', expected: '88' }],
}

test('a difference is told in Chinese with what is stored and what should be', () => {
  expect(differenceText(found, 'zh')).toBe(
    '扣费金额与用量、倍率和价格不符：amount_nano 为 90，应为 88',
  )
})

test('each kind has words of its own, without changes too', () => {
  const told = differenceKinds.map((kind) => differenceText({ ...found, kind, changes: [] }, 'zh'))
  expect(new Set(told).size).toBe(differenceKinds.length)
  for (const text of told) expect(text).toMatch(/^[\p{Script=Han}，、]+$/u)
})

test("in English, and for a newer gateway's kind, its own sentence is all there is", () => {
  expect(differenceText(found, 'en')).toBeUndefined()
  const newer = { ...found, kind: 'toString' as VerifyDifference['kind'] }
  expect(differenceText(newer, 'zh')).toBeUndefined()
})
