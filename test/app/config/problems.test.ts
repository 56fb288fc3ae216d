import { expect, test } from 'bun:test'
import { formatProblems, loadConfig } from '../../../src/app/config/load.ts'
import { startCpuTime } from '../../support/cpu-time.ts'

const env = { EMPTY: '', WORD: 'nonsense' }

function problemsOf(text: string) {
  const loaded = loadConfig({ text, file: 'f', env })
  return loaded.ok ? [] : loaded.problems
}

/** A table of bad files: `## name`, the file, then each problem as `>> line:column: message`. */
const table = await Bun.file(`${import.meta.dir}/bad-configurations.txt`).text()
const cases = table
  .split(/^## /m)
  .slice(1)
  .map((block) => {
    const [name = '', ...lines] = block.trimEnd().split('\n')
    const isExpected = (line: string) => line.startsWith('>> ')
    return {
      name,
      text: lines.filter((line) => !isExpected(line)).join('\n'),
      expected: lines.filter(isExpected).map((line) => line.slice(3)),
    }
  })

test('the table is there', () => expect(cases.length).toBeGreaterThan(100))

test.each(cases)('refuses $name', ({ text, expected }) => {
  const problems = problemsOf(text)
  expect(formatProblems(problems).split('\n')).toEqual(expected.map((line) => `f:${line}`))
  for (const { path, message } of problems)
    expect(message.startsWith(path === '' ? message : path)).toBe(true)
})

test('nesting without end is one problem', () => {
  expect(problemsOf('['.repeat(20_000)).map(({ message }) => message)).toEqual([
    'The file is nested too deep.',
  ])
})

test('reports everything at once, in the order of the file', () => {
  const problems = problemsOf(`accounts:
  - { email: nobody, rol: admin }
groups: [{ channels: [] }]
server:
  listen: x
  max_body: big
`)
  expect(problems.map(({ line, path }) => `${line} ${path}`)).toEqual([
    '2 accounts[0].email',
    '2 accounts[0].rol',
    '3 groups[0].name',
    '5 server.listen',
    '6 server.max_body',
  ])
})

test('an alias bomb is one problem, quickly found', () => {
  const levels = Array.from({ length: 8 }, (_, i) => {
    const inner = Array.from({ length: 9 }, () => (i === 0 ? 'x' : `*a${i - 1}`)).join(', ')
    return `  m${i}: &a${i} [${inner}]`
  })
  const text = `prices:\n${levels.join('\n')}\ngroups: [{ name: g, channels: *a7 }]`
  const cpuMs = startCpuTime()
  expect(problemsOf(text).some(({ path }) => path.startsWith('groups[0].channels[0]'))).toBe(true)
  expect(cpuMs()).toBeLessThan(1_000)

  const many = `groups: [{ name: g, channels: [&a x, ${'*a, '.repeat(200)}] }]`
  expect(
    problemsOf(many)
      .map(({ message }) => message)
      .join(),
  ).toContain('100 uses are the limit')
})

test('a file that is too large is not parsed', () => {
  expect(problemsOf(`# ${'x'.repeat(17 * 2 ** 20)}`)[0]?.message).toBe('The file is over 16 MiB.')
})
