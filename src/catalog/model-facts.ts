import minimumsFile from '../../data/prompt-cache.json' with { type: 'json' }
import familiesFile from '../../data/reasoning-models.json' with { type: 'json' }
import type { PriceRow } from '../store/ports/catalog.ts'
import { findVendorPrice } from './vendor-prices.ts'

/** Finds facts by an upstream's model name: with or without a date or version, under any marketplace's spelling. */
function factsByModel<Fact>(
  entries: readonly { readonly fact: Fact; readonly models: readonly string[] }[],
): (upstreamModel: string) => Fact | undefined {
  const known = new Map(
    entries.flatMap(({ fact, models }) => models.map((name) => [spelt(name), fact] as const)),
  )
  return (upstreamModel) => {
    const name = spelt(upstreamModel)
    return known.get(name) ?? known.get(name.replace(version, ''))
  }
}

/** A snapshot suffix: `-2024-08-06`, `-20250514`, `@20250514`, `-001`, `-latest`, `-v1:0`. */
const version = /(?:[-@](?:latest|\d{3,4}|\d{8}|\d{4}-\d\d-\d\d))?(?:-v\d+(?::\d+)?)?$/

/** A model's name without marketplace prefixes (`us.anthropic.`, `openai/`), and with `4-5` for `4.5`. */
export const spelt = (name: string): string =>
  name
    .slice(name.lastIndexOf('/') + 1)
    .replace(/^(?:[a-z]+\.)*anthropic\./, '')
    .replace(/(?<=\d)\.(?=\d)/g, '-')

export type ModelKind = 'answers' | 'embeddings' | 'images'

/**
 * A model's kind by its vendor's naming: `text-embedding-3-small`, `gemini-embedding-001`, `mistral-embed`; `gpt-
 * image-1`, `dall-e-3`, `imagen-4`. Models that return images beside text (`gemini-2.5-flash-image`) count as text
 * models.
 */
export function kindOf(model: string): ModelKind {
  if (embeds.test(model)) return 'embeddings'
  return draws.test(model) ? 'images' : 'answers'
}

const embeds = /(^|[-/@.:_])embed(ding)?s?([-/@.:_]|$)/i
const draws = /(^|[/@.:_])(gpt-image|dall-e|imagen)(-|$)/i

/** `data/reasoning-models.json` explains each value. */
type Reasons = 'never' | 'when_asked' | 'unless_off' | 'always'

/** When the upstream's model reasons; `always` for an unknown model. */
export function reasonsOf(upstreamModel: string): Reasons {
  findReasons ??= factsByModel(
    familiesFile.families.map(({ reasons, models }) => ({ fact: reasons as Reasons, models })),
  )
  return findReasons(upstreamModel) ?? 'always'
}

let findReasons: ReturnType<typeof factsByModel<Reasons>> | undefined

/** The smallest prompt that a model caches, in LLM tokens, at most (`data/prompt-cache.json`). */
export function cacheMinimum(upstreamModel: string): number {
  findMinimum ??= factsByModel(
    minimumsFile.minimums.map(({ tokens, models }) => ({ fact: tokens, models })),
  )
  return findMinimum(upstreamModel) ?? mostMinimum
}

let findMinimum: ReturnType<typeof factsByModel<number>> | undefined

const mostMinimum = Math.max(...minimumsFile.minimums.map(({ tokens }) => tokens))

/** Context windows of models in LLM tokens, looked up once per name. */
export interface ContextWindows {
  /**
   * The operator's value, else the vendor's largest for that id or its upstream models; null: one is unknown, or
   * the price has a tier beyond it.
   */
  of(price: PriceRow, candidates: readonly { readonly upstreamModel: string }[]): number | null
}

/** Caches lookups, also failed ones, while a catalog is built. */
export function createContextWindows(
  find: (model: string) => { readonly contextWindow: number | null } | undefined = findVendorPrice,
): ContextWindows {
  const known = new Map<string, number | null>()

  function ofVendor(model: string): number | null {
    const found = known.get(model)
    if (found !== undefined) return found
    const contextWindow = find(model)?.contextWindow ?? null
    known.set(model, contextWindow)
    return contextWindow
  }

  return {
    of({ model, terms }, candidates) {
      const own = terms.unit === 'tokens' ? terms.contextWindow : undefined
      if (own !== undefined) return own
      const tiers = terms.unit === 'tokens' ? terms.tiers : []
      const fits = (window: number | null) =>
        window !== null && tiers.every(({ above }) => above < window) ? window : null
      const named = ofVendor(model)
      if (named !== null) return fits(named)
      let largest: number | null = null
      for (const { upstreamModel } of candidates) {
        const contextWindow = ofVendor(upstreamModel)
        if (contextWindow === null) return null
        largest = Math.max(largest ?? 0, contextWindow)
      }
      return fits(largest)
    },
  }
}
