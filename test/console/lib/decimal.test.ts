import { describe, expect, test } from 'bun:test'
import { fromNumber, isLess, multiply } from '../../../src/console/lib/decimal.ts'

describe('plain decimals', () => {
  test('are compared by what they are worth', () => {
    expect(isLess('9.5', '10')).toBe(true)
    expect(isLess('10.0', '10')).toBe(false)
    expect(isLess('-3', '0.1')).toBe(true)
    expect(isLess('-0.5', '-0.25')).toBe(true)
    expect(isLess('9007199254740993', '9007199254740992')).toBe(false)
  })

  test('are multiplied without a rest', () => {
    expect(multiply('0.1', '3')).toBe('0.3')
    expect(multiply('1.1', '1.1')).toBe('1.21')
    expect(multiply('2.50', '4')).toBe('10')
    expect(multiply('-0.5', '0.5')).toBe('-0.25')
  })

  test('are read out of numbers as they were written', () => {
    const written = ['0', '0.00000125', '0.000000125', '1e-7', '3e-12', '0.1', '12', '1e21']
    expect(written.map((text) => fromNumber(JSON.parse(text)))).toEqual([
      ...['0', '0.00000125', '0.000000125', '0.0000001', '0.000000000003', '0.1', '12'],
      '1000000000000000000000',
    ])
  })

  test('that are prices of one token are those of a million, whatever the price', () => {
    for (let microPerMillion = 1; microPerMillion < 5_000_000; microPerMillion += 7919) {
      const perToken = Number(`${microPerMillion}e-12`)
      const expected = `${microPerMillion}e-6`
      expect(Number(multiply(fromNumber(perToken), '1000000'))).toBe(Number(expected))
      expect(multiply(fromNumber(perToken), '1000000')).toMatch(/^\d+(\.\d{1,6})?$/)
    }
  })
})
