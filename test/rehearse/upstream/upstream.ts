import type { Tokens } from '../../e2e/dialects.ts'
import type { Due } from '../../support/fault/odd-answers.ts'
import type { FaultRequest } from '../../support/fault/requests.ts'
import { httpBytes, type Step, write } from '../../support/fault/steps.ts'
import { dialectOf } from '../../support/fault/well.ts'
import { type Line, startMortalUpstream } from '../../support/mortal-upstream.ts'
import { createRandom, pick } from '../../support/random.ts'
import { type Kind as AskKind, mostReserved, readQuestion, tokensOf } from '../clients/asks.ts'
import type { Payer, UpstreamUrls } from '../config.ts'
import { type Kind, type KindName, kinds } from './kinds.ts'

/** What the vendor bills for one call. */
export interface Bill {
  readonly number: number
  readonly payer: Payer
  readonly kind: KindName
  /** All of the answer was sent, or will be to who waits for it. */
  readonly isWhole: boolean
  /** What it told of its usage; undefined: nothing. */
  readonly tokens: Tokens | undefined
  /** Also of what breaks off: told on the way, or no more than the bytes of question and answer. */
  readonly mostTokens: Tokens
}

/** Two upstreams, the second of which is odd, and what they bill. */
export interface Upstream extends AsyncDisposable {
  readonly urls: UpstreamUrls
  /** By the number in each prompt, in their order. */
  readonly bills: ReadonlyMap<number, readonly Bill[]>
  /** Calls that are being answered. */
  underWay(): number
  /** From now on every call of either may be answered so, with that probability. */
  misbehave(kind: KindName | undefined, probability?: number): void
  /** Nobody listens at either address any more. */
  die(): Promise<void>
  revive(): Promise<void>
}

/** How each question of a client is answered by an upstream that is well. */
const usual: Record<AskKind, { readonly size: Due['size']; readonly kind?: KindName }> = {
  plain: { size: 'whole' },
  slow: { size: 'whole', kind: 'late' },
  short: { size: 'short' },
  long: { size: 'long' },
  large: { size: 'large' },
  cut: { size: 'long', kind: 'half then reset' },
  failing: { size: 'whole', kind: 'status 500' },
  refused: { size: 'whole', kind: 'status 400' },
  broken: { size: 'whole' },
}

/** What the odd one does by itself, beside answering well. */
const oddKinds = (Object.keys(kinds) as KindName[]).filter((name) => name !== 'never ends')

const bytesOf = (step: Step): number => {
  if (!('bytes' in step)) return 0
  return step.bytes.length * (step.do === 'repeat' ? step.times : 1)
}

export async function startUpstream(seed: number): Promise<Upstream> {
  const random = createRandom(seed)
  const bills = new Map<number, Bill[]>()
  let mood: { readonly kind: KindName; readonly probability: number } | undefined
  let underWay = 0
  let last = 0

  function choose(kind: AskKind, isOdd: boolean): KindName {
    if (mood !== undefined && random() < mood.probability) return mood.kind
    if (isOdd && random() < 0.2) return pick(random, oddKinds)
    return usual[kind].kind ?? 'well'
  }

  async function answer(request: FaultRequest, line: Line, isOdd: boolean): Promise<void> {
    const asked = readQuestion(request.text)
    if (asked === undefined || request.protocol === undefined) {
      return line.play([write(httpBytes({ status: 404, body: '{}' }))])
    }
    const name = choose(asked.kind, isOdd)
    const kind: Kind = kinds[name]
    const tokens = tokensOf(asked)
    const due: Due = {
      ...{ number: asked.number, tokens, size: usual[asked.kind].size, random },
      ...{ isStreamed: request.isStreamed, dialect: dialectOf(request) },
      upstreamId: `upstream-${asked.number}-${++last}`,
    }
    const steps = kind.steps(due)
    const sent = steps.reduce((sum, step) => sum + bytesOf(step), 0)
    const bill: Bill = {
      ...{ number: asked.number, payer: asked.payer, kind: name },
      isWhole: kind.bills !== undefined,
      tokens: kind.bills === 'told' ? tokens : undefined,
      mostTokens: {
        input: Math.max(request.body.length, tokens.input),
        output: sent + mostReserved,
      },
    }
    bills.set(asked.number, [...(bills.get(asked.number) ?? []), bill])
    underWay++
    await line.play(steps)
    underWay--
  }

  const main = await startMortalUpstream((request, line) => answer(request, line, false))
  const odd = await startMortalUpstream((request, line) => answer(request, line, true))
  const both = [main, odd]
  const forBoth = async (act: (one: (typeof both)[number]) => Promise<void>) => {
    await Promise.all(both.map(act))
  }
  return {
    urls: { main: main.url, odd: odd.url },
    bills,
    underWay: () => underWay,
    misbehave(kind, probability = 1) {
      mood = kind && { kind, probability }
    },
    die: () => forBoth((one) => one.die()),
    revive: () => forBoth((one) => one.revive()),
    [Symbol.asyncDispose]: () => forBoth(async (one) => one[Symbol.asyncDispose]()),
  }
}
