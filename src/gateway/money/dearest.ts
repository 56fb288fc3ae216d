import { charge, effectiveRates } from '../../billing/charge.ts'
import { dearestMultiplier, modalityRate, toolPrice } from '../../billing/extras.ts'
import type { Offer } from '../../catalog/catalog.ts'
import { vendorExtras } from '../../catalog/vendor-extras.ts'
import { emptyUsage } from '../../protocols/canonical/usage.ts'
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
    let mostNano = Number.NEGATIVE_INFINITY
    for (const vendor of vendorsOf(plan.offer)) {
      mostNano = Math.max(mostNano, costAt(vendor, plan, body, use))
    }
    return mostNano
  } catch (error) {
    if (error instanceof RangeError) return Number.POSITIVE_INFINITY
    throw error
  }
}

function costAt(vendor: VendorExtras, plan: Plan, body: RequestBody, use: MayUse): number {
  const { facts } = body
  const { terms } = plan.offer.price
  const { inputTokens, outputTokens } = use
  const { kind, modalities } = dearestKinds(terms, vendor, body, use)
  const tools = use.tools && toolsOf(body, use.tools, terms, vendor)
  const extras: UsageExtras = { ...(modalities && { modalities }), ...(tools && { tools }) }
  const { amountNano } = charge({
    ...{ terms, vendor, calls: facts.mostCalls ?? facts.calls },
    usage: {
      ...{ ...emptyUsage, [kind]: inputTokens, outputTokens },
      ...((modalities || tools) && { extras }),
    },
    multiplierMillionths: plan.group.multiplierMillionths,
    longContextPricing: plan.group.longContextPricing,
  })
  const tiers = facts.extras?.tiers.map(({ tier }) => tier) ?? []
  if (tiers.length === 0) return amountNano
  return Math.ceil((amountNano * dearestMultiplier(terms, vendor, tiers)) / 1_000_000)
}

/** The list prices for its channels' answers; most often those of one vendor. */
function vendorsOf(offer: Offer): readonly VendorExtras[] {
  const known = vendors.get(offer)
  if (known) return known
  const found = new Set(
    offer.candidates.flatMap(({ channel, upstreamModel }) =>
      Object.keys(channel.speaks).map((protocol) => vendorExtras(protocol, upstreamModel)),
    ),
  )
  const all = found.size === 0 ? [{}] : [...found]
  vendors.set(offer, all)
  return all
}

const vendors = new WeakMap<Offer, readonly VendorExtras[]>()

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

/** The dearest kind of input, and the kinds of non-text tokens that cost more than text. */
function dearestKinds(
  terms: PriceTerms,
  vendor: VendorExtras,
  body: RequestBody,
  { inputTokens, outputTokens, hasMedia }: MayUse,
) {
  if (terms.unit !== 'tokens') return { kind: 'inputTokens' }
  const { base } = terms
  const kind = inputKind(terms, body)
  if (base.modalities === undefined && vendor.modalities === undefined) return { kind }
  const text = effectiveRates(base)
  const from = { rates: base, base, text, vendor }
  const dearestOf = (kinds: readonly ModalityKind[], least: number) =>
    kinds
      .filter((one) => modalityRate(one, from) > least)
      .toSorted((a, b) => modalityRate(b, from) - modalityRate(a, from))[0]
  const input = hasMedia ? dearestOf(inputs, text[rateOf[kind]]) : undefined
  const output = dearestOf(outputs, text.output)
  return {
    kind: input ? 'inputTokens' : kind,
    modalities: {
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

/** Cache writes may cost more; a `ttl` of any form may mean the longer life. */
function inputKind(
  { base, tiers }: Extract<PriceTerms, { readonly unit: 'tokens' }>,
  { bytes }: RequestBody,
): keyof typeof rateOf {
  let [isLongDearer, isDearer] = [false, false]
  for (const named of [base, ...tiers]) {
    const { input, cacheWrite, cacheWrite1h } = effectiveRates(named)
    isLongDearer ||= cacheWrite1h > Math.max(cacheWrite, input)
    isDearer ||= cacheWrite > input
  }
  if (isLongDearer && (bytes.includes('"ttl"') || bytes.includes('\\u'))) {
    return 'cacheWrite1hTokens'
  }
  return isDearer ? 'cacheWriteTokens' : 'inputTokens'
}

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
