import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { type ModalityName, toolPriceDecimals } from '../billing/extras.ts'
import {
  formatDecimal,
  multiplierDecimals,
  nanoDecimals,
  parseDecimal,
  priceDecimals,
} from '../billing/money.ts'
import { type HostedTool, hostedTools } from '../protocols/canonical/tools.ts'
import type { PriceSetting, PriceTerms, TokenRates } from '../store/ports/catalog.ts'
import type { ExtraPrices, ModalityKind } from '../store/ports/extras.ts'
import { plain, type Spec } from './field.ts'
import { textField } from './kinds.ts'
import {
  fileProperties,
  fromFile,
  initialValues,
  patchProperties,
  toFile,
  toView,
  toWritten,
  viewProperties,
} from './resource.ts'
import { decimal, map, optional, orNull } from './schema-parts.ts'
import { parseToolPrice, sure } from './values.ts'

type Decimal = string | number
type PriceSpec = Omit<Spec, 'column'>

const hasEntries = (value: object) => Object.keys(value).length > 0
const shortText = (description: string) => Type.String({ maxLength: 40, description })
const byName = (description: string) =>
  Type.Record(Type.String({ maxLength: 60 }), Type.String({ maxLength: 40 }), { description })
/** Any short text: the rules of the file validate it. A form sends empty texts for empty fields. */
const givenText = orNull(Type.String({ maxLength: 40 }))
const unlessEmpty = (given: unknown) => (given === '' ? undefined : given)

/** A required price in units of 10^-`decimals` USD. */
const required = <const S extends PriceSpec>(reads: 'price' | 'usd', decimals: number, spec: S) => {
  const written = (units: number) => formatDecimal(units, decimals)
  return {
    ...spec,
    ...plain<number>(),
    ...{ initial: 0, file: decimal(reads, spec.help) },
    ...{ view: shortText(spec.help), patch: givenText, toWritten: unlessEmpty },
    fromFile: (usd: Decimal): number => sure(parseDecimal(usd, decimals)),
    ...{ toFile: written, toView: written, text: written, show: written },
  }
}

const perMillion = (micro: number) => formatDecimal(micro, priceDecimals)
const perMillionOrNull = (micro: number | null) => (micro === null ? null : perMillion(micro))

/** A price in micro-USD per 1M tokens that may be left out; `none`: what is charged then. */
const optionalRate = <const S extends PriceSpec>(spec: S) => ({
  ...spec,
  ...plain<number | null>(),
  initial: null as number | null,
  file: optional(decimal('price', spec.help)),
  ...{ view: orNull(shortText(spec.help)), patch: givenText, toWritten: unlessEmpty },
  fromFile: (usd?: Decimal): number | null =>
    usd === undefined ? null : sure(parseDecimal(usd, priceDecimals)),
  ...{ toFile: perMillionOrNull, toView: perMillionOrNull, show: perMillion },
  text: (micro: number | null) => (micro === null ? {} : perMillion(micro)),
})

const column = { isListed: true, isRight: true } as const
const usdFlag = (name: string, help: string) => ({ name, value: '<usd>', help })

/** Prices of text tokens. */
export const textRateFields = {
  input: required('price', priceDecimals, {
    ...{ as: 'input', help: 'USD per 1M input tokens.', title: 'Input', ...column },
    flag: usdFlag('--input', 'per 1M input tokens'),
  }),
  output: required('price', priceDecimals, {
    ...{ as: 'output', help: 'USD per 1M output tokens.', title: 'Output', ...column },
    flag: usdFlag('--output', 'per 1M output tokens'),
  }),
  cache_read: optionalRate({
    ...{ as: 'cacheRead', title: 'Cache read', none: 'as input', ...column },
    help: 'USD per 1M tokens read from a cache; else input.',
    flag: { ...usdFlag('--cache-read', 'per 1M tokens read from a cache'), usual: 'as input' },
  }),
  cache_write: optionalRate({
    ...{ as: 'cacheWrite', title: 'Cache write', none: 'as input', ...column },
    help: 'USD per 1M tokens written to a cache for 5 minutes; else input.',
    flag: { ...usdFlag('--cache-write', 'per 1M tokens written to a cache'), usual: 'as input' },
  }),
  cache_write_1h: optionalRate({
    ...{ as: 'cacheWrite1h', title: 'Write 1h', none: 'as cache write', ...column },
    help: 'USD per 1M tokens written to a cache for 1 hour; else cache_write.',
    flag: { ...usdFlag('--cache-write-1h', 'the same for 1 hour'), usual: 'as --cache-write' },
  }),
}

