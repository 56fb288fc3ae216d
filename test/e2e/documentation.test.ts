import { expect, test } from 'bun:test'
import { documentedFiles, type Fence, fencesOf } from '../support/docs-fences.ts'
import { startDocsScene } from '../support/docs-scene.ts'
import { testEngine } from '../support/test-store.ts'

// The commands of the guide and of the README, run in the order of each page, and its programs, on a gateway of
// the page's own. `sh norun` marks what needs more than that; `sh refused`, what shows an error.

const isRun = ({ language, words }: Fence) =>
  (language === 'sh' || language === 'ts') && !words.includes('norun')

const pages = documentedFiles.filter((file) => fencesOf(file).some(isRun))

test('there are pages with commands', () => {
  expect(pages.length).toBeGreaterThan(5)
})

// The pages name the file of SQLite.
test.skipIf(testEngine !== 'sqlite').each(pages)(
  'what %s shows works',
  async (file) => {
    await using scene = await startDocsScene()
    for (const { name, language, words, code } of fencesOf(file).filter(isRun)) {
      const {
        out,
        err,
        code: exit,
      } = await (language === 'ts'
        ? scene.typescript(code)
        : scene.shell(code, words.includes('refused')))
      expect([name, exit, exit === 0 ? '' : out + err]).toEqual([name, 0, ''])
    }
  },
  120_000,
)
