import { allDialects, type Dialect, type Tokens } from '../../e2e/dialects.ts'
import { pick, type Random } from '../../support/random.ts'
import { type Payer, payers, prices } from '../config.ts'

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
  'large', // a stream of some megabytes
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
  /** Bytes in its question, beside what must be there. */
  readonly paddingBytes: number
}

const usualKinds: readonly Kind[] = ['plain', 'plain', 'plain', 'slow', 'short', 'short', 'long']
const rareKinds: readonly Kind[] = ['cut', 'failing', 'refused', 'broken']
const usualPayers: readonly Payer[] = [
  ...(['rich', 'rich', 'rich', 'draining', 'draining', 'resold', 'resold', 'resold'] as const),
  ...(['doubled', 'doubled', 'limited', 'poor'] as const),
]

const isStreamed = (kind: Kind) => ['short', 'long', 'cut', 'large'].includes(kind)

/** A request by chance; `fixed` says what is not left to it. */
export function makeAsk(random: Random, number: number, fixed: Partial<Ask> = {}): Ask {
  const kind = fixed.kind ?? pick(random, random() < 0.9 ? usualKinds : rareKinds)
  return {
    ...{ number, kind, payer: pick(random, usualPayers), dialect: pick(random, allDialects) },
    ...{ stream: isStreamed(kind), paddingBytes: 0 },
    leavesAfter: random() < 0.1 ? random() * 200 : undefined,
    ...fixed,
  }
}

/** What the client asks; `readQuestion` reads it on the other side. */
export const questionOf = ({ number, kind, payer, paddingBytes }: Ask): string =>
  `ask-${number}-${kind}-${payer}-${'x'.repeat(paddingBytes)}`

/** No answer may be longer, in tokens. */
export const mostOutput = 100
/**
 * What may be set aside for one that is, unseen parts of it included: who leaves may be charged that. No
 * more than this is known of it here.
 */
export const mostReserved = 100 * mostOutput

/** The body of a request: no JSON where that is its kind. */
export function bodyOf(ask: Ask): string {
  const limit = {
    chat: { max_completion_tokens: mostOutput },
    responses: { max_output_tokens: mostOutput },
    messages: { max_tokens: mostOutput },
    gemini: { generationConfig: { maxOutputTokens: mostOutput } },
  }[ask.dialect.name]
  const body = JSON.stringify({ ...ask.dialect.request(ask.stream, questionOf(ask)), ...limit })
  return ask.kind === 'broken' ? body.slice(0, -1) : body
}

/** The request that a body at the upstream is of; undefined when it is none of ours. */
export function readQuestion(body: string) {
  const found = /ask-(\d+)-([a-z]+)-([a-z]+)-/.exec(body)
  if (found === null) return undefined
  return { number: Number(found[1]), kind: found[2] as Kind, payer: found[3] as Payer }
}

/**
 * What an answer uses. Of who has plenty few answers cost the same; for who has little, input is never
 * more than what is set aside for it.
 */
export function tokensOf({ number, payer }: Pick<Ask, 'number' | 'payer'>): Tokens {
  const isShort = payer === 'limited' || payer === 'poor'
  return { input: isShort ? (number % 7) + 1 : (number % 9973) + 1, output: (number % 23) + 1 }
}

/** What so many tokens cost a payer, in nano-USD. */
export const costOf = (payer: Payer, { input, output }: Tokens): bigint =>
  ((BigInt(input) * prices.input + BigInt(output) * prices.output) *
    BigInt(payers[payer].thousandths)) /
  1000n
