import { charge, effectiveRates } from '../../billing/charge.ts'
import { dearestMultiplier, modalityRate, toolPrice } from '../../billing/extras.ts'
import type { Offer } from '../../catalog/catalog.ts'
import { vendorExtras } from '../../catalog/vendor-extras.ts'
import type { ToolBounds } from '../../protocols/request-facts.ts'
import type { PriceTerms } from '../../store/ports/catalog.ts'
import type { ModalityKind, UsageExtras, VendorExtras } from '../../store/ports/extras.ts'
import type { Plan } from '../admit/plan.ts'
import type { RequestBody } from '../body/body.ts'

interface MayUse {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly tools: ToolBounds | undefined
  readonly hasMedia: boolean
}

/** The cost at the dearest channel, kind of input and tier, in nano-USD; infinite: too much. */
export function dearestNano(plan: Plan, body: RequestBody, use: MayUse): number {
  try {
    const { vendors, kinds } = boundsOf(plan.offer)
    const kind = kinds.long !== kinds.usual && mayNameLife(body) ? kinds.long : kinds.usual
    let mostNano = Number.NEGATIVE_INFINITY
    for (const vendor of vendors) {
      mostNano = Math.max(mostNano, costAt(vendor, kind, plan, body, use))
    }
    return mostNano
  } catch (error) {
    if (error instanceof RangeError) return Number.POSITIVE_INFINITY
    throw error
  }
}

function costAt(
  vendor: VendorExtras,
  kind: InputKind,
  plan: Plan,
  body: RequestBody,
  use: MayUse,
): number {
  const { facts } = body
  const { terms } = plan.offer.price
  const { multiplierMillionths, longContextPricing } = plan.group
  const { inputTokens, outputTokens } = use
  const tools = use.tools && toolsOf(body, use.tools, terms, vendor)
  const modalities = dearestModalities(terms, vendor, kind, use)
  const usage = {
    inputTokens: 0,
    outputTokens,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    extras:
      modalities || tools
        ? { ...(modalities && { modalities: modalities.counts }), ...(tools && { tools }) }
        : undefined,
  }
  usage[modalities?.input ? 'inputTokens' : kind] = inputTokens
  const calls = facts.mostCalls ?? facts.calls
  const basis = { terms, usage, calls, multiplierMillionths, longContextPricing, vendor }
  const { amountNano } = charge(basis)
  if (facts.extras === undefined || facts.extras.tiers.length === 0) return amountNano
  const tiers = facts.extras.tiers.map(({ tier }) => tier)
  return Math.ceil((amountNano * dearestMultiplier(terms, vendor, tiers)) / 1_000_000)
}

/** The list prices for an offer's answers, mostly of one vendor, and its dearest kinds of input. */
interface Bounds {
  readonly vendors: readonly VendorExtras[]
  readonly kinds: { readonly usual: InputKind; readonly long: InputKind }
}

function boundsOf(offer: Offer): Bounds {
  const known = bounds.get(offer)
  if (known) return known
  const found = new Set(
    offer.candidates.flatMap(({ channel, upstreamModel }) =>
      Object.keys(channel.speaks).map((protocol) => vendorExtras(protocol, upstreamModel)),
    ),
  )
  const kinds = inputKinds(offer.price.terms)
  const made = { vendors: found.size === 0 ? [{}] : [...found], kinds }
  bounds.set(offer, made)
  return made
}

const bounds = new WeakMap<Offer, Bounds>()

/** A search preview becomes the search itself in another protocol: reserves the dearer. */
function toolsOf(
  { facts }: RequestBody,
  most: ToolBounds,
  terms: PriceTerms,
  vendor: VendorExtras,
): UsageExtras['tools'] {
  const priceOf = (tool: string) => toolPrice(terms, vendor, tool) ?? 0
  const dearer = priceOf('web_search') > priceOf('web_search_preview')
  const asked =
    facts.extras?.hostedTools.flatMap(({ tool }) =>
      tool === 'web_search_preview' && dearer ? 'web_search' : (tool ?? []),
    ) ?? []
  if (asked.length === 0) return undefined
  const usesOf = (tool: string) => most.uses * (tool === 'code_execution' ? most.gigabytes : 1)
  return Object.fromEntries(asked.map((tool) => [tool, usesOf(tool)]))
}

const inputs: readonly ModalityKind[] = ['inputAudio', 'inputImage', 'inputVideo']
const outputs: readonly ModalityKind[] = ['outputAudio', 'outputImage', 'outputVideo']

/** The kinds of non-text tokens that cost more than text, with their counts. */
function dearestModalities(
  terms: PriceTerms,
  vendor: VendorExtras,
  kind: InputKind,
  { inputTokens, outputTokens, hasMedia }: MayUse,
) {
  if (terms.unit !== 'tokens') return undefined
  const { base } = terms
  if (base.modalities === undefined && vendor.modalities === undefined) return undefined
  const text = effectiveRates(base)
  const from = { rates: base, base, text, vendor }
  const dearestOf = (kinds: readonly ModalityKind[], least: number) =>
    kinds
      .filter((one) => modalityRate(one, from) > least)
      .toSorted((a, b) => modalityRate(b, from) - modalityRate(a, from))[0]
  const input = hasMedia ? dearestOf(inputs, text[rateOf[kind]]) : undefined
  const output = dearestOf(outputs, text.output)
  return {
    input,
    counts: {
      ...(input && { [input]: inputTokens }),
      ...(output && { [output]: outputTokens }),
    },
  }
}

const rateOf = {
  inputTokens: 'input',
  cacheWriteTokens: 'cacheWrite',
  cacheWrite1hTokens: 'cacheWrite1h',
} as const

type InputKind = keyof typeof rateOf

/** Cache writes may cost more; `long`: with the longer life that a request may name. */
function inputKinds(terms: PriceTerms): Bounds['kinds'] {
  if (terms.unit !== 'tokens') return { usual: 'inputTokens', long: 'inputTokens' }
  const rates = [terms.base, ...terms.tiers].map(effectiveRates)
  const isDearer = rates.some(({ cacheWrite, input }) => cacheWrite > input)
  const isLongDearer = rates.some(
    ({ cacheWrite1h, cacheWrite, input }) => cacheWrite1h > Math.max(cacheWrite, input),
  )
  const usual = isDearer ? 'cacheWriteTokens' : 'inputTokens'
  return { usual, long: isLongDearer ? 'cacheWrite1hTokens' : usual }
}

/** A `ttl` of any form may mean the longer life. */
const mayNameLife = ({ bytes }: RequestBody) => bytes.includes('"ttl"') || bytes.includes('\\u')

/** Whether no answer can cost more; different tiers or extras count as dearer. */
export function isNotDearer(price: PriceTerms, than: PriceTerms): boolean {
  if (price.unit === 'free') return true
  if (price.unit === 'call' && than.unit === 'call') {
    return price.perCallNano <= than.perCallNano && isSame(price.extras, than.extras)
  }
  if (price.unit !== 'tokens' || than.unit !== 'tokens') return false
  if (!isSame(price.tiers, than.tiers) || !isSame(price.extras, than.extras)) return false
  if (!isSame(price.base.modalities, than.base.modalities)) return false
  const [rates, bounds] = [effectiveRates(price.base), effectiveRates(than.base)]
  return (Object.keys(rates) as (keyof typeof rates)[]).every((kind) => rates[kind] <= bounds[kind])
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