const modality = <const As extends ModalityKind>(as: As, example: string, of: string) =>
  optionalRate({ as, example, help: `USD per 1M tokens of ${of}.` })

/** Prices of tokens that are no text; the API has them as `others`, commands as `--rate`. */
export const modalityFields = {
  input_audio: modality('inputAudio', '32', 'audio in the input; else input'),
  input_image: modality('inputImage', '5', 'images in the input; else input'),
  input_video: modality('inputVideo', '5', 'video in the input; else input'),
  cache_read_audio: modality('cacheReadAudio', '0.4', 'audio read from a cache; else input_audio'),
  cache_read_image: modality('cacheReadImage', '0.5', 'images read from a cache; else input_image'),
  cache_read_video: modality('cacheReadVideo', '0.5', 'video read from a cache; else input_video'),
  output_audio: modality('outputAudio', '64', 'audio in the answer'),
  output_image: modality('outputImage', '30', 'images in the answer'),
  output_video: modality('outputVideo', '60', 'video in the answer'),
} satisfies Record<ModalityName, unknown>

export const rateFields = { ...textRateFields, ...modalityFields }

const allRates = ({ modalities, ...text }: TokenRates) => ({
  ...initialValues(modalityFields),
  ...text,
  ...modalities,
})

function ratesFromFile(entry: object): TokenRates {
  const modalities = Object.fromEntries(
    Object.entries(fromFile(modalityFields, entry)).filter(([, micro]) => micro !== null),
  )
  return { ...fromFile(textRateFields, entry), ...(hasEntries(modalities) && { modalities }) }
}

type Written = { readonly [name: string]: string }

/** A tier's prices in USD per 1M tokens under their file names; only those set. */
export const writtenRates = (rates: TokenRates) => toFile(rateFields, allRates(rates)) as Written

/** The same of tokens that are no text. */
export const writtenModalities = (rates: TokenRates) =>
  toFile(modalityFields, allRates(rates)) as Written

/** A tier's prices as the console's API returns them. */
export const ratesView = (rates: TokenRates) => ({
  ...toView(textRateFields, rates),
  others: { ...writtenModalities(rates) },
})

const others = byName('USD per 1M tokens that are no text, such as input_audio.')
const rateViews = { ...viewProperties(textRateFields), others }
export const ratePatches = { ...patchProperties(textRateFields), others: optional(others) }

const tokenCount = { minimum: 1, maximum: Number.MAX_SAFE_INTEGER }
const GivenCount = Type.Union([Type.Integer(), Type.String({ maxLength: 40 })])

type Tier = TokenRates & { readonly above: number }

const tiersHelp = 'Other prices for long contexts, in ascending order of above.'

export const tiers = {
  ...plain<readonly Tier[]>(),
  ...{ as: 'tiers' as const, initial: [] as readonly Tier[], ownsPlanNames: true as const },
  help: tiersHelp,
  flag: {
    ...{ name: '--tier', value: '<above=n,input=usd,output=usd,…>', isRepeated: true },
    help: 'prices above n context tokens',
  },
  file: optional(
    Type.Array(
      Type.Object(
        {
          above: Type.Integer({
            ...tokenCount,
            description: 'Context tokens above which the whole request costs these prices.',
          }),
          ...fileProperties(rateFields),
        },
        { ...map, description: 'Prices above a length of context.' },
      ),
      { description: tiersHelp },
    ),
  ),
  view: Type.Array(Type.Object({ above: Type.Integer(), ...rateViews })),
  patch: Type.Array(Type.Object({ above: GivenCount, ...ratePatches }), { maxItems: 20 }),
  fromFile: (written: readonly { readonly above: number }[] = []): readonly Tier[] =>
    written.map((tier) => ({ above: tier.above, ...ratesFromFile(tier) })),
  toFile: (all: readonly Tier[]) =>
    all.map((tier) => ({ above: tier.above, ...writtenRates(tier) })),
  toView: (all: readonly Tier[]) => all.map((tier) => ({ above: tier.above, ...ratesView(tier) })),
  toWritten(given: unknown) {
    const all = given as readonly { above: Decimal; others?: object }[]
    if (all.length === 0) return undefined
    return all.map(({ above, others, ...rates }) => ({
      ...(above !== '' && { above }),
      ...toWritten(rateFields, rates),
      ...others,
    }))
  },
  text(all: readonly Tier[]): Written {
    const textsOf = ({ above, ...rates }: Tier) =>
      Object.entries(writtenRates(rates)).map(([name, usd]) => [`above ${above}: ${name}`, usd])
    return Object.fromEntries(all.flatMap(textsOf))
  },
}

