/** A fault that is planted into a copy of the program, to see whether it is found. */
export interface Planted {
  readonly name: string
  readonly file: string
  /** Stands in the file exactly once. */
  readonly find: string
  readonly replace: string
}

/** One of each kind that customers try. */
export const planted: readonly Planted[] = [
  {
    name: 'what a cache gives is free',
    file: 'src/billing/charge.ts',
    find: '    rates.cacheRead * usage.cacheReadTokens +',
    replace: '    0 * usage.cacheReadTokens +',
  },
  {
    name: 'a tier of context begins too late',
    file: 'src/billing/charge.ts',
    find: 'context > tier.above)',
    replace: 'context > tier.above + 9)',
  },
  {
    name: 'what Gemini thinks is not counted',
    file: 'src/protocols/gemini/usage.ts',
    find: 'output: (counts.candidates ?? 0) + (counts.thoughts ?? 0),',
    replace: 'output: counts.candidates ?? 0,',
  },
  {
    name: 'next to nothing is set aside',
    file: 'src/gateway/afford.ts',
    find: 'reservationOf(exchange, caller, plan, held.amountNano)',
    replace: 'reservationOf(exchange, caller, plan, Math.min(1, held.amountNano))',
  },
]
