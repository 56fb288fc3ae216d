import { createKeyedMutex } from '../../lib/concurrency.ts'
import { isJsonObject, parseJsonObject } from '../../protocols/json.ts'
import { responses } from '../../protocols/responses/index.ts'
import {
  checkBody,
  type ParsedBody,
  parseJsonBody,
  parseScanned,
  type RequestBody,
  type ScannedBody,
  scanLarge,
  slicedBytes,
} from '../body/body.ts'
import { isForm, parseFormBody } from '../body/form-body.ts'
import { brokenBody, checkContentType, readBytes } from '../body/read-bytes.ts'
import { hintInHeaders } from '../channels/conversation.ts'
import { stopping } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import {
  type BodyMemory,
  createLease,
  type Lease,
  LeasedMemory,
  requestCost,
} from '../memory/memory-budget.ts'
import { type AffordParts, reserveMoney } from '../money/afford.ts'
import { continueOwn, createKeeping, previousIdIn } from '../own-responses/continue.ts'
import type { OwnResponses } from '../own-responses/own-responses.ts'
import { isLongToParse, readOnWorker } from '../worker/prepare.ts'
import { type EnterParts, enter } from './enter-limits.ts'
import { type FindParts, gateTask, translatedOptions, translateOnWorker } from './find-options.ts'
import type { Gatekeeper, ModelCall } from './gatekeeper.ts'
import { type Option, plainOptions } from './options.ts'
import { withOwnTools } from './own-tools.ts'
import type { Places } from './places.ts'
import { type Plan, planRequest, withAskedContext } from './plan.ts'
import {
  checkReferences,
  lookUpShared,
  type ReferenceParts,
  type SharedLookupParts,
} from './references.ts'

export interface AdmitParts
  extends EnterParts,
    FindParts,
    AffordParts,
    SharedLookupParts,
    ReferenceParts {
  readonly gatekeeper: Gatekeeper
  readonly places: Pick<Places, 'enter' | 'leave'>
  readonly own: OwnResponses
  readonly maxBodyBytes: () => number
}

export interface Admitted {
  readonly body: RequestBody
  readonly options: readonly Option[]
  /** Reads the conversation's state from other nodes; undefined: not needed. Never unhandled. */
  readonly looking: Promise<void> | undefined
}

/** Checks key, body, model, limits and money, in this order; rejects with the first refusal. */
export async function admit(
  parts: AdmitParts,
  exchange: Exchange,
  call: ModelCall,
  { resolve, reject }: PromiseWithResolvers<Admitted>,
): Promise<void> {
  let isReading = false
  try {
    const found = parts.gatekeeper.identify(call)
    // Awaiting a value that is already here costs a turn of the event loop.
    const caller = found instanceof Promise ? await found : found
    exchange.caller = caller
    parts.gatekeeper.check(caller, call, true)
    if (exchange.interruption !== undefined) throw stopping()
    parts.places.enter()
    exchange.hasPlace = true
    checkContentType(call.request.headers.get('content-type'), call.operation.takesForm === true)
    const owner = String(caller.account.id)
    const lease = createLease(owner)
    const memory = memoryFor(parts, exchange, lease)
    // A body that arrives too slowly while others wait for memory is aborted.
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
    const continued = continuesResponse(call, read)
      ? await continueRead(parts, exchange, call, read, { plan, memory })
      : read
    exchange.facts = factsOf(call, continued)
    if (call.operation === call.protocol.generation) {
      exchange.facts = withOwnTools(exchange.facts, plan.offer)
    }
    const body = { ...continued, facts: exchange.facts }
    exchange.plan = withAskedContext(plan, call.request.headers, body.facts.betas ?? [])
    if (call.operation === responses.generation) {
      const previousId = previousIdIn(read)
      exchange.keeping = createKeeping({ ...parts, accountId: caller.account.id, body, previousId })
    }
    const gate = gateTask(exchange, exchange.plan, body)
    const worker = translateOnWorker(parts, exchange, call, body)
    const findPrepared = worker && (await worker)
    const options =
      (gate === undefined && plainOptions(exchange.plan.offer, call)) ||
      translatedOptions(parts, exchange, call, body, exchange.plan, gate, findPrepared)
    const looking = lookUpShared(parts, exchange, body, options)
    const entered = enter(parts, exchange, exchange.plan, body)
    if (entered instanceof Promise) await entered
    if (body.facts.continues.length > 0) await checkReferences(parts, exchange, options, looking)
    const afforded = reserveMoney(parts, exchange, body, looking)
    if (afforded instanceof Promise) await afforded
    resolve({ body, options, looking })
  } catch (error) {
    reject(isReading ? brokenBody(error) : error)
  }
}

