import { expect, test } from 'bun:test'
import { withAskedContext } from '../../src/gateway/admit/plan.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import { createExchange } from './exchange-parts.ts'

const protocol = messages
const operation = messages.generation
const said = [{ role: 'user', content: 'hello' }]
const large = 'context-1m-2025-08-07'

/** What a model of 200,000 is taken to hold. */
async function windowFor(header: string | undefined, more: object = {}) {
  const body = { model: 'm', max_tokens: 9, messages: said, ...more }
  const { exchange } = await createExchange({ protocol, operation, body })
  const { plan, facts } = exchange
  if (plan === undefined) throw new Error('There is no plan.')
  const small = { ...plan, offer: { ...plan.offer, contextWindow: 200_000 } }
  const headers = new Headers(header === undefined ? {} : { 'anthropic-beta': header })
  return withAskedContext(small, headers, facts?.betas ?? []).offer.contextWindow
}

test.each([
  ['nothing', undefined, {}, 200_000],
  ['other things', 'prompt-caching-2024-07-31', { anthropic_beta: ['made-up'] }, 200_000],
  ['it in a header', `made-up,${large}`, {}, 1_000_000],
  ['none, and then it', `context-0m,${large}`, {}, 1_000_000],
  ['it, and then a larger one', `${large},context-2m-2027-01-01`, {}, 2_000_000],
  ['it in the body', undefined, { anthropic_beta: ['made-up', large] }, 1_000_000],
  ['it in the body, as a text', undefined, { anthropic_beta: large }, 1_000_000],
  ['less in a header than in the body', 'context-0m', { betas: [large] }, 1_000_000],
  ['what is no name', undefined, { anthropic_beta: [1, null, { a: large }] }, 200_000],
])('a model holds as much as is asked for: %s', async (_, header, more, window) => {
  expect(await windowFor(header, more)).toBe(window)
})
