import { expect, test } from 'bun:test'
import { differences, differingColumns } from '../../../src/store/queries/changes.ts'

const row = {
  ...{ name: '[1]', description: '["cheap"]', priority: 1, models: '["a"]', probe: null },
  keys_sealed: new Uint8Array([1]),
}

test('only columns that differ are written, and told from what to what', () => {
  const changed = differingColumns(row, { ...row, priority: 2, models: '["a","b"]' })
  expect(changed).toEqual({ priority: 2, models: '["a","b"]' })
  expect(differences(row, changed)).toEqual({
    priority: { from: 1, to: 2 },
    models: { from: ['a'], to: ['a', 'b'] },
  })
})

test('a text that looks like a list is told as it is written', () => {
  expect(differences(row, { description: '["dear"]' })).toEqual({
    description: { from: '["cheap"]', to: '["dear"]' },
  })
})

test('of a secret only that it has changed is told', () => {
  const same = { keys_sealed: new Uint8Array([1]) }
  expect(differingColumns(row, same)).toEqual({})
  expect(differences(row, { keys_sealed: new Uint8Array([2]), proxy_sealed: null })).toEqual({
    keys: 'changed',
    proxy: 'removed',
  })
})
