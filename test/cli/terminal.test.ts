import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { ask } from '../../src/cli/ask.ts'
import { printInPlace } from '../../src/cli/terminal.ts'

const evil = 'evil\u001b]0;x\u0007\u001b[31m\u202e@example.com\n'
const shown = 'evil\\u001b]0;x\\u0007\\u001b[31m\\u202e@example.com\\n'

/** Two ends of a terminal, and what was written to it. */
function createTerminal() {
  const [input, output] = [new PassThrough(), new PassThrough()]
  let written = ''
  output.on('data', (bytes) => {
    written += String(bytes)
  })
  return { input, output, written: () => written }
}

test('a name in a question steers no terminal', async () => {
  const { input, output, written } = createTerminal()
  input.write('yes\n')
  const question = `Remove the token of ${evil}? [y/N]`
  expect(await ask(question, { input, output })).toBe('yes')
  expect(written()).toBe(`Remove the token of ${shown}? [y/N] `)
})

test('nor does one in a line that changes', () => {
  const { output, written } = createTerminal()
  printInPlace(evil, output)
  expect(written()).toBe(`\r\u001b[K${shown}`)
})

test('all that commands write goes through the two files that see to it', () => {
  const folder = join(import.meta.dir, '../../src/cli')
  // Jobs are read by a process.
  const others = new Set(['output.ts', 'terminal.ts', 'job.ts'])
  const writing = readdirSync(folder).filter((file) =>
    /(stdout|stderr|stream)\.write\(|output: process|console\.\w+\(/.test(
      readFileSync(join(folder, file), 'utf8'),
    ),
  )
  expect(writing.filter((file) => !others.has(file))).toEqual([])
})
