import { allDialects, type Dialect, type Tokens } from '../e2e/dialects.ts'
import { pick, type Random } from '../support/random.ts'

/** Whose key a request carries: an account's with plenty, or one with little. */
export const payers = {
  /** Plenty. */
  rich: { key: 'sk-rich-0123456789abcdefghijklmnop', multiplier: 1 },
  /** Plenty too; its group reads on when a client leaves. */
  draining: { key: 'sk-draining-0123456789abcdefghijkl', multiplier: 0.5 },
  /** The same; but the token's budget is soon used up. */
  limited: { key: 'sk-limited-0123456789abcdefghijklm', multiplier: 1 },
  /** An account that is always short of money, and everything is dear for it. */
  poor: { key: 'sk-poor-0123456789abcdefghijklmnop', multiplier: 1000 },
} as const
export type Payer = keyof typeof payers

/** What becomes of a request, as far as its upstream or its client decide it. */
export const kinds = [
  'plain', // a whole answer at once
  'slow', // the same after a while
  'short', // a stream of some pieces
  'long', // a stream of many, with pauses
  'cut', // a stream that the upstream breaks off
  'failing', // the upstream answers 500
  'refused', // the upstream answers 400
  'broken', // a body that is no JSON
  'foreign', // goes on with an answer of another token
] as const
export type Kind = (typeof kinds)[number]

/** One request; its number is in its question, so that all that belongs to it can be found. */
export interface Ask {
  readonly number: number
  readonly kind: Kind
  readonly payer: Payer
  readonly dialect: Dialect
  readonly stream: boolean
  /** Milliseconds after which the client does not want to know any more; undefined: it stays. */
  readonly leavesAfter: number | undefined
}

const usualKinds: readonly Kind[] = ['plain', 'plain', 'plain', 'slow', 'short', 'short', 'long']
const usualPayers: readonly Payer[] = ['rich', 'rich', 'rich', 'draining', 'limited', 'poor']

/** A request by chance. */
export function makeAsk(random: Random, number: number): Ask {
  const kind = random() < 0.85 ? pick(random, usualKinds) : pick(random, kinds)
  const dialect = kind === 'foreign' ? allDialects[1] : pick(random, allDialects)
  const isStream = kind === 'short' || kind === 'long' || kind === 'cut'
  return {
    number,
    kind,
    payer: pick(random, usualPayers),
    dialect: dialect as Dialect,
    stream: isStream,
    leavesAfter: random() < 0.1 ? random() * 80 : undefined,
  }
}

/** What the client asks; `readQuestion` reads it on the other side. */
export const questionOf = ({ number, kind, payer }: Ask) => `ask-${number}-${kind}-${payer}-`

/** The request that a body at the upstream is of; undefined when it is none of ours. */
export function readQuestion(body: string) {
  const found = /ask-(\d+)-([a-z]+)-([a-z]+)-/.exec(body)
  if (found === null) return undefined
  return { number: Number(found[1]), kind: found[2] as Kind, payer: found[3] as Payer }
}

/**
 * What an answer uses. Of who has plenty no two answers cost the same; for who has little, input is
 * never more than what is set aside for it.
 */
export function tokensOf({ number, payer }: Pick<Ask, 'number' | 'payer'>): Tokens {
  const isShort = payer === 'limited' || payer === 'poor'
  return { input: isShort ? (number % 7) + 1 : number, output: (number % 23) + 1 }
}

/** What it costs, in nano-USD: 1 USD per million tokens in and 2 out, times the group's multiplier. */
export function costOf(ask: Pick<Ask, 'number' | 'payer'>): number {
  const { input, output } = tokensOf(ask)
  return (input * 1000 + output * 2000) * payers[ask.payer].multiplier
}
