import { expect, test } from 'bun:test'
import type { Difference } from '../../../src/app/verify/findings.ts'
import { createFindings, maxListed } from '../../../src/app/verify/findings.ts'

const difference = (kind: Difference['kind'], row: string): Difference => ({
  kind,
  row,
  changes: [],
  reason: 'is wrong',
})

test('lists the first ones and counts all, by kind', () => {
  const findings = createFindings()
  const many = Array.from({ length: 700 }, (_, at) => difference('amount', `request ${at}`))
  expect(findings.add(many)).toHaveLength(700)
  expect(findings.add([...many, difference('day', 'x')])).toHaveLength(maxListed - 700)
  expect(findings.add(many)).toEqual([])
  expect(findings.listed).toHaveLength(maxListed)
  expect(findings.listed[maxListed - 1]?.row).toBe('request 299')
  expect(findings.total).toBe(2101)
  expect(findings.counts).toEqual({ amount: 2100, day: 1 })
})

test('finds nothing in nothing', () => {
  const { total, listed, counts } = createFindings()
  expect({ total, listed, counts }).toEqual({ total: 0, listed: [], counts: {} })
})
