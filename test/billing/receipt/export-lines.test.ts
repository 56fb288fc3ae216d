import { describe, expect, test } from 'bun:test'
import type { Cell, Fields } from '../../../src/billing/receipt/fields.ts'
import { exportLines } from '../../../src/billing/receipt/fields.ts'

interface Row {
  readonly name: Cell
  readonly amount: Cell
}

const fields = { name: ({ name }) => name, amount: ({ amount }) => amount } satisfies Fields<Row>

async function* each(rows: readonly Row[]) {
  yield* rows
}

const csvOf = async (rows: readonly Row[]) =>
  (await Array.fromAsync(exportLines(each(rows), fields, { format: 'csv' }))).slice(1)

describe('CSV for spreadsheets', () => {
  test.each([
    ['=HYPERLINK("http://evil")', `"'=HYPERLINK(""http://evil"")"`],
    ['+1', "'+1"],
    ['-2+3', "'-2+3"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\tx"],
    ['\rx', `"'\rx"`],
    ['a=b', 'a=b'],
    ['', '""'],
  ])('takes the text %j for no formula', async (name, cell) => {
    expect(await csvOf([{ name, amount: 1 }])).toEqual([`${cell},1\n`])
  })

  test('leaves numbers numbers, and nothing nothing', async () => {
    expect(await csvOf([{ name: null, amount: -5 }])).toEqual([',-5\n'])
  })
})

test('JSON lines have exactly the data', async () => {
  const lines = exportLines(each([{ name: '=1+1', amount: null }]), fields, {
    format: 'jsonl',
  })
  expect(await Array.fromAsync(lines)).toEqual(['{"name":"=1+1","amount":null}\n'])
})
