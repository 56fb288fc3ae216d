import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { openUsageFile } from '../../../src/app/reconcile/usage-file.ts'
import { createTempDir, type TempDir } from '../../support/temp-dir.ts'

let folder: TempDir
beforeAll(() => {
  folder = createTempDir('tollgate-usage')
})
afterAll(() => folder.remove())

async function read(content: string | Uint8Array) {
  const path = folder.join('usage')
  writeFileSync(path, content)
  const file = await openUsageFile(path)
  const rows: unknown[][] = []
  for await (const row of file.rows()) rows.push(file.columns.map((_, at) => row(at) ?? null))
  return { columns: file.columns, rows }
}

const refusalOf = (content: string | Uint8Array): Promise<string> =>
  read(content).then(
    () => 'not refused',
    (error: Error) => `${error.name}: ${error.message}`,
  )

const expected = {
  columns: ['id', 'text', 'cost'],
  rows: [
    ['a', 'one, "two"\nthree', '0.5'],
    ['b', '', '1'],
  ],
}

describe('CSV', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['by RFC 4180', 'id,text,cost\r\na,"one, ""two""\nthree",0.5\r\nb,,1\r\n'],
    ['with a BOM and no last line end', '\uFEFFid,text,cost\na,"one, ""two""\nthree",0.5\nb,,1'],
    ['with semicolons', '"id";text;cost\na;"one, ""two""\nthree";0.5\nb;;1\n'],
    ['with tabs and empty lines', 'id\ttext\tcost\n\na\t"one, ""two""\nthree"\t0.5\n\nb\t\t1\n'],
    ['with spaces around names', ' id , text,cost \na,"one, ""two""\nthree",0.5\nb,,1\n'],
  ]
  for (const [name, text] of cases) {
    test(name, async () => expect(await read(text)).toEqual(expected))
  }
  test('a line may end early, but not be longer than the names', async () => {
    expect((await read('id,cost\na\n')).rows).toEqual([['a', null]])
    expect(await refusalOf('id,cost\na,1\nb,1,2\n')).toMatch(/is no sound CSV: .* line 3/)
    expect(await refusalOf('id,cost\na,"1\n')).toContain('is no sound CSV: Quote Not Closed')
  })
  test('a quote that is left open does not fill the memory with the rest of the file', async () => {
    const rest = 'b,2\n'.repeat(500_000)
    expect(await refusalOf(`id,cost\na,"1\n${rest}`)).toContain('is no sound CSV: Max Record Size')
  })
  test('a file larger than what is looked at is read to its end', async () => {
    const lines = Array.from({ length: 60_000 }, (_, i) => `row-${i},"a, ""long"" text of ${i}"`)
    const { rows } = await read(`id,text\r\n${lines.join('\r\n')}`)
    expect(rows.length).toBe(60_000)
    expect(rows.at(-1)).toEqual(['row-59999', 'a, "long" text of 59999'])
  })
  test('a name with the other delimiter in quotes does not mislead', async () => {
    expect((await read('"id;a;b;c",cost\nx,1\n')).columns).toEqual(['id;a;b;c', 'cost'])
  })
})

describe('JSON', () => {
  const a = { id: 'a', text: 'one, "two"\nthree', cost: '0.5' }
  const b = { id: 'b', text: '', cost: '1' }
  const cases: readonly (readonly [string, string])[] = [
    ['an array', JSON.stringify([a, b], null, 2)],
    ['lines', `${JSON.stringify(a)}\n${JSON.stringify(b)}\n`],
    ['an object with an array in it', JSON.stringify({ object: 'list', data: [a, b] })],
    ['a page a line', `${JSON.stringify({ data: [a] })}\n${JSON.stringify({ data: [b] })}`],
    ['with a BOM', `\uFEFF${JSON.stringify([a, b])}`],
  ]
  for (const [name, text] of cases) {
    test(name, async () => expect(await read(text)).toEqual(expected))
  }
  test('a lone row with a list in it is a row', async () => {
    const row = { id: 'a', parts: [{ id: 'x' }] }
    expect((await read(JSON.stringify(row))).rows).toEqual([['a', null]])
  })
  test('what is inside of a row has columns of its own, also when the first row lacks it', async () => {
    const rows = [{ id: 'a' }, { id: 'b', usage: { in: 5, details: { cached: 2 } }, ok: true }]
    expect(await read(JSON.stringify(rows))).toEqual({
      columns: ['id', 'usage.in', 'usage.details.cached', 'ok'],
      rows: [
        ['a', null, null, null],
        ['b', 5, 2, null],
      ],
    })
  })
  test('a row that is broken is named, and so is an end in the middle', async () => {
    expect(await refusalOf('{"id":"a"}\n{"id":b}\n')).toContain('Row 2 of')
    expect(await refusalOf('[{"id":"a"},{"id"')).toContain('ends in the middle, after row 1')
  })
  test('a document larger than what is looked at is read to its end', async () => {
    const many = Array.from({ length: 60_000 }, (_, i) => ({
      id: `r${i}`,
      n: i,
      pad: 'x'.repeat(20),
    }))
    const { rows } = await read(JSON.stringify({ total: many.length, data: many }))
    expect(rows.length).toBe(60_000)
    expect(rows.at(-1)).toEqual(['r59999', 59_999, 'x'.repeat(20)])
  })
})

describe('what is no usage file', () => {
  const cases: readonly (readonly [string, string | Uint8Array, string])[] = [
    ['nothing', '', 'is empty.'],
    ['white space', ' \n', 'is empty.'],
    ['gzip', Bun.gzipSync(Buffer.from('id\n1\n')), 'is packed with gzip: unpack it first'],
    ['a spreadsheet', Buffer.from('PK\x03\x04rest'), 'export it as CSV'],
    ['UTF-16', Buffer.from('\uFEFFid,cost\n', 'utf16le'), 'save it as CSV or JSON in UTF-8'],
  ]
  for (const [name, content, message] of cases) {
    test(name, async () => expect(await refusalOf(content)).toContain(message))
  }
  test('no file at all', async () => {
    await expect(openUsageFile(folder.join('none'))).rejects.toThrow("can't be read: Error: ENOENT")
    await expect(openUsageFile(folder.path)).rejects.toThrow("can't be read")
  })
})
