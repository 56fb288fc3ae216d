import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { writeWholeFile } from '../../src/lib/draft-file.ts'
import { createTempDir } from '../support/temp-dir.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('makes folders, dates the file, replaces it, and leaves nothing else behind', async () => {
  using folder = createTempDir()
  const file = folder.join('a', 'b', 'file.json')
  await writeWholeFile(file, bytes('one'), { modifiedMs: Date.UTC(2026, 0, 1), mode: 0o640 })
  expect(statSync(file).mtimeMs).toBe(Date.UTC(2026, 0, 1))
  expect(statSync(file).mode & 0o777).toBe(0o640)
  await writeWholeFile(file, bytes('two'))
  expect(readFileSync(file, 'utf8')).toBe('two')
  expect(statSync(file).mtimeMs).toBeGreaterThan(Date.now() - 60_000)
  expect(readdirSync(folder.join('a', 'b'))).toEqual(['file.json'])
})

test('readers never see a part, however often it is written', async () => {
  using folder = createTempDir()
  const file = folder.join('file')
  const contents = ['a', 'b'].map((letter) => bytes(letter.repeat(500_000)))
  await writeWholeFile(file, bytes('a'.repeat(500_000)))
  let writing = true
  const writer = (async () => {
    for (let at = 0; at < 30; at++)
      await Promise.all(contents.map((content) => writeWholeFile(file, content)))
    writing = false
  })()
  let reads = 0
  while (writing) {
    const text = await Bun.file(file).text()
    expect(/^(a{500000}|b{500000})$/.test(text)).toBe(true)
    reads++
  }
  await writer
  expect(reads).toBeGreaterThan(5)
  expect(readdirSync(folder.path)).toEqual(['file'])
})

test('a write that fails leaves the old file and no draft', async () => {
  using folder = createTempDir()
  mkdirSync(folder.join('file', 'in-the-way'), { recursive: true })
  await expect(writeWholeFile(folder.join('file'), bytes('x'))).rejects.toThrow()
  await writeWholeFile(folder.join('other'), bytes('x'))
  expect(readdirSync(folder.path).sort()).toEqual(['file', 'other'])
})
