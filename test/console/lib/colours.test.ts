import { describe, expect, test } from 'bun:test'
import { colourOf, otherSlot, slotsOf } from '../../../src/console/lib/colours.ts'

/** So many things have colours of their own. */
const slotCount = 9

describe('the colours of models', () => {
  test('are the same in every chart', () => {
    const first = slotsOf(['gpt', 'claude', 'gemini'])
    const second = slotsOf(['gemini', 'claude'])
    expect(second.get('gemini')).toBe(first.get('gemini') ?? Number.NaN)
    expect(second.get('claude')).toBe(first.get('claude') ?? Number.NaN)
  })

  test('stay what they were first, though another wanted the same', () => {
    // `a` and `j` have one hash.
    const slot = slotsOf(['a', 'j']).get('j')
    expect(slotsOf(['j']).get('j')).toBe(slot ?? Number.NaN)
  })

  test('are told apart in one chart, as many as there are', () => {
    const names = Array.from({ length: slotCount }, (_, index) => `model ${index}`)
    const slots = [...slotsOf(names).values()]
    expect(new Set(slots).size).toBe(slotCount)
    const colours = slots.map((slot) => colourOf(slot, 'light'))
    expect(new Set(colours).size).toBe(slotCount)
  })

  test('of more than there are, the last share that of the others', () => {
    const names = Array.from({ length: slotCount + 2 }, (_, index) => `many ${index}`)
    const slots = slotsOf(names)
    expect(slots.get(`many ${slotCount}`)).toBe(otherSlot)
    expect(slots.get('many 0')).not.toBe(otherSlot)
  })
})

test('a model looks like a failure only when no other colour is left', () => {
  const names = Array.from({ length: slotCount - 2 }, (_, index) => `calm ${index}`)
  const slots = [...slotsOf(names).values()]
  // The places of rose, which means that something failed, and of wine.
  expect(slots).not.toContain(1)
  expect(slots).not.toContain(4)
})
