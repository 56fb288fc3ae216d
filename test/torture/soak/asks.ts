import { allDialects, type Dialect, type Tokens } from '../../e2e/dialects.ts'
import { pick, type Random } from '../../support/random.ts'

/** The keys of a soak's clients, each with a group of its own; what the groups are: `config.ts`. */
export const payers = {
  /** Channels that speak every protocol. */
  native: { key: 'sk-native-0123456789abcdefghijklmn' },
  /** Channels that speak one protocol each. */
  translated: { key: 'sk-translated-0123456789abcdefghij' },
  /** All of them, and one that nobody listens for. */
  mixed: { key: 'sk-mixed-0123456789abcdefghijklmno' },
  /** One channel, and nothing else; reads on when a client leaves. */
  single: { key: 'sk-single-0123456789abcdefghijklmn' },
  /** As mixed, with limits that are often reached. */
  limited: { key: 'sk-limited-0123456789abcdefghijklm' },
} as const
export type Payer = keyof typeof payers
export const payerNames = Object.keys(payers) as Payer[]

/** How much is answered: at once, in a few events, in many with pauses, or in megabytes. */
export const sizes = ['whole', 'short', 'long', 'large'] as const
export type Size = (typeof sizes)[number]

/** One request; its number is in its question, so that all that belongs to it can be found. */
export interface SoakAsk {
  readonly number: number
  readonly payer: Payer
  readonly dialect: Dialect
  readonly size: Size
  readonly stream: boolean
  /** Milliseconds after which the client does not want to know any more; undefined: it stays. */
  readonly leavesAfter: number | undefined
}

const usualSizes: readonly Size[] = ['whole', 'whole', 'whole', 'short', 'short', 'short', 'long']

/** A request by chance. */
export function makeAsk(random: Random, number: number): SoakAsk {
  const size = random() < 0.02 ? 'large' : pick(random, usualSizes)
  return {
    number,
    payer: pick(random, payerNames),
    dialect: pick(random, allDialects),
    size,
    stream: size !== 'whole',
    leavesAfter: size !== 'large' && random() < 0.1 ? random() * 1_500 : undefined,
  }
}

/** What the client asks; `readQuestion` reads it on the other side. */
export const questionOf = ({ number, size }: SoakAsk) => `soak-${number}-${size}-`

/** The request that a body at an upstream is of; undefined when it is none of ours. */
export function readQuestion(body: string) {
  const found = /soak-(\d+)-([a-z]+)-/.exec(body)
  return found === null ? undefined : { number: Number(found[1]), size: found[2] as Size }
}

/** What an answer uses. */
export const tokensOf = (number: number): Tokens => ({
  input: (number % 997) + 1,
  output: (number % 89) + 1,
})
