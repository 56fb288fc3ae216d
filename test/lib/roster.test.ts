import { expect, test } from 'bun:test'
import { Roster } from '../../src/lib/roster.ts'

const named = (name: string) => ({ name, place: -1 })

test('a roster holds who has come and not gone, in whichever order they go', () => {
  const roster = new Roster<ReturnType<typeof named>>()
  const [a, b, c] = [named('a'), named('b'), named('c')]
  for (const one of [a, b, c]) roster.add(one)
  const before = roster.all()
  expect([roster.delete(a), roster.delete(a)]).toEqual([true, false])
  expect(new Set(roster.all())).toEqual(new Set([b, c]))
  roster.add(a)
  expect([roster.delete(c), roster.delete(b), roster.size]).toEqual([true, true, 1])
  expect(roster.all()).toEqual([a])
  expect(before).toEqual([a, b, c])
  expect([roster.delete(a), roster.size, a.place]).toEqual([true, 0, -1])
})
