// The vendor's price list, and its arithmetic: written apart from the product's on purpose. USD per
// million tokens is pico-USD per token times 10⁻⁶; all sums are bigints of pico-USD × thousandths.

/** USD per million tokens, as the list and the configuration write it. */
export interface TokenPrice {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly cacheWrite1h?: number
  readonly inputAudio?: number
  readonly inputImage?: number
  readonly outputAudio?: number
  readonly tiers?: readonly (Omit<TokenPrice, 'tiers'> & { readonly above: number })[]
  readonly window?: number
}
export type Price = TokenPrice | { readonly perCall: number }

const resold: TokenPrice = {
  ...{ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, cacheWrite1h: 6, window: 60_000 },
}

/** The models of the world. Those of one protocol alone are named by it. */
export const models: { readonly [name: string]: Price } = {
  'any-1': {
    input: 3,
    output: 15,
    cacheRead: 0.3,
    cacheWrite: 3.75,
    cacheWrite1h: 6,
    window: 60_000,
  },
  'chat-1': { input: 2, output: 8, cacheRead: 0.5, window: 60_000 },
  'responses-1': { input: 2.5, output: 10, cacheRead: 0.25, window: 60_000 },
  'messages-1': {
    input: 3,
    output: 15,
    cacheRead: 0.3,
    cacheWrite: 3.75,
    cacheWrite1h: 6,
    window: 60_000,
  },
  'gemini-1': { input: 1.25, output: 10, cacheRead: 0.31, window: 60_000 },
  'tiered-1': {
    ...{ input: 1, output: 4, cacheRead: 0.1, window: 60_000 },
    tiers: [{ above: 500, input: 2, output: 8, cacheRead: 0.2 }],
  },
  'sound-1': {
    input: 2,
    output: 8,
    inputAudio: 30,
    inputImage: 4,
    outputAudio: 60,
    window: 60_000,
  },
  'dear-1': { input: 30, output: 120, window: 60_000 },
  // Sold by others in the protocol chat, where writes to the cache are told at the end only.
  'resold-1': resold,
  'claude-3-5-sonnet': resold,
  // By its name it is known not to reason: who leaves it may have its upstream stopped.
  'gpt-4o': { input: 2.5, output: 10, window: 60_000 },
  // The same, on the channel of responses alone: stop sequences are looked for on the way.
  'shown-1': { input: 2.5, output: 10, window: 60_000 },
  'cheap-1': { input: 0.01, output: 0.04, window: 60_000 },
  'called-1': { perCall: 0.02 },
  'embed-1': { input: 0.13, output: 0.13 },
  'painter-1': { perCall: 0.04 },
  'painter-2': { input: 5, output: 40 },
}

/** Models of one channel alone that the vendor calls otherwise. */
export const renamed: {
  readonly [name: string]: { readonly channel: string; readonly upstream: string }
} = {
  'shown-1': { channel: 'responses', upstream: 'gpt-4o' },
  'resold-1': { channel: 'chat', upstream: 'claude-3-5-sonnet' },
}

/** What a vendor makes of one request. Counts of tokens are disjoint. */
export interface Bill {
  /** The request's number. */
  readonly number: number
  /** The account that the request came from. */
  readonly email: string
  readonly model: string
  readonly what: string
  input: number
  cacheRead: number
  cacheWrite: number
  cacheWrite1h: number
  output: number
  /** Of the output, what everybody can see. */
  words: number
  /** Of the input and the output, what is no text. */
  readonly audioIn: number
  readonly imageIn: number
  audioOut: number
  calls: number
  /** Thousandths of the price that the tier costs. */
  tier: number
  /** Uses of hosted tools by name. */
  readonly uses: Record<string, number>
  hasEnded: boolean
  /** It went on with what another account had stored. */
  readonly isForeign: boolean
  /** The vendor itself broke off: it asks money for the words that have arrived. */
  brokeOff: boolean
}

/** USD for one use of a hosted tool. */
export const toolPrices: { readonly [tool: string]: number } = {
  web_search: 0.01,
}

/** What a service tier costs, in thousandths of the price. */
export const tierFactors: { readonly [tier: string]: number } = {
  flex: 500,
  priority: 2_000,
  fast: 6_000,
}

/** What every model's price says of tools and tiers, in the configuration's words. */
export const extras = {
  tools: Object.fromEntries(Object.entries(toolPrices).map(([tool, usd]) => [tool, usd * 1_000])),
  service_tiers: Object.fromEntries(
    Object.entries(tierFactors).map(([tier, factor]) => [tier, factor / 1_000]),
  ),
}

const pico = (usd: number) => BigInt(Math.round(usd * 1e6))

/** What a bill comes to, in pico-USD; `without`: visible tokens of output that are left out. */
export function cost(bill: Bill, without = 0): bigint {
  const price = models[bill.model]
  if (price === undefined) throw new Error(`The vendor has no price for ${bill.model}`)
  const tools = Object.entries(bill.uses).reduce(
    (sum, [tool, uses]) => sum + BigInt(uses) * pico(toolPrices[tool] ?? 0) * 1_000_000n,
    0n,
  )
  if ('perCall' in price) return pico(price.perCall) * 1_000_000n * BigInt(bill.calls) + tools
  const context = bill.input + bill.cacheRead + bill.cacheWrite + bill.cacheWrite1h
  const rates = price.tiers?.findLast(({ above }) => context > above) ?? price
  const cacheWrite = rates.cacheWrite ?? rates.input
  const tokens =
    BigInt(bill.input - bill.audioIn - bill.imageIn) * pico(rates.input) +
    BigInt(bill.audioIn) * pico(rates.inputAudio ?? rates.input) +
    BigInt(bill.imageIn) * pico(rates.inputImage ?? rates.input) +
    BigInt(bill.cacheRead) * pico(rates.cacheRead ?? rates.input) +
    BigInt(bill.cacheWrite) * pico(cacheWrite) +
    BigInt(bill.cacheWrite1h) * pico(rates.cacheWrite1h ?? cacheWrite) +
    BigInt(bill.audioOut) * pico(rates.outputAudio ?? rates.output) +
    BigInt(Math.max(0, bill.output - bill.audioOut - without)) * pico(rates.output)
  return (tokens * BigInt(bill.tier)) / 1000n + tools
}

/** Nano-USD of pico-USD at a multiplier in thousandths: exact, in millionths of a nano-USD. */
export const inMillionths = (picoUsd: bigint, multiplier: number): bigint =>
  picoUsd * BigInt(multiplier)
