import { type Static, Type } from '@sinclair/typebox'
import type { PriceTerms } from '../store/ports/catalog.ts'
import { type ModalityKind, modalityKinds } from '../store/ports/extras.ts'

const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '^[!-~]+$' })
/** Micro-USD per 1M tokens: 0.30 USD is 300000. */
const Micro = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Tokens = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
const nullable = <T extends ReturnType<typeof Type.Integer>>(schema: T) =>
  Type.Union([schema, Type.Null()])

const optionalMicro = Type.Optional(Micro)

const rates = {
  input: Micro,
  output: Micro,
  cacheRead: nullable(Micro),
  cacheWrite: nullable(Micro),
  cacheWrite1h: nullable(Micro),
  /** Of tokens that are no text; absent: the vendor names no price of its own for them. */
  modalities: Type.Optional(
    Type.Object(
      Object.fromEntries(modalityKinds.map((kind) => [kind, optionalMicro])) as Record<
        ModalityKind,
        typeof optionalMicro
      >,
      { additionalProperties: false },
    ),
  ),
}

/** One model of `data/vendor-prices.json`: its vendor's list price and the names it goes by. */
export const VendorPriceEntry = Type.Object(
  {
    /** As clients send it to the vendor. */
    id: Name,
    /** The vendor as `@pydantic/genai-prices` calls it. */
    vendor: Name,
    ...rates,
    /** Ascending by `above` (context tokens; exclusive); the whole request is charged by one. */
    /** Nano-USD for each use of a tool; absent: as `data/vendor-extras.json` says. */
    tools: Type.Optional(
      Type.Object(
        { web_search: optionalMicro, file_search: optionalMicro },
        { additionalProperties: false },
      ),
    ),
    tiers: Type.Array(Type.Object({ above: Tokens, ...rates }, { additionalProperties: false })),
    contextWindow: nullable(Tokens),
    maxOutput: nullable(Tokens),
    /** The day (UTC) from which the source already knows another price; null: none known. */
    until: Type.Union([Type.String({ pattern: '^20\\d\\d-[01]\\d-[0-3]\\d$' }), Type.Null()]),
    aliases: Type.Array(Name),
    /** Ids whose date may be any: `claude-opus-5-YYYYMMDD`. The marks are those of `vendor-dates`. */
    dated: Type.Array(Name),
    /** Of earlier versions; not read. */
    uncovered: Type.Optional(Type.Array(Name)),
  },
  { additionalProperties: false },
)
export type VendorPriceEntry = Static<typeof VendorPriceEntry>

/** The whole of `data/vendor-prices.json`. */
export const VendorPriceFile = Type.Object(
  {
    /** Package and version that the prices were taken from. */
    source: Name,
    /** The day (UTC) on which these prices hold. */
    date: Type.String({ pattern: '^20\\d\\d-[01]\\d-[0-3]\\d$' }),
    /** Sorted by vendor, then id. */
    models: Type.Array(VendorPriceEntry, { minItems: 1 }),
  },
  { additionalProperties: false },
)
export type VendorPriceFile = Static<typeof VendorPriceFile>

/** An entry's prices in the form that requests are charged by. */
export function vendorTerms(entry: VendorPriceEntry): Extract<PriceTerms, { unit: 'tokens' }> {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h, modalities, tools, tiers } = entry
  const text = { input, output, cacheRead, cacheWrite, cacheWrite1h }
  return {
    unit: 'tokens',
    base: { ...text, ...(modalities && { modalities }) },
    tiers,
    ...(tools && { extras: { tools } }),
  }
}
