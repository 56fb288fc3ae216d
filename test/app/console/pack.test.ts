import { expect, test } from 'bun:test'
import { packBundle } from '../../../src/app/console/pack.ts'

const file = (name: string) => ({
  ...{ name, contentType: 'text/css' },
  bytes: async () => new TextEncoder().encode(name),
})
const packed = async (...names: readonly string[]) => {
  const files = new Map(names.map((name) => [name, file(name)]))
  return (await packBundle({ inside: 'in', outside: 'out', files })).bytes()
}

test('the console is packed into the same bytes whatever the order of its files', async () => {
  expect(await packed('b.css', 'a.css')).toEqual(await packed('a.css', 'b.css'))
  expect(await packed('a.css')).not.toEqual(await packed('b.css'))
})
