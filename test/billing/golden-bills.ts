import type { PriceTerms } from '../../src/store/ports/catalog.ts'

// Case B5, worked out by hand. Prices in USD per 1M tokens, of which one token costs that many
// thousand nano-USD; every price differs, so that a wrong bucket or tier shows.
//
//   tier          input  output  cache read  cache write  write 1h
//   base              1       5         0.1         1.25         2
//   above 200000      3      15         0.3         3.75         6
//
// Context 199,999 / 200,000 / 200,001 in one bucket, and 1,000 tokens of output.

const million = 1_000_000

/** The price that all of them are made by. */
export const goldenTerms: PriceTerms = {
  unit: 'tokens',
  base: {
    input: million,
    output: 5 * million,
    cacheRead: million / 10,
    cacheWrite: 1.25 * million,
    cacheWrite1h: 2 * million,
  },
  tiers: [
    {
      above: 200_000,
      input: 3 * million,
      output: 15 * million,
      cacheRead: (3 * million) / 10,
      cacheWrite: 3.75 * million,
      cacheWrite1h: 6 * million,
    },
  ],
}

/** The kinds of tokens that a context is made of. */
export type Bucket = 'inputTokens' | 'cacheReadTokens' | 'cacheWriteTokens' | 'cacheWrite1hTokens'

/** Bucket, then nano-USD at −1, 0 and +1 with tiers, and at +1 with the switch off. */
export const goldenBills: readonly (readonly [Bucket, number, number, number, number])[] = [
  // 199,999 × 1,000 + 1,000 × 5,000 … 200,001 × 3,000 + 1,000 × 15,000
  ['inputTokens', 204_999_000, 205_000_000, 615_003_000, 205_001_000],
  // 199,999 × 100 + 5,000,000 … 200,001 × 300 + 15,000,000
  ['cacheReadTokens', 24_999_900, 25_000_000, 75_000_300, 25_000_100],
  // 199,999 × 1,250 + 5,000,000 … 200,001 × 3,750 + 15,000,000
  ['cacheWriteTokens', 254_998_750, 255_000_000, 765_003_750, 255_001_250],
  // 199,999 × 2,000 + 5,000,000 … 200,001 × 6,000 + 15,000,000
  ['cacheWrite1hTokens', 404_998_000, 405_000_000, 1_215_006_000, 405_002_000],
]
