import { responses } from '../../protocols/responses/index.ts'
import type { RequestBody } from '../body/body.ts'
import { checkContentType } from '../body/read-bytes.ts'
import { stopping } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import { type AffordParts, setAside } from '../money/afford.ts'
import { createKeeping, previousIdIn } from '../own-responses/continue.ts'
import { withOwnTools } from '../translate/own-tools.ts'
import { type EnterParts, enter } from './enter-limits.ts'
import { type FindParts, gateTask, translateBeside, translatedOptions } from './find-options.ts'
import type { Gatekeeper, ModelCall } from './gatekeeper.ts'
import { type Option, plainOptions } from './options.ts'
import type { Places } from './places.ts'
import { planRequest, withAskedContext } from './plan.ts'
import {
  continueRead,
  factsOf,
  goesOn,
  memoryFor,
  type ReadParts,
  readBody,
  readWhole,
} from './read-request.ts'
import { checkReferences, type LookParts, lookAround, type ReferenceParts } from './references.ts'

export interface AdmitParts
  extends EnterParts,
    ReadParts,
    FindParts,
    AffordParts,
    LookParts,
    ReferenceParts {
  readonly gatekeeper: Gatekeeper
  readonly places: Pick<Places, 'enter' | 'leave'>
}

/** A request that was let in. */
export interface Admitted {
  readonly body: RequestBody
  /** The channels that may answer. */
  readonly options: readonly Option[]
  /** Looks up what other nodes know of its conversation; undefined: that is known. Never rejects unheard. */
  readonly looking: Promise<void> | undefined
}

/**
 * Key first, then the body, then what the two may do together: the model, the limits, the money.
 * Notes on the exchange what its record needs, of a refusal too; throws the `GatewayError` of the first refusal.
 */
export async function admit(
  parts: AdmitParts,
  exchange: Exchange,
  call: ModelCall,
): Promise<Admitted> {
  const { gatekeeper } = parts
  const found = gatekeeper.identify(call)
  // Waiting for what is here already costs a turn, for each request and each of these steps.
  const caller = found instanceof Promise ? await found : found
  exchange.caller = caller
  gatekeeper.check(caller, call, true)
  if (exchange.interruption !== undefined) throw stopping()
  parts.places.enter()
  exchange.hasPlace = true
  checkContentType(call.request.headers.get('content-type'), call.operation.takesForm)
  const owner = String(caller.account.id)
  const memory = memoryFor(parts, exchange, owner)
  const bytes = await readWhole(parts, exchange, { maxBytes: parts.maxBodyBytes(), owner, memory })
  const reading = readBody(parts, exchange, call, bytes)
  const read = reading instanceof Promise ? await reading : reading
  exchange.model = call.model ?? read.facts.model ?? ''
  exchange.facts = factsOf(call, read)
  const plan = planRequest(parts.catalog(), caller, exchange.model)
  const going = goesOn(call, read)
    ? await continueRead(parts, exchange, call, read, { plan, memory })
    : read
  exchange.facts = factsOf(call, going)
  if (call.operation === call.protocol.generation) {
    exchange.facts = withOwnTools(exchange.facts, plan.offer)
  }
  const body = { ...going, facts: exchange.facts }
  exchange.plan = withAskedContext(plan, call.request.headers, body.facts.betas ?? [])
  if (call.operation === responses.generation) {
    const previousId = previousIdIn(read)
    exchange.keeping = createKeeping({ ...parts, accountId: caller.account.id, body, previousId })
  }
  const gate = gateTask(exchange, exchange.plan, body)
  const beside = translateBeside(parts, exchange, call, body)
  const findPrepared = beside && (await beside)
  const options =
    (gate === undefined && plainOptions(exchange.plan.offer, call)) ||
    translatedOptions(parts, exchange, call, body, { gate, plan: exchange.plan, findPrepared })
  const looking = lookAround(parts, exchange, body, options)
  const entered = enter(parts, exchange, exchange.plan, body)
  if (entered instanceof Promise) await entered
  if (body.facts.continues.length > 0) await checkReferences(parts, exchange, options, looking)
  const afforded = setAside(parts, exchange, body, looking)
  if (afforded instanceof Promise) await afforded
  return { body, options, looking }
}
