import type { Candidate } from '../../catalog/catalog.ts'
import { type FindPrepared, isHeavy, prepareBeside } from '../beside/prepare-beside.ts'
import type { RequestBody } from '../body/body.ts'
import { once } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import { countMedia } from '../media/fetch-media.ts'
import { rememberFailures } from '../media/inline-media.ts'
import { LeasedMemory, type MemoryBudget } from '../memory/memory-budget.ts'
import type { TranslationParts } from '../translate/translation.ts'
import {
  createTranslation,
  decodeRequest,
  targetOf,
  translateEmbedding,
  withAnswers,
} from '../translate/translation.ts'
import { type GateTask, isStrict, passExtras, passTranslated } from './gate.ts'
import type { ModelCall } from './gatekeeper.ts'
import { findOptions, foreignWays, isEmbedding, type Option, type Translate } from './options.ts'
import type { Plan } from './plan.ts'

export interface FindParts extends TranslationParts {
  readonly memory: MemoryBudget
  readonly memoryWaitMs: () => number
}

/** The channels that may answer, where something of the request has to be looked at or translated. */
export function translatedOptions(
  parts: FindParts,
  exchange: Exchange,
  call: ModelCall,
  body: RequestBody,
  given: TranslatorTask,
): readonly Option[] {
  const { gate, plan } = given
  const pass = gate && ((candidate: Candidate) => passExtras(gate, candidate, call.protocol.name))
  return findOptions(plan.offer, call, translatorOf(parts, exchange, call, body, given), pass)
}

/** What there is to look at of a request; undefined: nothing, as for most. */
export function gateTask(
  exchange: Exchange,
  { group, offer }: Plan,
  body: RequestBody,
): GateTask | undefined {
  const { operation, caller } = exchange
  if (!operation.charged || caller === undefined) return undefined
  if (body.facts.extras === undefined) return undefined
  return { group, offer, models: caller.models, body, isStrict: isStrict(exchange) }
}

interface TranslatorTask {
  readonly gate: GateTask | undefined
  readonly plan: Plan
  readonly findPrepared: FindPrepared | undefined
}

function translatorOf(...asked: Parameters<typeof translator>): Translate {
  const [, exchange, { protocol: client, operation }, body] = asked
  if (!isEmbedding(operation)) return translator(...asked)
  const task = { client, body, model: exchange.model ?? '', isStrict: isStrict(exchange) }
  return (candidate, upstream) => translateEmbedding(task, candidate, upstream)
}

/** Fetches files for one request; who is refused memory for one of them is refused whole. */
function mediaFor({ media, memory, memoryWaitMs }: FindParts, { lease, request }: Exchange) {
  const waiting = { waitMs: memoryWaitMs(), signal: request.signal, isAhead: true }
  return rememberFailures(countMedia(media, lease && new LeasedMemory(memory, lease, waiting)))
}

/** Makes translations of one request, which is decoded once, when the first is asked for. */
function translator(
  parts: FindParts,
  exchange: Exchange,
  { protocol: client }: ModelCall,
  body: RequestBody,
  { gate, plan, findPrepared }: TranslatorTask,
): Translate {
  if (findPrepared !== undefined) {
    return (candidate, upstream) => {
      if (gate) passTranslated(gate, candidate, upstream.name)
      const target = targetOf(candidate, upstream, plan)
      return withAnswers(findPrepared(target), parts.sealer, client, target)
    }
  }
  const { model = '', caller } = exchange
  const shared = once(() => ({
    means: { sealer: parts.sealer, media: mediaFor(parts, exchange) },
    request: decodeRequest(client, body, model),
  }))
  const owner = String(caller?.account.id)
  const isKept = exchange.keeping?.keep !== undefined
  return (candidate, upstream) => {
    if (gate) passTranslated(gate, candidate, upstream.name)
    const { request, means } = shared()
    const task = { client, request, body, isStrict: isStrict(exchange), isKept, owner }
    return createTranslation(means, task, candidate, upstream, plan)
  }
}

/** Translates a heavy request on another thread; undefined: it is none, or needs no translation. */
export function translateBeside(
  parts: FindParts,
  exchange: Exchange,
  call: ModelCall,
  body: RequestBody,
): Promise<FindPrepared> | undefined {
  const { beside } = parts
  const { plan, model = '', caller } = exchange
  const ways = plan && isHeavy(body) ? foreignWays(plan.offer, call) : []
  if (beside === undefined || ways.length === 0) return undefined
  const owner = String(caller?.account.id)
  const task = {
    ...{ beside, client: call.protocol, model, body, owner },
    isStrict: isStrict(exchange),
    ...(plan && { plan }),
    isKept: exchange.keeping?.keep !== undefined,
    fetchMedia: mediaFor(parts, exchange).of(owner),
  }
  return prepareBeside(task, ways, exchange.request.signal)
}
