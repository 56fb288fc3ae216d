import { responses } from '../../protocols/responses/index.ts'
import type { RequestBody } from '../body/body.ts'
import { brokenBody, checkContentType, readBytes } from '../body/read-bytes.ts'
import { stopping } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import { createLease } from '../memory/memory-budget.ts'
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
  readonly options: readonly Option[]
  /** Looks up what other nodes know of its conversation; undefined: that is known. Never rejects unheard. */
  readonly looking: Promise<void> | undefined
}

/**
 * Key, body, model, limits, money. Notes what it finds on the exchange, for refusals too; rejects
 * with the first refusal.
 */
export async function admit(
  parts: AdmitParts,
  exchange: Exchange,
  call: ModelCall,
  { resolve, reject }: PromiseWithResolvers<Admitted>,
): Promise<void> {
  let isReading = false
  try {
    const found = parts.gatekeeper.identify(call)
    // Waiting for what is here already costs a turn, for each request and each of these steps.
    const caller = found instanceof Promise ? await found : found
    exchange.caller = caller
    parts.gatekeeper.check(caller, call, true)
    if (exchange.interruption !== undefined) throw stopping()
    parts.places.enter()
    exchange.hasPlace = true
    checkContentType(call.request.headers.get('content-type'), call.operation.takesForm)
    const owner = String(caller.account.id)
    const lease = createLease(owner)
    const memory = memoryFor(parts, exchange, lease)
    // A body that comes too slowly for those who wait is given up on the way.
    parts.memory.startReading(lease, exchange.refuseAdmission)
    const maxBytes = parts.maxBodyBytes()
    isReading = true
    const came = await readBytes(call.request, { maxBytes, owner, memory })
    isReading = false
    const bytes = came instanceof ArrayBuffer ? Buffer.from(came) : came
    parts.memory.endReading(lease)
    if (lease.isOver) throw stopping()
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
    resolve({ body, options, looking })
  } catch (error) {
    reject(isReading ? brokenBody(error) : error)
  }
}
