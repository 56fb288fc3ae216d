import { expect, test } from 'bun:test'
import type { GroupView } from '../../../../src/admin/groups/schema.ts'
import {
  changeOf,
  settingsOf,
  valuesOf,
} from '../../../../src/console/pages/groups/group-fields.ts'

/** A group as the form sees it; what it does not look at is left out. */
const group = (tools: string[] | null, accounts: string[] | null = null) =>
  ({
    ...{ name: 'g', description: '', platform: '', rate_multiplier: '1', channels: [], models: [] },
    ...{ long_context_pricing: true, on_disconnect: 'drain', regions: null, revision: 'r' },
    limits: { rpm: null, tpm: null, concurrency: null },
    ...{ tools, accounts },
  }) as unknown as GroupView

test.each([
  ['all', null],
  ['none', []],
  ['some', ['web_search']],
])(
  'a group that allows %s of its vendors’ tools, and is for as many accounts, stays so',
  (_, list) => {
    const seen = group(list, list)
    const values = valuesOf(seen)
    expect(settingsOf(values)).toMatchObject({ tools: list, accounts: list })
    expect(changeOf(seen, { ...values, name: 'h' })).toEqual({ name: 'h' })
  },
)

test('what is taken from all is said, and so is what is opened to all', () => {
  const all = valuesOf(group(null))
  expect(changeOf(group(null), { ...all, tools: { kind: 'only', list: 'mcp\n' } })).toMatchObject({
    tools: ['mcp'],
  })
  const some = valuesOf(group([], ['a@example.com']))
  expect(
    changeOf(group([], ['a@example.com']), {
      ...some,
      accounts: { ...some.accounts, kind: 'all' },
    }),
  ).toEqual({ accounts: null })
})
