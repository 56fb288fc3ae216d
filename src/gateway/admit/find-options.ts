import type { Candidate } from '../../catalog/catalog.ts'
import { once } from '../../lib/once.ts'
import type { RequestBody } from '../body/body.ts'
import { type FindPrepared, isHeavy, prepareOnThread } from '../body-thread/prepare.ts'
import type { Exchange } from '../exchange.ts'
import { countMedia } from '../media/fetch-media.ts'
import { rememberFailures } from '../media/inline-media.ts'
import { LeasedMemory } from '../memory/memory-budget.ts'
import {
  createTranslation,
  decodeRequest,
  type TranslationTask,
  targetOf,
  translateEmbedding,
  withAnswers,
} from '../translate/translation.ts'
import type { AdmitParts } from './admit-parts.ts'
import { type GateTask, isStrict, passExtras, passTranslated } from './gate.ts'
import type { ModelCall } from './gatekeeper.ts'
import {
  foreignWays,
  isEmbedding,
  type Option,
  optionsOf,
  plainOptions,
  type Translate,
} from './options.ts'
import type { Plan } from './plan.ts'

/** The channels that may answer. Throws the 400 or 403 of what none may get. */
export function findOptions(
  parts: AdmitParts,
  exchange: Exchange,
  call: ModelCall,
  body: RequestBody,
  findPrepared: FindPrepared | undefined,
): readonly Option[] {
  const { plan } = exchange
  if (plan === undefined) return []
  const gate = gateTask(exchange, plan, body)
  const plain = gate === undefined ? plainOptions(plan.offer, call) : undefined
  if (plain !== undefined) return plain
  const pass = gate && ((candidate: Candidate) => passExtras(gate, candidate, call.protocol.name))
  const task = taskOf(exchange, call, body)
  const translate: Translate = isEmbedding(call.operation)
    ? (candidate, upstream) => translateEmbedding(task, candidate, upstream)
    : translator(parts, exchange, task, gate, findPrepared)
  return optionsOf(plan.offer, call, translate, pass)
}

/** What has to be inspected in a request; undefined: nothing, as for most. */
function gateTask(
  exchange: Exchange,
  { group, offer }: Plan,
  body: RequestBody,
): GateTask | undefined {
  const { operation, caller } = exchange
  if (!operation.charged || caller === undefined) return undefined
  if (body.facts.extras === undefined) return undefined
  return { group, offer, models: caller.models, body, isStrict: isStrict(exchange) }
}

const taskOf = (
  exchange: Exchange,
  { protocol: client }: ModelCall,
  body: RequestBody,
): TranslationTask => ({
  client,
  body,
  model: exchange.model ?? '',
  isStrict: isStrict(exchange),
  isKept: exchange.keeping?.keep !== undefined,
  owner: String(exchange.caller?.account.id),
  plan: exchange.plan,
})

/** Fetches a request's files; without memory for one of them the whole request fails. */
function mediaFor({ media, memory, memoryWaitMs }: AdmitParts, { lease, request }: Exchange) {
  const waiting = { waitMs: memoryWaitMs(), signal: request.signal, isAhead: true }
  return rememberFailures(countMedia(media, lease && new LeasedMemory(memory, lease, waiting)))
}

/** Translates one request, which is decoded once, on first use. */
function translator(
  parts: AdmitParts,
  exchange: Exchange,
  task: TranslationTask,
  gate: GateTask | undefined,
  findPrepared: FindPrepared | undefined,
): Translate {
  const { client, body, model, plan } = task
  const shared = once(() => ({
    means: { sealer: parts.sealer, media: mediaFor(parts, exchange) },
    request: decodeRequest(client, body, model),
  }))
  return (candidate, upstream) => {
    if (gate) passTranslated(gate, candidate, upstream.name)
    if (findPrepared) {
      const target = targetOf(candidate, upstream, plan)
      return withAnswers(findPrepared(target), parts.sealer, client, target)
    }
    const { request, means } = shared()
    return createTranslation(means, task, request, candidate, upstream)
  }
}

/** Translates a heavy request on the body thread; undefined: light, or untranslated. */
export function translateOnThread(
  parts: AdmitParts,
  exchange: Exchange,
  call: ModelCall,
  body: RequestBody,
): Promise<FindPrepared> | undefined {
  const { bodyThread } = parts
  const { plan } = exchange
  const ways = plan && isHeavy(body) ? foreignWays(plan.offer, call) : []
  if (bodyThread === undefined || ways.length === 0) return undefined
  const task = taskOf(exchange, call, body)
  const fetchMedia = mediaFor(parts, exchange).of(task.owner)
  return prepareOnThread(bodyThread, task, fetchMedia, ways, exchange.request.signal)
}
