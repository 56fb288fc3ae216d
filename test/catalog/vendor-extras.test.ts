import { describe, expect, test } from 'bun:test'
import file from '../../data/vendor-extras.json' with { type: 'json' }
import type { Offer } from '../../src/catalog/catalog.ts'
import { offeredExtras, vendorExtras } from '../../src/catalog/vendor-extras.ts'
import { hostedTools, isHostedTool } from '../../src/protocols/canonical/tools.ts'

const entries = [...file.tools, ...file.serviceTiers]

describe('the list of what tools and service tiers cost', () => {
  test('names known tools of known vendors, whole prices, and where each is from', () => {
    for (const entry of file.tools) expect(isHostedTool(entry.tool)).toBe(true)
    for (const entry of entries) {
      expect(['openai', 'anthropic', 'google']).toContain(entry.vendor)
      expect(entry.source).toMatch(/^https:\/\/[a-z.]+\.(com|ai|dev)\//)
      const price = 'nano' in entry ? entry.nano : entry.millionths
      expect(Number.isSafeInteger(price) && price >= 0).toBe(true)
    }
  })

  test('says nothing that an earlier line has said', () => {
    const seen = new Set<string>()
    for (const entry of entries) {
      const key = `${entry.vendor} ${'tool' in entry ? entry.tool : `tier ${entry.tier}`}`
      expect({ key, isHidden: seen.has(key) }).toEqual({ key, isHidden: false })
      // A line for all models is the last one.
      if (!('models' in entry)) seen.add(key)
    }
  })

  test('knows every tool at some vendor', () => {
    const named = new Set<string>(file.tools.map(({ tool }) => tool))
    expect(hostedTools.filter((tool) => !named.has(tool))).toEqual([])
  })
})

describe('the vendor of the protocol that a channel speaks', () => {
  const tool = (protocol: string, model: string, name: string) =>
    vendorExtras(protocol, model).tools?.[name]
  const tier = (protocol: string, model: string, name: string) =>
    vendorExtras(protocol, model).serviceTiers?.[name]

  test('prices tools of a model that nobody lists', () => {
    expect(tool('responses', 'my-model', 'web_search')).toBe(10_000_000)
    expect(tool('messages', 'my-model', 'web_search')).toBe(10_000_000)
    expect(tool('gemini', 'my-model', 'web_search')).toBe(35_000_000)
    expect(tool('gemini', 'my-model', 'maps_grounding')).toBe(25_000_000)
    expect(tool('messages', 'my-model', 'maps_grounding')).toBeUndefined()
    expect(vendorExtras(undefined, 'my-model')).toEqual({})
  })

  test('and by the beginning of the model that the upstream knows', () => {
    expect(tool('chat', 'gpt-4o-search-preview', 'web_search')).toBe(25_000_000)
    expect(tool('responses', 'gpt-4.1', 'web_search_preview')).toBe(25_000_000)
    expect(tool('responses', 'gpt-5-mini', 'web_search_preview')).toBe(10_000_000)
    expect(tool('gemini', 'gemini-3-pro-preview', 'web_search')).toBe(14_000_000)
    expect(tier('messages', 'claude-opus-4-6', 'fast')).toBe(6_000_000)
    expect(tier('messages', 'claude-opus-5', 'fast')).toBe(2_000_000)
    expect(tier('messages', 'claude-opus-5', 'us')).toBe(1_100_000)
    expect(tier('chat', 'gpt-5', 'flex')).toBe(500_000)
    // Others that speak the protocol give no discount.
    expect(tier('chat', 'llama-3.3-70b', 'flex')).toBeUndefined()
  })

  test('tokens that are no text by the list price of the model itself', () => {
    expect(vendorExtras('chat', 'gpt-audio').modalities).toEqual({
      inputAudio: 32_000_000,
      outputAudio: 64_000_000,
    })
    expect(vendorExtras('gemini', 'gemini-2.5-flash').modalities?.inputAudio).toBe(1_000_000)
    expect(vendorExtras('chat', 'my-model').modalities).toBeUndefined()
  })
})

test('where channels have several lists, the dearest price is told, and before it the own one', () => {
  const offer = (own: object, ...models: readonly string[]) =>
    offeredExtras({
      price: { terms: { unit: 'call', perCallNano: 1, extras: { tools: own } } },
      candidates: models.map((upstreamModel) => ({
        channel: { speaks: { chat: 'https://one.example' } },
        upstreamModel,
      })),
    } as unknown as Offer).tools?.web_search
  for (const models of [
    ['gpt-4o-search-preview', 'my-model'],
    ['my-model', 'gpt-4o-search-preview'],
  ]) {
    expect(offer({}, ...models)).toBe(25_000_000)
    expect(offer({ web_search: 7 }, ...models)).toBe(7)
  }
})
