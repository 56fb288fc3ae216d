import { describe, expect, test } from 'bun:test'
import { readCost, readId, readMoment, readTokens } from '../../../src/app/reconcile/columns.ts'

test('an id is what is not blank', () => {
  expect(readId(' req_1 ')).toBe('req_1')
  expect(readId(42)).toBe('42')
  for (const blank of ['', ' ', 'null', 'N/A', '-', null, undefined]) {
    expect(readId(blank)).toBeUndefined()
  }
})

describe('token counts', () => {
  const cases = [
    ['12', 12],
    [12, 12],
    ['0', 0],
    ['1,234,567', 1_234_567],
    ['12.0', 12],
    ['1e3', 1000],
    ['', null],
    ['none', null],
    [null, null],
  ] as const
  for (const [cell, count] of cases) {
    test(`${JSON.stringify(cell)} is ${count}`, () => expect(readTokens(cell)).toBe(count))
  }
  for (const cell of ['twelve', '-1', '1.5', '1,23', '12 tokens']) {
    test(`${cell} is refused`, () => expect(() => readTokens(cell)).toThrow('not a whole number'))
  }
})

describe('amounts, in nano-USD', () => {
  const usd = { decimalComma: false, unit: 'usd' } as const
  const cases = [
    ['0.25', usd, 250_000_000],
    ['$1,234.5', usd, 1_234_500_000_000],
    ['-$0.5', usd, -500_000_000],
    ['0.1 USD', usd, 100_000_000],
    ['US$ 2', usd, 2_000_000_000],
    [1.2e-5, usd, 12_000],
    ['0.0000000015', usd, 2],
    [0.1 + 0.2, usd, 300_000_000],
    ['', usd, null],
    ['0,25', { ...usd, decimalComma: true }, 250_000_000],
    ['1.234,5', { ...usd, decimalComma: true }, 1_234_500_000_000],
    ['1500', { ...usd, unit: 'nano' }, 1500],
  ] as const
  for (const [cell, form, nano] of cases) {
    test(`${cell} is ${nano}`, () => expect(readCost(cell, form)).toBe(nano))
  }
  for (const cell of ['free', '1.2.3', '0x10', '1e400', '€5']) {
    test(`${cell} is refused`, () => expect(() => readCost(cell, usd)).toThrow('not an amount'))
  }
  test('nano-USD are whole', () => {
    expect(() => readCost('1.5', { ...usd, unit: 'nano' })).toThrow('not an amount')
  })
})

describe('times, from when to before when', () => {
  const at = Date.UTC(2026, 10, 21, 8, 30, 5)
  const cases = [
    ['2026-11-21T08:30:05Z', at, 1000],
    ['2026-11-21 08:30:05', at, 1000],
    ['2026-11-21 08:30:05 UTC', at, 1000],
    ['2026-11-21T09:30:05+01:00', at, 1000],
    ['2026-11-21T09:30:05+0100', at, 1000],
    ['2026-11-21T08:30:05.250Z', at + 250, 1],
    ['2026-11-21T08:30:05.123456Z', at + 123, 1],
    ['2026-11-21T08:30Z', Date.UTC(2026, 10, 21, 8, 30), 60_000],
    ['2026-11-21', Date.UTC(2026, 10, 21), 86_400_000],
    [at / 1000, at, 1000],
    [`${at / 1000}`, at, 1000],
    [`${at / 1000}.5`, at + 500, 1],
    [at + 7, at + 7, 1],
  ] as const
  for (const [cell, from, length] of cases) {
    test(String(cell), () => expect(readMoment(cell)).toEqual({ from, until: from + length }))
  }
  test('none', () => expect(readMoment('')).toBeNull())
  for (const cell of ['21/11/2026', 'yesterday', '2026-02-30', '2026-13-01', '12', '1e9', '-5']) {
    test(`${cell} is refused`, () => expect(() => readMoment(cell)).toThrow('is not a time'))
  }
})
