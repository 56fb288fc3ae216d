import { Money } from './text.tsx'

/** A price in USD with all its decimals; null: there is none. */
export const Price = ({ usd }: { readonly usd: string | null | undefined }) =>
  usd === null || usd === undefined ? '—' : <Money usd={usd} isExact />
