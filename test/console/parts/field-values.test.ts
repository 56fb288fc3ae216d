import { expect, test } from 'bun:test'
import { changeOf, fieldOf, valuesOf } from '../../../src/console/pages/groups/group-fields.ts'
import { formOf } from '../../../src/console/parts/form-fields.ts'

// Which countries are served, as a form has it.

const { valuesOf: fill, settingsOf: read } = formOf({ regions: 'regions' })

test('what is there stands in the form, and goes back as it was', () => {
  for (const regions of [null, { allow: ['CN', 'US'] }, { deny: ['RU'] }])
    expect(read(fill({ regions }))).toEqual({ regions } as never)
  expect(fill(undefined)).toEqual({ regions: { kind: 'all', list: '' } })
})

test('codes are typed with commas, spaces or both between', () => {
  const typed = read({ regions: { kind: 'allow', list: ' cn, US\nDE,, ' } })
  expect(typed).toEqual({ regions: { allow: ['cn', 'US', 'DE'] } })
  const none = read({ regions: { kind: 'deny', list: '' } })
  expect(none).toEqual({ regions: { deny: [] } })
})

test('a form names its countries only where they change', () => {
  const lists = { channels: [], models: [], accounts: null, tools: null, limits: {} }
  const seen = { ...lists, regions: { deny: ['RU'] }, revision: 'r' } as never
  const values = valuesOf(seen)
  expect(changeOf(seen, values)).not.toHaveProperty('regions')
  const open = { ...values, regions: { ...values.regions, kind: 'all' as const } }
  expect(changeOf(seen, open)).toMatchObject({ regions: null })
})

test('a refusal is shown at the field of the codes', () => {
  for (const field of ['regions', 'regions.allow.0', 'regions.deny'])
    expect(fieldOf(field)).toBe('regions.list')
})
