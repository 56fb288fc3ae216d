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

/** What a vendor bills beside text tokens, or otherwise than them. Absent parts: nothing of it. */
export interface UsageExtras {
  /** Of the counts of LLM tokens, those that are no text. */
  readonly modalities?: { readonly [kind in ModalityKind]?: number }
  /** Uses of tools that the vendor ran, by name. */
  readonly tools?: { readonly [tool: string]: number }
  /** The service tier that the answer names, where it is not the standard one; several are joined by `+`. */
  readonly tier?: string
}
