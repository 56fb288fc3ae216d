/** Kinds of LLM tokens that are no text, each a part of the count that its name begins with. */
export const modalityKinds = [
  'inputAudio',
  'inputImage',
  'inputVideo',
  'cacheReadAudio',
  'cacheReadImage',
  'cacheReadVideo',
  'outputAudio',
  'outputImage',
  'outputVideo',
] as const
export type ModalityKind = (typeof modalityKinds)[number]

/** What a vendor bills besides text tokens. Absent parts are zero. */
export interface UsageExtras {
  readonly modalities?: { readonly [kind in ModalityKind]?: number }
  readonly tools?: { readonly [tool: string]: number }
  /** The service tier that the answer names, where it is not the standard one; several are joined by `+`. */
  readonly tier?: string
}

/** Micro-USD per 1M tokens; `modalityRate` gives what is absent. */
export type ModalityRates = { readonly [kind in ModalityKind]?: number }

/** What a price sets besides tokens; absent: the vendor's list prices. */
export interface ExtraPrices {
  /** Nano-USD for each use; 0: free on purpose. */
  readonly tools?: { readonly [tool: string]: number }
  /** Service tier → by how much tokens and calls cost more, in millionths. */
  readonly serviceTiers?: { readonly [tier: string]: number }
}

/** List prices of a vendor, for what the price of a model does not name. */
export interface VendorExtras extends ExtraPrices {
  readonly modalities?: ModalityRates
}

/** What a request was charged for besides text tokens, and the vendor's prices that were used for it. */
export interface ChargedExtras extends UsageExtras {
  readonly vendor?: VendorExtras
}