/** Leases memory for a request and its body, until the request ends. */
function memoryFor(parts: AdmitParts, exchange: Exchange, lease: Lease): BodyMemory {
  exchange.lease = lease
  const waiting = { waitMs: parts.memoryWaitMs(), signal: exchange.request.signal }
  return new LeasedMemory(parts.memory, lease, waiting, requestCost)
}

export const factsOf = ({ stream }: ModelCall, { facts }: RequestBody) => ({
  ...facts,
  stream: stream ?? facts.stream,
})

/** Whether a request for a response continues an earlier one. */
const continuesResponse = ({ protocol }: ModelCall, { facts }: RequestBody) =>
  protocol === responses && facts.continues.length > 0

/** The body with the stored conversation that it continues. */
async function continueRead(
  parts: AdmitParts,
  exchange: Exchange,
  call: ModelCall,
  body: RequestBody,
  { plan: { offer }, memory }: { readonly plan: Plan; readonly memory: BodyMemory },
): Promise<RequestBody> {
  const hasNative = offer.candidates.some(({ channel }) => responses.name in channel.speaks)
  const accountId = exchange.caller?.account.id ?? 0
  const maxBytes = parts.maxBodyBytes()
  return await inOwnTurn(String(accountId), async () => {
    if (exchange.interruption) throw stopping()
    const whole = await continueOwn({ own: parts.own, accountId, body, maxBytes, hasNative })
    if (whole) await memory.take(whole.byteLength)
    return whole ? await readBody(parts, exchange, call, whole) : body
  })
}

/** A small request may continue a conversation as large as a body may be. */
const inOwnTurn = createKeyedMutex()

/** Reads a body and names its model on the exchange, for the record of refused requests too. */
export function readBody(
  parts: AdmitParts,
  exchange: Exchange,
  call: ModelCall,
  bytes: Buffer,
): RequestBody | Promise<RequestBody> {
  const contentType = call.request.headers.get('content-type')
  if (isForm(contentType) && call.operation.takesForm) {
    return parseFormBody(bytes, contentType).then((parsed) => checkParsed(exchange, parsed))
  }
  if (bytes.byteLength < slicedBytes) return checkParsed(exchange, parseJsonBody(bytes))
  return readLarge(parts, exchange, call, bytes)
}

function checkParsed(exchange: Exchange, parsed: ParsedBody): RequestBody {
  exchange.model ??= modelIn(parsed.outline)
  return checkBody(parsed, exchange.operation)
}

async function readLarge(
  { worker }: AdmitParts,
  exchange: Exchange,
  { request, operation, model }: ModelCall,
  bytes: Buffer,
): Promise<RequestBody> {
  const owner = String(exchange.caller?.account.id)
  const scanned = await scanLarge(owner, bytes)
  if (worker === undefined || !isLongToParse(scanned)) {
    return checkParsed(exchange, await parseScanned(owner, scanned))
  }
  exchange.model ??= scannedModel(scanned)
  const asked = { hint: hintInHeaders(request.headers), model }
  return readOnWorker(worker, owner, operation, asked, scanned, request.signal)
}

function modelIn(value: unknown): string | undefined {
  return isJsonObject(value) && typeof value.model === 'string' ? value.model : undefined
}

function scannedModel({ bytes, fields }: ScannedBody): string | undefined {
  const { start, end } = fields.spans.get('model') ?? { start: 0, end: 0 }
  if (end - start > longestName) return undefined
  return modelIn(parseJsonObject(`{"model":${bytes.toString('utf8', start, end)}}`))
}

const longestName = 4_096
