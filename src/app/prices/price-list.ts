import type { PriceTerms } from '../../store/ports/catalog.ts'

/** The forms in which prices come: `tollgate price sync --help` describes them. */
export type PriceForm = 'catalog' | 'litellm' | 'feed' | 'config'

/** What a list says of one model: a price, or why it is none that can be charged here. */
export type ListedPrice =
  | {
      readonly terms: PriceTerms
      /** True when the list's figure is finer than our unit, and was rounded half up to it. */
      readonly rounded: boolean
    }
  | { readonly reason: string }

/** Prices of a file, whatever its form. */
export interface PriceList {
  readonly form: PriceForm
  /** False: the form can't tell prices for long contexts, so that what is set of them stays. */
  readonly tellsTiers: boolean
  /** Every id that has an entry of its own. */
  readonly models: readonly string[]
  /** What it says of a model; undefined: nothing. Throws a `UserError` when the entry is broken. */
  find(model: string): ListedPrice | undefined
}

/** Free is only what is set free on purpose. */
export const freeThere: ListedPrice = {
  reason: 'costs nothing there; to give it away here too: tollgate price set MODEL --free',
}