type Prices = { readonly [name: string]: number }

/** Prices by name, in the order of their names. */
const namedPrices = <const S extends PriceSpec, File extends TSchema>(
  spec: S & { readonly file: File },
  parse: (text: Decimal) => number | undefined,
  textOf: (price: number) => string,
) => {
  const each = (prices: Prices): { [name: string]: string } =>
    Object.fromEntries(
      Object.entries(prices)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, price]) => [name, textOf(price)]),
    )
  return {
    ...spec,
    ...plain<Prices>(),
    ...{ initial: {} as Prices, view: byName(spec.help), patch: byName(spec.help) },
    fromFile: (written: { readonly [name: string]: Decimal } = {}): Prices =>
      Object.fromEntries(Object.entries(written).map(([name, text]) => [name, sure(parse(text))])),
    toWritten: (given: unknown) => (hasEntries(given as object) ? given : undefined),
    ...{ toFile: each, toView: each, text: each },
  }
}

const toolPrice = optional(
  decimal('tool-price', 'USD per 1,000 uses, or free; at most 6 decimals.'),
)
type ToolPrices = Record<HostedTool, typeof toolPrice>
const toolsHelp = "Tools that the vendor runs, in USD per 1,000 uses; else the vendor's price."
const serviceTiersHelp =
  "Service tiers and what tokens and calls are multiplied by in them; else the vendor's."

export const extraFields = {
  tools: namedPrices(
    {
      ...{ as: 'tools', help: toolsHelp },
      flag: {
        ...{ name: '--tool', value: '<name=usd>', isRepeated: true },
        help: 'per 1,000 uses of a tool, such as web_search=10 or =free',
      },
      file: optional(
        Type.Object(
          Object.fromEntries(hostedTools.map((tool) => [tool, toolPrice])) as ToolPrices,
          { ...map, description: toolsHelp },
        ),
      ),
    },
    parseToolPrice,
    (nano) => (nano === 0 ? 'free' : formatDecimal(nano, toolPriceDecimals)),
  ),
  service_tiers: namedPrices(
    {
      ...{ as: 'serviceTiers', help: serviceTiersHelp },
      flag: {
        ...{ name: '--service-tier', value: '<name=factor>', isRepeated: true },
        help: 'what a service tier multiplies, such as flex=0.5',
      },
      file: optional(
        Type.Record(
          Type.String(),
          decimal('multiplier', 'By what it costs more, or less; at most 6 decimals.'),
          { description: serviceTiersHelp },
        ),
      ),
    },
    (factor) => parseDecimal(factor, multiplierDecimals),
    (factor) => formatDecimal(factor, multiplierDecimals),
  ),
}

const valuesOfExtras = (extras: ExtraPrices = {}) => ({ ...initialValues(extraFields), ...extras })

/** Prices of tools and service tiers as texts, by name. */
export const extrasView = (extras?: ExtraPrices) => toView(extraFields, valuesOfExtras(extras))

function extrasFromFile(entry: object): { readonly extras?: ExtraPrices } {
  const all = fromFile(extraFields, entry)
  const extras = Object.fromEntries(Object.entries(all).filter(([, prices]) => hasEntries(prices)))
  return hasEntries(extras) ? { extras } : {}
}

const windowHelp = 'Tokens that the model can hold; usage reported above it is cut to it.'

