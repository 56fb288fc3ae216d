import type { PriceRow, PriceSetting } from './catalog.ts'

/** A price that somebody sets by hand, from now on. */
export interface PriceEdit {
  /** Who does it: an e-mail, or `command line`. */
  readonly actor: string
  readonly price: PriceSetting
  /** Id of the price that was seen in force (null: none); with another one `Conflict` is thrown. */
  readonly replaces: number | null
}

/** Prices by hand. */
export interface PriceEdits {
  /**
   * Puts a price in force and returns it; the terms `none` take the model away. The one that is in
   * force already adds neither a row nor an audit row. Throws `Conflict`.
   */
  setPrice(edit: PriceEdit): Promise<PriceRow>
}
