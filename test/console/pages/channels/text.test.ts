import { expect, test } from 'bun:test'
import { quirkText } from '../../../../src/console/pages/channels/text.ts'
import { quirkNames } from '../../../../src/protocols/canonical/quirks.ts'

test.each(['en', 'zh'] as const)('every quirk, and nothing else, has a title in %s', (language) => {
  const titles = quirkText[language]
  expect(Object.keys(titles).toSorted()).toEqual(quirkNames.toSorted())
  expect(Object.values(titles).filter((title) => title.trim() === '')).toEqual([])
})
