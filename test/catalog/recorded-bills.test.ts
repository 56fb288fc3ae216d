import { expect, test } from 'bun:test'
import { calcPrice, waitForUpdate } from '@pydantic/genai-prices'
import { date } from '../../data/vendor-prices.json' with { type: 'json' }
import { charge } from '../../src/billing/charge.ts'
import { findVendorPrice } from '../../src/catalog/vendor-prices.ts'
import { type Bill, recordedBill } from '../support/recorded-bill.ts'
import { hasRecordings, type Recording, recordings } from '../support/recordings.ts'

// What vendors' real answers cost by our list prices is what the package says that they cost. The
// counts come from the recordings by code that shares nothing with the decoders.

const timestamp = new Date(`${date}T00:00:00Z`)
/** Providers that the package calls otherwise. Those that it does not know are left to it. */
const packageNames: { readonly [provider: string]: string } = {
  xai: 'x-ai',
  voyage: 'voyageai',
  'google-vertex': 'google',
}

const reseller = 'a reseller sells it at a price of its own: no list price of its maker'
const manySell = 'several hosts sell it at different prices: it has no list price'
const byHour = 'its vendor prices it by the time of day'
/** Models that the package prices and our list leaves out, each with its reason. */
const leftOut: { readonly [model: string]: string } = {
  'cerebras gpt-oss-120b': manySell,
  'groq deepseek-r1-distill-llama-70b': manySell,
  'groq meta-llama/llama-4-scout-17b-16e-instruct': manySell,
  'groq openai/gpt-oss-120b': manySell,
  'groq qwen/qwen3-32b': manySell,
  'deepseek deepseek-reasoner': byHour,
  'deepseek deepseek-v4-flash': byHour,
  'openai computer-use-preview': 'an id that no clause of the package names: it fits a pattern',
  'perplexity sonar': 'a fee for every request besides its tokens',
  'openrouter anthropic/claude-3.7-sonnet:thinking': reseller,
  'openrouter anthropic/claude-sonnet-4.5': reseller,
  'openrouter anthropic/claude-sonnet-4.6': reseller,
  'openrouter deepseek/deepseek-chat': reseller,
  'openrouter google/gemini-2.0-flash-exp:free': reseller,
  'openrouter google/gemini-2.5-flash': reseller,
  'openrouter openai/gpt-4.1-mini': reseller,
  'openrouter openai/gpt-5-mini': reseller,
  'openrouter openai/gpt-5.1-codex-mini': reseller,
  'openrouter openai/gpt-oss-20b': reseller,
  'openrouter openai/o3': reseller,
  'openrouter qwen/qwen3-30b-a3b-instruct-2507': reseller,
  'openrouter z-ai/glm-4.6': reseller,
}

/** The model that was asked for; where only the answer was kept, the one that it names. */
function modelOf({ request, path, body, sse }: Recording): string | undefined {
  const inPath = /models\/([^:/]+):/.exec(path ?? '')?.[1]
  const text = sse ?? JSON.stringify(body)
  const answered = /"(?:model|modelVersion)":\s*"([^"]+)"/.exec(text)?.[1]
  const asked = typeof request === 'object' && request !== null && Reflect.get(request, 'model')
  return typeof asked === 'string' ? asked : (inPath ?? answered)
}

/** In nano-USD, as a floating point number. */
function packageBill(model: string, providerId: string | undefined, bill: Bill) {
  const [input, output, , cached, write5m, write1h] = bill
  const usage = {
    input_tokens: input + cached + write5m + write1h,
    cache_read_tokens: cached,
    cache_write_tokens: write5m + write1h,
    cache_write_1h_tokens: write1h,
    output_tokens: output,
  }
  const priced = calcPrice(usage, model, { timestamp, ...(providerId && { providerId }) })
  return priced && priced.total_price * 1e9
}

function ourBill(model: string, bill: Bill): number | undefined {
  const terms = findVendorPrice(model)?.terms
  if (terms === undefined) return undefined
  const [inputTokens, outputTokens, , cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens] = bill
  const counts = { inputTokens, outputTokens, cacheReadTokens }
  return charge({
    terms,
    usage: { ...counts, cacheWriteTokens, cacheWrite1hTokens },
    calls: 1,
    multiplierMillionths: 1_000_000,
    longContextPricing: true,
  }).amountNano
}

test.skipIf(!hasRecordings)(
  'the bills of recorded answers are what the package calculates',
  async () => {
    const providers = new Set((await waitForUpdate())?.map(({ id }) => id))
    const differing: object[] = []
    const unlisted = new Set<string>()
    let equal = 0
    for (const recording of recordings) {
      const bill = recording.status === 200 ? recordedBill(recording) : undefined
      const model = bill && modelOf(recording)
      if (bill === undefined || model === undefined) continue
      const provider = packageNames[recording.provider] ?? recording.provider
      const theirs = packageBill(model, providers.has(provider) ? provider : undefined, bill)
      if (theirs === null) continue
      const ours = ourBill(model, bill)
      if (ours === undefined) unlisted.add(`${recording.provider} ${model}`)
      // Half a nano-USD for our rounding, and the package's: a few units in its last place.
      else if (Math.abs(ours - theirs) <= 0.5 + theirs * 8 * Number.EPSILON) equal++
      else differing.push({ id: recording.id, model, ours, theirs })
    }
    expect(differing).toEqual([])
    expect([...unlisted].sort()).toEqual(Object.keys(leftOut).sort())
    expect(equal).toBeGreaterThanOrEqual(200)
  },
)
