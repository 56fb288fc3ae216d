import { expect, test } from 'bun:test'
import { missingIn } from '../../src/cli/missing.ts'

const all = { channels: 1, groups: 1, models: 1, accounts: 1, tokens: 1 }

test('what a start lacks is named with the way out', () => {
  expect(missingIn(all)).toEqual([])
  const none = missingIn({ channels: 0, groups: 0, models: 0, accounts: 0, tokens: 0 }).join('\n')
  for (const command of ['init', 'channel add', 'group add', 'account add'])
    expect(none).toContain(`tollgate ${command}`)
  expect(none).not.toContain('token add')
  expect(missingIn({ ...all, tokens: 0 })).toEqual([expect.stringContaining('tollgate token add')])
  expect(missingIn({ ...all, models: 0 })).toEqual([expect.stringContaining('No callable model')])
})
