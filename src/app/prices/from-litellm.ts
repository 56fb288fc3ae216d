import { Type } from '@sinclair/typebox'
import type { TextRates } from '../../billing/charge.ts'
import { toolPriceDecimals } from '../../billing/extras.ts'
import { multiplierDecimals, nanoDecimals, priceDecimals } from '../../billing/money.ts'
import type { ExtraPrices, ModalityKind, ModalityRates } from '../../store/ports/extras.ts'
import { joinPath } from '../config/problem.ts'
import { UserError } from '../user-error.ts'
import { freeThere, jsonProblems, type ListedPrice, type PriceList, toUnits } from './price-list.ts'

// Fields and their meaning: LiteLLM's model_prices_and_context_window.schema.json, and "Model Cost Map" of
// its documentation. All costs are USD per unit; unknown fields are to be ignored.

/** Top-level keys that are no models. */
const notModels = new Set(['sample_spec', 'fallback_generalizations'])

/** The form: an entry for each model. */
export const LitellmForm = Type.Record(Type.String(), Type.Object({}))

const Cost = Type.Union([Type.Number({ minimum: 0, maximum: 1000 }), Type.Null()])
const Entry = Type.Object({ mode: Type.Optional(Type.String()) })

/** Kinds of tokens by the field that prices them. */
const kinds = {
  input: 'input_cost_per_token',
  output: 'output_cost_per_token',
  cacheRead: 'cache_read_input_token_cost',
  cacheWrite: 'cache_creation_input_token_cost',
  cacheWrite1h: 'cache_creation_input_token_cost_above_1hr',
} as const satisfies Record<keyof TextRates, string>

/** Charged besides tokens: ignoring it would make nearly every charge wrong. */
const besides: { readonly [field: string]: string } = {
  input_cost_per_request: 'a fee for every request besides its tokens',
  input_cost_per_query: 'a fee for every query besides its tokens',
  citation_cost_per_token: 'citations have a price of their own',
}
/** Output priced apart from text: acceptable only at the price of text. */
const otherOutputs: { readonly [field: string]: string } = {
  output_cost_per_reasoning_token: 'reasoning has a price of its own',
  output_cost_per_image: 'images in its answers have a price of their own',
}

type Prices = ReadonlyMap<string, number>

/** Prices in the form of LiteLLM's `model_prices_and_context_window.json`. */
export function readLitellmForm(document: { readonly [model: string]: object }, name: string) {
  const entries = new Map(Object.entries(document).filter(([model]) => !notModels.has(model)))
  const list: PriceList = {
    form: 'litellm',
    models: [...entries.keys()],
    find(model) {
      const entry = entries.get(model)
      return entry && readEntry(entry, `${name}: ${joinPath('', model)}`)
    },
  }
  return list
}

/** Whether an entry has a field that only this form has. */
export const looksLikeLitellm = (document: { readonly [model: string]: object }): boolean =>
  Object.values(document).some((entry) =>
    ['litellm_provider', ...Object.values(kinds)].some((field) => field in entry),
  )

function readEntry(entry: object, path: string): ListedPrice {
  const costs = Object.entries(entry).filter(([field]) => isRead(field))
  const problems = [
    ...jsonProblems(Entry, entry, path),
    ...costs.flatMap(([field, value]) => jsonProblems(Cost, value, joinPath(path, field))),
  ]
  if (problems.length > 0) throw new UserError(problems.map((one) => `${one}.`).join('\n'))
  if ('tiered_pricing' in entry) return { reason: 'priced by tiered_pricing, which is not read' }
  const prices = new Map(
    costs.flatMap(([field, value]) => (typeof value === 'number' ? [[field, value]] : [])),
  )
  const mode = 'mode' in entry ? String(entry.mode) : ''
  const listed = prices.has(kinds.input) ? byTokens(prices, mode) : byImages(prices, mode)
  const extras = litellmExtras(entry, prices)
  if ('reason' in listed || extras === undefined || !('tiers' in listed.terms)) return listed
  return { ...listed, terms: { ...listed.terms, extras } }
}

const isRead = (field: string) =>
  tierField.test(field) ||
  field in besides ||
  field in otherOutputs ||
  extraFields.includes(field) ||
  field === 'input_cost_per_image'

/** `input_cost_per_token_above_200k_tokens`; rates of batches and service tiers end otherwise. */
const tierField = new RegExp(`^(${Object.values(kinds).join('|')})(?:_above_(\\d+)k_tokens)?$`)

function byTokens(prices: Prices, mode: string): ListedPrice {
  const output = prices.get(kinds.output)
  if (output === undefined && mode !== 'embedding') return { reason: 'no price of output tokens' }
  for (const [field, reason] of Object.entries(besides))
    if ((prices.get(field) ?? 0) > 0) return { reason }
  for (const [field, reason] of Object.entries(otherOutputs)) {
    const price = prices.get(field) ?? 0
    if (price > 0 && price !== output) return { reason }
  }
  const thresholds = new Set(
    [...prices.keys()].flatMap((field) => Number(tierField.exec(field)?.[2] ?? []) || []),
  )
  const base = ratesOf(prices, '')
  if (Object.values(base.rates).every((rate) => (rate ?? 0) === 0)) return freeThere
  const tiers = [...thresholds]
    .sort((a, b) => a - b)
    .map((k) => ({ above: k * 1000, ...ratesOf(prices, `_above_${k}k_tokens`) }))
  const modalities = litellmModalities(prices)
  return {
    terms: {
      unit: 'tokens',
      base: { ...base.rates, ...(modalities && { modalities }) },
      tiers: tiers.map(({ above, rates }) => ({ above, ...rates })),
    },
    rounded: [base, ...tiers].some(({ exact }) => !exact),
  }
}