export const context_window = {
  ...plain<number | null>(),
  ...{ as: 'contextWindow' as const, help: windowHelp, initial: null as number | null },
  clear: ['none', 'as its vendor says'] as const,
  flag: {
    ...{ name: '--context-window', value: '<tokens>', usual: 'kept' },
    help: 'what it can hold; none: as its vendor says',
  },
  file: optional(Type.Integer({ ...tokenCount, description: windowHelp })),
  view: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Tokens that the model can hold, where it was set with the price.',
  }),
  patch: Type.Union([...GivenCount.anyOf, Type.Null()], {
    description: 'Tokens; null: as the vendor says; left out: as it is.',
  }),
  fromFile: (written: number | null = null) => written,
  toWritten: unlessEmpty,
  text: (tokens: number | null) => (tokens === null ? {} : String(tokens)),
}

export const per_call = required('usd', nanoDecimals, {
  ...{ as: 'perCallNano', suffix: '_nano', help: 'USD per call; at most 9 decimals.' },
  flag: usdFlag('--per-call', 'per call, instead of per token'),
})

export const free = {
  ...plain<boolean>(),
  ...{ as: 'isFree' as const, help: 'true: free on purpose.', initial: false },
  flag: { name: '--free', help: 'costs nothing, on purpose' },
  file: Type.Literal(true, { description: 'true: free on purpose.' }),
  ...{ view: Type.Boolean(), patch: Type.Boolean() },
  fromFile: (written?: true) => written === true,
  toWritten: (given: unknown) => given || undefined,
}

const note = textField({
  ...{ as: 'note', column: 'note', most: 500, help: 'A remark on the price, shown in the feed.' },
  flag: {
    ...{ name: '--note', value: '<text>', help: 'a remark, shown in the price feed' },
    usual: 'the one it has',
  },
})

/** A model's price by its unit; a removed one has no fields. Its model, source and time are no fields. */
export const priceDefinitions = {
  tokens: { ...rateFields, tiers, context_window, ...extraFields, note },
  call: { per_call, ...extraFields, note },
  free: { free, note },
  none: {},
}

/** The fields of all units. */
export const priceFields = {
  ...priceDefinitions.tokens,
  ...priceDefinitions.call,
  ...priceDefinitions.free,
}

/** A price of the file: by token, by call, or free on purpose. */
export const PriceEntry = Type.Union(
  [
    Type.Object(fileProperties(priceDefinitions.tokens), map),
    Type.Object(fileProperties(priceDefinitions.call), map),
    Type.Object(fileProperties(priceDefinitions.free), map),
  ],
  { description: 'A price: { input, output, … }, { per_call } or { free: true }.' },
)
export type PriceEntry = Static<typeof PriceEntry>

/** The terms of a checked entry of the file. */
export function termsFromFile(entry: PriceEntry): PriceTerms {
  if ('free' in entry) return { unit: 'free' }
  const extras = extrasFromFile(entry)
  if ('per_call' in entry) return { unit: 'call', ...fromFile({ per_call }, entry), ...extras }
  const [base, contextWindow] = [ratesFromFile(entry), entry.context_window]
  return {
    ...{ unit: 'tokens', base, tiers: tiers.fromFile(entry.tiers) },
    ...(contextWindow !== undefined && { contextWindow }),
    ...extras,
  }
}

/** A price as the values of its definition. */
export function priceValues({ terms, note }: Pick<PriceSetting, 'terms' | 'note'>): object {
  switch (terms.unit) {
    case 'tokens': {
      const { base, tiers, contextWindow = null, extras } = terms
      return { ...allRates(base), tiers, contextWindow, ...valuesOfExtras(extras), note }
    }
    case 'call':
      return { perCallNano: terms.perCallNano, ...valuesOfExtras(terms.extras), note }
    default:
      return { isFree: true, note }
  }
}

const extraViews = viewProperties(extraFields)

export const PriceTermsView = Type.Union([
  Type.Object({ unit: Type.Literal('tokens'), ...rateViews, tiers: tiers.view, ...extraViews }),
  Type.Object({ unit: Type.Literal('call'), per_call: per_call.view, ...extraViews }),
  Type.Object({ unit: Type.Literal('free') }),
  Type.Object({ unit: Type.Literal('none') }),
])
export type PriceTermsView = Static<typeof PriceTermsView>
