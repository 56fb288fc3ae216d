import { describe, expect, test } from 'bun:test'
import { choose, merge } from '../../../src/console/lib/form-values.ts'

describe('what is typed over what was saved meanwhile', () => {
  const before = { name: 'a', limits: { rpm: 1, tpm: 2 }, models: ['x'] }

  test('is all new where nothing was typed', () => {
    const now = { name: 'b', limits: { rpm: 3, tpm: 2 }, models: ['x', 'y'] }
    expect(merge({ before, typed: before, now })).toEqual({ values: now, isClash: false })
  })

  test('stays where it was typed, field by field', () => {
    const typed = { ...before, limits: { rpm: 9, tpm: 2 } }
    const now = { ...before, name: 'b', limits: { rpm: 1, tpm: 8 } }
    const values = { name: 'b', limits: { rpm: 9, tpm: 8 }, models: ['x'] }
    expect(merge({ before, typed, now })).toEqual({ values, isClash: false })
  })

  test('stays where both changed, and that is told: a list is one field', () => {
    const typed = { ...before, models: ['x', 'mine'] }
    const now = { ...before, models: ['x', 'theirs'] }
    expect(merge({ before, typed, now })).toEqual({ values: typed, isClash: true })
  })

  test('stays as a whole of which no part makes sense alone', () => {
    const typed = { ...before, name: 'mine' }
    const now = { ...before, models: ['theirs'] }
    expect(choose({ before, typed, now })).toEqual({ values: typed, isClash: true })
    expect(choose({ before, typed: before, now })).toEqual({ values: now, isClash: false })
  })

  test('is no clash when both wrote the same', () => {
    const both = { ...before, name: 'b' }
    expect(merge({ before, typed: both, now: both })).toEqual({ values: both, isClash: false })
  })
})
