import { type Static, Type } from '@sinclair/typebox'
import file from '../../data/vendor-prices.json' with { type: 'json' }
import type { PriceTerms } from '../store/ports/catalog.ts'
import { type ModalityKind, modalityKinds } from '../store/ports/extras.ts'

const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '^[!-~]+$' })
/** Micro-USD per 1M tokens: 0.30 USD is 300000. */
const Micro = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Tokens = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
const nullable = <T extends ReturnType<typeof Type.Integer>>(schema: T) =>
  Type.Union([schema, Type.Null()])

const optionalMicro = Type.Optional(Micro)

type Rates = Record<ModalityKind, typeof optionalMicro>

const rates = {
  input: Micro,
  output: Micro,
  cacheRead: nullable(Micro),
  cacheWrite: nullable(Micro),
  cacheWrite1h: nullable(Micro),
  /** Prices of non-text tokens; absent: the vendor has no separate price. */
  modalities: Type.Optional(
    Type.Object(Object.fromEntries(modalityKinds.map((kind) => [kind, optionalMicro])) as Rates, {
      additionalProperties: false,
    }),
  ),
}

/** One model of `data/vendor-prices.json`: its vendor's list price and its names. */
export const VendorPriceEntry = Type.Object(
  {
    id: Name,
    /** Vendor name in `@pydantic/genai-prices`. */
    vendor: Name,
    ...rates,
    /** Nano-USD for each use of a tool; absent: as in `data/vendor-extras.json`. */
    tools: Type.Optional(
      Type.Object(
        { web_search: optionalMicro, file_search: optionalMicro },
        { additionalProperties: false },
      ),
    ),
    /** Ascending by `above` (context tokens; exclusive); one tier applies to the whole request. */
    tiers: Type.Array(Type.Object({ above: Tokens, ...rates }, { additionalProperties: false })),
    contextWindow: nullable(Tokens),
    maxOutput: nullable(Tokens),
    /** The day (UTC) of the next known price change; null: none known. */
    until: Type.Union([Type.String({ pattern: '^20\\d\\d-[01]\\d-[0-3]\\d$' }), Type.Null()]),
    aliases: Type.Array(Name),
    /** Ids with any date: `claude-opus-5-YYYYMMDD`. The marks are those of `vendor-dates`. */
    dated: Type.Array(Name),
    uncovered: Type.Optional(Type.Array(Name)),
  },
  { additionalProperties: false },
)
export type VendorPriceEntry = Static<typeof VendorPriceEntry>

/** The whole of `data/vendor-prices.json`. */
export const VendorPriceFile = Type.Object(
  {
    source: Name,
    /** The day (UTC) on which these prices are valid. */
    date: Type.String({ pattern: '^20\\d\\d-[01]\\d-[0-3]\\d$' }),
    /** Sorted by vendor, then id. */
    models: Type.Array(VendorPriceEntry, { minItems: 1 }),
  },
  { additionalProperties: false },
)
export type VendorPriceFile = Static<typeof VendorPriceFile>

/** An entry's prices as price terms. */
export function vendorTerms(entry: VendorPriceEntry): Extract<PriceTerms, { unit: 'tokens' }> {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h, modalities, tools, tiers } = entry
  const text = { input, output, cacheRead, cacheWrite, cacheWrite1h }
  const base = { ...text, ...(modalities && { modalities }) }
  return { unit: 'tokens', base, tiers, ...(tools && { extras: { tools } }) }
}

interface VendorPrice {
  /** The vendor's own id, also after a lookup by alias. */
  readonly id: string
  readonly vendor: string
  readonly terms: Extract<PriceTerms, { unit: 'tokens' }>
  readonly contextWindow: number | null
  readonly maxOutput: number | null
  /** The day (UTC, `2027-01-01`) of the next announced price; null: none. */
  readonly until: string | null
}

interface Index {
  readonly named: ReadonlyMap<string, VendorPrice>
  readonly dated: ReadonlyMap<string, VendorPrice>
}

// Built on first use: it costs nothing at start.
let index: Index | undefined

/** A model's list price by id, alias, or an id with a date; undefined when unknown. */
export function findVendorPrice(modelId: string): VendorPrice | undefined {
  index ??= createIndex(file.models)
  return lookUp(index, modelId)
}

/** The same for another list than the built-in one. */
export function vendorPriceFinder(entries: readonly VendorPriceEntry[]): typeof findVendorPrice {
  const own = createIndex(entries)
  return (modelId) => lookUp(own, modelId)
}

function lookUp({ named, dated }: Index, modelId: string): VendorPrice | undefined {
  const exact = named.get(modelId)
  if (exact) return exact
  for (const form of datedForms(modelId)) {
    const price = dated.get(form)
    if (price) return price
  }
  return undefined
}

function createIndex(entries: readonly VendorPriceEntry[]): Index {
  const named = new Map<string, VendorPrice>()
  const dated = new Map<string, VendorPrice>()
  for (const entry of entries) {
    const { id, vendor, contextWindow, maxOutput, until } = entry
    const terms = vendorTerms(entry)
    const price = { id, vendor, terms, contextWindow, maxOutput, until }
    for (const name of [id, ...entry.aliases]) named.set(name, price)
    for (const form of entry.dated) dated.set(form, price)
  }
  return { named, dated }
}

/** Date formats in ids, longest first: the digits and their mark. */
const forms: readonly (readonly [digits: RegExp, mark: string])[] = [
  [/(?<=[-@])20\d\d-[01]\d-[0-3]\d$/, 'YYYY-MM-DD'],
  [/(?<=[-@])20\d\d[01]\d[0-3]\d$/, 'YYYYMMDD'],
  [/(?<=-)[01]\d-20\d\d$/, 'MM-YYYY'],
  [/(?<=-)[01]\d-[0-3]\d$/, 'MM-DD'],
  [/(?<=-)2\d[01]\d$/, 'YYMM'],
  [/(?<=-)\d{3}$/, 'NNN'],
]

/**
 * The id with its date replaced by a mark, in every possible reading: `gpt-5-mini-2025-08-07` gives `gpt-5-mini-
 * YYYY-MM-DD` and `gpt-5-mini-2025-MM-DD`.
 */
function datedForms(modelId: string): string[] {
  // A fast exit: most ids end otherwise, and a catalog may have ten thousand.
  if (!/\d\d$/.test(modelId)) return []
  return forms.flatMap(([digits, mark]) =>
    digits.test(modelId) ? [modelId.replace(digits, mark)] : [],
  )
}
