import { expect, test } from 'bun:test'
import { placeOf } from '../../../src/console/lib/notice-place.ts'

const wide = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }

test('a notice stands in the corner of a wide window', () => {
  expect(placeOf(wide, 100)).toBe('bottom-right')
  expect(placeOf(wide, 880)).toBe('bottom-right')
})

test('in a narrow one it stands at the end that was not pressed', () => {
  expect(placeOf(phone, 800)).toBe('top-center')
  expect(placeOf(phone, 120)).toBe('bottom-center')
})

test('in a narrow one what is gone leaves it under the header', () => {
  expect(placeOf(phone, undefined)).toBe('top-center')
})
