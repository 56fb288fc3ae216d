/** One thing that an agent is led to do. Paths are relative to its folder. */
export type Deed =
  | { readonly do: 'read'; readonly path: string }
  | { readonly do: 'edit'; readonly path: string; readonly from: string; readonly to: string }
  | { readonly do: 'run'; readonly command: string }

/** What an agent finds, what it is asked, and what it is led to do, one deed a turn. */
export interface Work {
  readonly task: string
  /** By path. */
  readonly files: Readonly<Record<string, string>>
  readonly deeds: readonly Deed[]
  readonly lastWords: string
  /** What its tools have told by the end, in this order. */
  readonly told: readonly string[]
}

const read = (path: string): Deed => ({ do: 'read', path })
const edit = (path: string, from: string, to: string): Deed => ({ do: 'edit', path, from, to })
const run = (command: string): Deed => ({ do: 'run', command })

/** One file, one mistake. */
export const shortWork: Work = {
  task: 'Correct the spelling mistake in greeting.txt',
  files: { 'greeting.txt': 'Hello, wrold!\n' },
  deeds: [read('greeting.txt'), edit('greeting.txt', 'wrold', 'world')],
  lastWords: 'Done: the spelling is corrected.',
  told: [],
}

/** How the tests of `longWork` are run. */
export const runTests = 'node --test --test-reporter=spec'

/** A small library whose tests fail for three reasons: 15 turns with a call each, then the last words. */
export const longWork: Work = {
  task: 'The tests of this project fail. Find out why, mend it, and say in README.md what was wrong.',
  files: {
    'package.json': '{ "name": "words", "version": "1.0.0", "type": "module" }\n',
    'README.md': '# Words\n\nCounts the words of a text, and writes titles.\n\n## Changes\n',
    'src/split.js': `/** The words of a text, in their order. */
export function split(text) {
  return text.split(' ')
}
`,
    'src/count.js': `import { split } from './split.js'

/** How often each word is in a text, whatever its case. */
export function count(text) {
  const counts = new Map()
  for (const word of split(text)) {
    counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return counts
}
`,
    'src/title.js': `import { split } from './split.js'

/** A text as a title: each word begins with a capital letter. */
export function title(text) {
  return split(text)
    .map((word) => word[0].toUpperCase() + word.slice(2))
    .join(' ')
}
`,
    'test/words.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { count } from '../src/count.js'
import { split } from '../src/split.js'
import { title } from '../src/title.js'

test('splits at any space', () => {
  assert.deepEqual(split('  one  two\\nthree '), ['one', 'two', 'three'])
})
test('counts whatever the case', () => {
  assert.deepEqual([...count('One two one')], [['one', 2], ['two', 1]])
})
test('writes titles', () => {
  assert.equal(title('the long way'), 'The Long Way')
})
`,
  },
  deeds: [
    run('ls -R'),
    read('package.json'),
    read('test/words.test.js'),
    run(runTests),
    read('src/split.js'),
    edit('src/split.js', "text.split(' ')", 'text.split(/\\s+/).filter(Boolean)'),
    run(runTests),
    read('src/count.js'),
    edit('src/count.js', 'split(text)) {', 'split(text.toLowerCase())) {'),
    read('src/title.js'),
    edit('src/title.js', 'word.slice(2)', 'word.slice(1)'),
    run(runTests),
    read('README.md'),
    edit('README.md', '## Changes\n', '## Changes\n\nWords are split at any space.\n'),
    run(`${runTests} && cat README.md`),
  ],
  lastWords: 'Done: all three tests pass, and README.md says what was wrong.',
  told: ['fail 3', 'fail 2', 'pass 3'],
}

/** The files of a work when all its deeds are done. */
export function filesAfter({ files, deeds }: Work): Readonly<Record<string, string>> {
  const after = { ...files }
  for (const deed of deeds) {
    if (deed.do === 'edit') after[deed.path] = (after[deed.path] ?? '').replace(deed.from, deed.to)
  }
  return after
}
