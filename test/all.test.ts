import { expect, spyOn, test } from 'bun:test'
import { judge, runAll } from './all.ts'

const output = `bun test v1.4.5 (a7733435c) 2x PARALLEL

test/lib/one.test.ts:
(pass) adds [0.15ms]
(fail) a table > has rows [12.30ms]
✗ test/lib/two.test.ts (worker crashed: SIGKILL)

1 tests failed:
(fail) a table > has rows [12.30ms]

 7 pass
 2 fail
 9 expect() calls
Ran 9 tests across 3 files. [1.07s]
`

test('what failed in a run is named with its file', () => {
  expect(judge('tests', output, 1)).toEqual({
    ...{ passed: 7, failed: 2 },
    names: [
      'tests: test/lib/one.test.ts: a table > has rows',
      'tests: test/lib/two.test.ts (worker crashed: SIGKILL)',
    ],
    paths: new Set(['test/lib/one.test.ts']),
  })
})

test('a run that breaks between its tests has failed, and so has another command', () => {
  expect(judge('tests', ' 3 pass\n 0 fail\n', 1)).toMatchObject({ passed: 3, failed: 1 })
  expect(judge('types', 'wrong', 2)).toEqual({
    ...{ passed: 0, failed: 1 },
    names: ['types: exit code 2'],
    paths: new Set(),
  })
  expect(judge('types', '', 0)).toEqual({ passed: 0, failed: 0, names: [], paths: new Set() })
})

test('sections that run at once are judged each, and shown one after the other', async () => {
  let shown = ''
  using _written = spyOn(process.stdout, 'write').mockImplementation((text) => {
    shown += String(text)
    return true
  })
  using _logged = spyOn(console, 'log').mockImplementation((text) => {
    shown += `${text}\n`
  })
  const shell = (name: string, text: string) => ({ name, command: ['sh', '-c', text] })
  const came = await runAll([
    shell('one', 'echo first; sleep 0.1; echo " 3 pass"'),
    shell('two', 'echo second; exit 2'),
  ])
  expect(shown).toBe('\n== one\nfirst\n 3 pass\n\n== two\nsecond\n')
  expect(came.map(({ passed, failed }) => [passed, failed])).toEqual([
    [3, 0],
    [0, 1],
  ])
})
