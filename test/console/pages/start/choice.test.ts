import { describe, expect, test } from 'bun:test'
import {
  firstTicked,
  matching,
  namesIn,
  nothingTyped,
  pricesOf,
} from '../../../../src/console/pages/start/choice.ts'
import { reasonOf } from '../../../../src/console/pages/start/failure.ts'

const priced = (id: string, source: 'vendor' | 'upstream' = 'vendor') => ({
  id,
  price: { input: '1', output: '2', source },
})
const unpriced = (id: string) => ({ id, price: null })

describe('the models of the first steps', () => {
  test('of a short list, those with a price are ticked; of a long one none', () => {
    const short = [priced('a'), unpriced('b')]
    expect(firstTicked(short)).toEqual(['a'])
    expect(firstTicked(Array.from({ length: 300 }, (_, at) => priced(`m${at}`)))).toEqual([])
  })

  test('are found by parts of their names', () => {
    const models = [priced('openai/gpt-5-mini'), priced('openai/gpt-5'), priced('claude')]
    expect(matching(models, 'GPT mini').map(({ id }) => id)).toEqual(['openai/gpt-5-mini'])
    expect(matching(models, '')).toHaveLength(3)
  })

  test('typed by hand are one a line, each once', () => {
    expect(namesIn(' a \n\nb\na')).toEqual(['a', 'b'])
  })

  test('need a price of their own only where no list has one', () => {
    const models = [priced('listed'), priced('told', 'upstream'), unpriced('own'), unpriced('left')]
    const chosen = ['listed', 'told', 'own', 'by-hand', 'half']
    const typed = {
      own: { ...nothingTyped, isFree: true },
      'by-hand': { ...nothingTyped, input: ' 0.5 ', output: '1' },
      half: { ...nothingTyped, input: '0.5', output: '1,5' },
    }
    const { prices, lacking, unlisted } = pricesOf(chosen, models, typed)
    expect(Object.fromEntries(prices)).toEqual({
      told: { input: '1', output: '2' },
      own: { free: true },
      'by-hand': { input: '0.5', output: '1' },
    })
    expect(lacking).toEqual(['half'])
    expect(unlisted).toEqual(['own', 'by-hand', 'half'])
  })

  test('that the upstream lists at no price are free', () => {
    const gift = { id: 'gift', price: { input: '0', output: '0', source: 'upstream' as const } }
    expect(pricesOf(['gift'], [gift], {}).prices.get('gift')).toEqual({ free: true })
  })
})

test.each([
  [false, 401, 'upstream_auth', 'failKey'],
  [false, 403, 'upstream_blocked', 'failKey'],
  [false, null, 'address_refused', 'failPrivate'],
  [false, null, 'connect_failed', 'failReach'],
  [false, null, 'timeout_connect', 'failReach'],
  [false, 404, 'client_fault', 'failList'],
  [false, 200, 'upstream_invalid', 'failList'],
  [false, 500, 'upstream_failed', 'failOther'],
  [true, 200, null, 'failList'],
] as const)(
  'a list that did not come is told: ok %p, status %p, failure %p: %s',
  (ok, status, failure, text) => {
    expect(reasonOf({ ok, status, failure })).toBe(text)
  },
)