/** Rates of a tier, by the suffix of its fields; missing ones keep the base rate. */
function ratesOf(prices: Prices, suffix: string) {
  let exact = true
  const rate = (kind: keyof typeof kinds): number | null => {
    const usd = prices.get(kinds[kind] + suffix) ?? prices.get(kinds[kind])
    if (usd === undefined) return null
    // USD per token → micro-USD per 1M tokens: six places for each of the two.
    const units = toUnits(usd, 6 + priceDecimals)
    exact &&= units.exact
    return units.units
  }
  const rates = {
    input: rate('input') ?? 0,
    output: rate('output') ?? 0,
    cacheRead: rate('cacheRead'),
    cacheWrite: rate('cacheWrite'),
    cacheWrite1h: rate('cacheWrite1h'),
  }
  return { rates, exact }
}

function byImages(prices: Prices, mode: string): ListedPrice {
  const made = prices.get('output_cost_per_image') ?? 0
  const sent = prices.get('input_cost_per_image') ?? 0
  if (mode !== 'image_generation' && mode !== 'image_edit')
    return { reason: 'no price of input tokens' }
  if (made > 0 && sent > 0) return { reason: 'images sent and made are both priced' }
  if (made + sent === 0) return { reason: 'no price by the token or by the image' }
  const { units, exact } = toUnits(made + sent, nanoDecimals)
  return { terms: { unit: 'call', perCallNano: units }, rounded: !exact }
}

const modalityFields: { readonly [kind in ModalityKind]?: string } = {
  inputAudio: 'input_cost_per_audio_token',
  inputImage: 'input_cost_per_image_token',
  cacheReadAudio: 'cache_read_input_audio_token_cost',
  cacheReadImage: 'cache_read_input_image_token_cost',
  outputAudio: 'output_cost_per_audio_token',
  outputImage: 'output_cost_per_image_token',
  outputVideo: 'output_cost_per_video_token',
}
/** Tools by the field that prices them, and the number of uses it prices. */
const toolFields: { readonly [tool: string]: readonly [field: string, uses: number] } = {
  file_search: ['file_search_cost_per_1k_calls', 1_000],
  code_execution: ['code_interpreter_cost_per_session', 1],
}

const extraFields: readonly string[] = [
  ...Object.values(modalityFields),
  ...Object.values(toolFields).map(([field]) => field),
]

function litellmModalities(prices: ReadonlyMap<string, number>): ModalityRates | undefined {
  const rates = Object.entries(modalityFields).flatMap(([kind, field]) => {
    const usd = prices.get(field)
    return usd === undefined ? [] : [[kind, toUnits(usd, 6 + priceDecimals).units] as const]
  })
  return rates.length === 0 ? undefined : Object.fromEntries(rates)
}

/** Prices of tools and service tiers; the most expensive search price and multiplier apply. */
function litellmExtras(
  entry: object,
  prices: ReadonlyMap<string, number>,
): ExtraPrices | undefined {
  const perThousand = (usd: number, uses: number) =>
    toUnits((usd * 1_000) / uses, toolPriceDecimals).units
  const tools = Object.entries(toolFields).flatMap(([tool, [field, uses]]) => {
    const usd = prices.get(field)
    return usd === undefined ? [] : [[tool, perThousand(usd, uses)] as const]
  })
  const searches = numbersIn(entry, 'search_context_cost_per_query')
  if (searches.length > 0) {
    const dearest = Math.max(...searches.map(([, usd]) => usd))
    tools.push(['web_search', perThousand(dearest, 1)])
  }
  const tiers = [
    ...numbersIn(entry, 'provider_specific_entry').filter(([name]) => /^(fast|us)$/.test(name)),
    ...['priority', 'flex'].flatMap((tier) => factorOf(entry, tier)),
  ].map(([tier, factor]) => [tier, Math.ceil(toUnits(factor, multiplierDecimals).units)] as const)
  if (tools.length + tiers.length === 0) return undefined
  return {
    ...(tools.length > 0 && { tools: Object.fromEntries(tools) }),
    ...(tiers.length > 0 && { serviceTiers: Object.fromEntries(tiers) }),
  }
}

function factorOf(entry: object, tier: string): readonly (readonly [string, number])[] {
  const all = new Map(Object.entries(entry))
  const ratios = [...all].flatMap(([field, usd]) => {
    const [, standard] = new RegExp(`^(\\w+_cost(?:_per_token)?)_${tier}$`).exec(field) ?? []
    const base = standard === undefined ? undefined : all.get(standard)
    return isPrice(usd) && isPrice(base) ? [usd / base] : []
  })
  return ratios.length === 0 ? [] : [[tier, Math.max(...ratios)]]
}

const isPrice = (value: unknown): value is number => typeof value === 'number' && value > 0

const numbersIn = (entry: object, field: string): readonly (readonly [string, number])[] =>
  Object.entries(Object.getOwnPropertyDescriptor(entry, field)?.value ?? {}).flatMap(
    ([name, value]) => (isPrice(value) ? [[name, value] as const] : []),
  )
