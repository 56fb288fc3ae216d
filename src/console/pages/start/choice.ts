import type { ModelsListed } from '../../../admin/channels/schema.ts'
import type { GivenPrice } from '../../../admin/prices/schema.ts'

/** A channel to be made, without its models. */
export interface Source {
  readonly name: string
  readonly speaks: { readonly [protocol: string]: string }
  readonly api_keys: string[]
  readonly allow_private: boolean
  readonly quirks: string[]
}

export type Listed = ModelsListed['models']

/** What is typed for a model without a known price. */
export interface TypedPrice {
  readonly input: string
  readonly output: string
  readonly isFree: boolean
}

export const nothingTyped: TypedPrice = { input: '', output: '', isFree: false }

export type Typed = Readonly<Record<string, TypedPrice>>

/** So many models with a price are ticked unasked; of longer lists people tick themselves. */
const fewModels = 30

/** The models that are ticked at first. */
export function firstTicked(models: Listed): readonly string[] {
  const priced = models.filter(({ price }) => price !== null)
  const chosen = models.length <= fewModels ? priced : []
  return chosen.map(({ id }) => id)
}

/** Models whose names contain all words of a search. */
export function matching(models: Listed, search: string): Listed {
  const words = search.toLowerCase().split(/\s+/)
  return models.filter(({ id }) => words.every((word) => id.toLowerCase().includes(word)))
}

/** One name a line, each once. */
export const namesIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
]

/** Whether a text is a price or a multiplier: a plain decimal. */
export const isPrice = (text: string): boolean => /^\d+(\.\d{1,6})?$/.test(text.trim())

/** What a model costs as typed; undefined: it does not say. */
export function givenPrice({ input, output, isFree }: TypedPrice): GivenPrice | undefined {
  if (isFree) return { free: true }
  const [given, made] = [input.trim(), output.trim()]
  return isPrice(given) && isPrice(made) ? { input: given, output: made } : undefined
}

/**
 * Prices to set for the chosen models. Those of the vendors' lists hold without; `lacking`: models whose price is
 * still to be typed;
 * `unlisted`: all whose price is typed.
 */
export function pricesOf(chosen: readonly string[], models: Listed, typed: Typed) {
  const listed = new Map(models.map(({ id, price }) => [id, price]))
  const prices = new Map<string, GivenPrice>()
  const lacking: string[] = []
  const unlisted: string[] = []
  for (const id of chosen) {
    const known = listed.get(id)
    if (known?.source === 'vendor') continue
    const price = known ? upstreamPrice(known) : givenPrice(typed[id] ?? nothingTyped)
    if (!known) unlisted.push(id)
    if (price) prices.set(id, price)
    else lacking.push(id)
  }
  return { prices, lacking, unlisted }
}

/** Upstreams list what costs nothing with prices of 0, which are set as free. */
const upstreamPrice = ({ input, output }: { input: string; output: string }): GivenPrice =>
  Number(input) === 0 && Number(output) === 0 ? { free: true } : { input, output }
