import { describe, expect, test } from 'bun:test'
import { nearest, suggest } from '../../src/lib/suggest.ts'

describe('names that were probably meant', () => {
  const models = [
    'gpt-5-mini',
    'gpt-5',
    'gpt-4o',
    'claude-sonnet-4-5',
    'claude-sonnet-4-5-thinking',
  ]

  test.each([
    ['gpt5', ['gpt-5', 'gpt-4o', 'gpt-5-mini']],
    ['GPT-5-Mini', ['gpt-5-mini', 'gpt-5']],
    ['claude-sonnet-4-5-20250929', ['claude-sonnet-4-5']],
    ['claude-sonnet', ['claude-sonnet-4-5', 'claude-sonnet-4-5-thinking']],
    ['mistral', []],
    ['', []],
    ['x'.repeat(1000), []],
  ])('for %s are %j', (word, expected) => {
    expect(nearest(word, models, 3)).toEqual(expected)
  })

  test('are as many as are asked for', () => {
    expect(nearest('gpt5', models, 1)).toEqual(['gpt-5'])
    expect(suggest('gpt5', models)).toBe('gpt-5')
  })

  test('of very many are still found at once, by their beginning', () => {
    const many = Array.from({ length: 100_000 }, (_, i) => `model-${i}`)
    expect(nearest('model-99999-preview', many, 1)).toEqual(['model-99999'])
  })
})
