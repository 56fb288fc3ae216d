import { expect, test } from 'bun:test'
import { cacheMinimum } from '../../src/catalog/model-facts.ts'

test.each([
  ['claude-opus-5', 512],
  ['claude-sonnet-4-5', 1024],
  ['claude-sonnet-4-5-20250929', 1024],
  ['anthropic/claude-sonnet-4.5', 1024],
  ['us.anthropic.claude-opus-4-1-20250805-v1:0', 1024],
  ['claude-opus-4@20250514', 1024],
  ['claude-opus-4-7', 2048],
  ['claude-haiku-4-5', 4096],
  // What is not known has the most that any wants.
  ['claude-opus-9', 4096],
  ['glm-5', 4096],
])('%s caches prompts from %i LLM tokens on', (model, tokens) => {
  expect(cacheMinimum(model)).toBe(tokens)
})
