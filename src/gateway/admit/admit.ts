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
import { isLongToParse, readOnThread } from '../body-thread/prepare.ts'
import { hintInHeaders } from '../channels/conversation.ts'
import { endedOutside } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import { Lease, LeasedMemory, requestCost } from '../memory/memory-budget.ts'
import { reserveMoney } from '../money/afford.ts'
import { continueOwn, createKeeping, previousIdIn } from '../own-responses/continue.ts'
import type { AdmitParts } from './admit-parts.ts'
import type { Caller } from './authenticate.ts'
import { enterLimits } from './enter-limits.ts'
import { findOptions, translateOnThread } from './find-options.ts'
import { withOwnTools } from './gate.ts'
import type { ModelCall } from './gatekeeper.ts'
import type { Option } from './options.ts'
import { type Plan, planRequest, withAskedContext } from './plan.ts'
import { checkReferences, lookUpShared } from './references.ts'

export interface Admitted {
  readonly body: RequestBody
  readonly options: readonly Option[]
  /** Finds continued answers and the sticky binding; undefined: not needed. May stay unawaited. */
  readonly sharedLookup: Promise<void> | undefined
}

/**
 * Checks key, body, model, limits and money, in this order; rejects with the first refusal.
 * Awaiting a value that is already here would cost a microtask.
 */
export async function admit(
  parts: AdmitParts,
  exchange: Exchange,
  call: ModelCall,
  { resolve, reject }: PromiseWithResolvers<Admitted>,
): Promise<void> {
  try {
    const found = parts.gatekeeper.identify(call)
    const caller = found instanceof Promise ? await found : found
    admitCaller(parts, exchange, call, caller)
    let received: ArrayBuffer | Buffer
    try {
      received = await receiveBody(parts, exchange, call)
    } catch (error) {
      throw brokenBody(error)
    }
    const reading = parseBody(parts, exchange, call, endReceiving(parts, exchange, received))
    const sent = reading instanceof Promise ? await reading : reading
    const plan = findOffer(parts, exchange, call, caller, sent)
    const whole = continuesResponse(call, sent)
      ? await withConversation(parts, exchange, call, sent, plan)
      : sent
    const body = completePlan(parts, exchange, call, caller, plan, sent, whole)
    const translating = translateOnThread(parts, exchange, call, body)
    const options = findOptions(parts, exchange, call, body, translating && (await translating))
    const sharedLookup = lookUpShared(parts, exchange, body, options)
    const entering = enterLimits(parts, exchange, plan, body)
    if (entering instanceof Promise) await entering
    if (body.facts.continues.length > 0)
      await checkReferences(parts, exchange, options, sharedLookup)
    const reserving = reserveMoney(parts, exchange, body, sharedLookup)
    if (reserving instanceof Promise) await reserving
    resolve({ body, options, sharedLookup })
  } catch (error) {
    reject(error)
  }
}

/** Checks the key and its account, and takes a request slot. */
function admitCaller(
  { gatekeeper, slots }: AdmitParts,
  exchange: Exchange,
  call: ModelCall,
  caller: Caller,
): void {
  exchange.caller = caller
  gatekeeper.check(caller, call, true)
  if (exchange.interruption !== undefined) throw endedOutside()
  slots.take()
  exchange.hasSlot = true
  checkContentType(call.request.headers.get('content-type'), call.operation.takesForm === true)
}

/** Reads the body into leased memory. One that is too slow while others wait for it is aborted. */
function receiveBody(
  parts: AdmitParts,
  exchange: Exchange,
  { request }: ModelCall,
): Promise<ArrayBuffer | Buffer> {
  const owner = String(exchange.caller?.account.id)
  const lease = new Lease(owner)
  exchange.lease = lease
  parts.memory.startReading(lease, exchange.refuseAdmission)
  const memory = new LeasedMemory(parts.memory, lease, memoryWait(parts, exchange), requestCost)
  return readBytes(request, { maxBytes: parts.maxBodyBytes(), owner, memory })
}

function endReceiving(
  { memory }: AdmitParts,
  { lease }: Exchange,
  received: ArrayBuffer | Buffer,
): Buffer {
  if (lease) memory.endReading(lease)
  if (lease?.isOver) throw endedOutside()
  return received instanceof ArrayBuffer ? Buffer.from(received) : received
}

const memoryWait = ({ memoryWaitMs }: AdmitParts, { request }: Exchange) => ({
  waitMs: memoryWaitMs(),
  signal: request.signal,
})

/** Finds the model's group and offer; the exchange gets the plan with `completePlan`. */
function findOffer(
  { catalog }: AdmitParts,
  exchange: Exchange,
  call: ModelCall,
  caller: Caller,
  sent: RequestBody,
): Plan {
  exchange.model = call.model ?? sent.facts.model ?? ''
  exchange.facts = factsOf(call, sent)
  return planRequest(catalog(), caller, exchange.model)
}

/** Sets the exchange's plan and final facts; returns the body with them. `whole`: with the conversation that it continues. */
function completePlan(
  { own }: AdmitParts,
  exchange: Exchange,
  call: ModelCall,
  caller: Caller,
  plan: Plan,
  sent: RequestBody,
  whole: RequestBody,
): RequestBody {
  const { operation, protocol, request } = call
  const known = factsOf(call, whole)
  const facts = operation === protocol.generation ? withOwnTools(known, plan.offer) : known
  const body = facts === whole.facts ? whole : { ...whole, facts }
  exchange.facts = facts
  exchange.plan = withAskedContext(plan, request.headers, facts.betas ?? [])
  if (operation === responses.generation) {
    exchange.keeping = createKeeping(own, caller.account.id, body, previousIdIn(sent))
  }
  return body
}

const factsOf = ({ stream }: ModelCall, { facts }: RequestBody) =>
  stream === undefined || stream === facts.stream ? facts : { ...facts, stream }

const continuesResponse = ({ protocol }: ModelCall, { facts }: RequestBody) =>
  protocol === responses && facts.continues.length > 0

/** The body with the stored conversation that it continues. */
async function withConversation(
  parts: AdmitParts,
  exchange: Exchange,
  call: ModelCall,
  body: RequestBody,
  { offer }: Plan,
): Promise<RequestBody> {
  const hasNative = offer.candidates.some(({ channel }) => responses.name in channel.speaks)
  const { caller, lease } = exchange
  const accountId = caller?.account.id ?? 0
  const maxBytes = parts.maxBodyBytes()
  return await inOwnTurn(String(accountId), async () => {
    if (exchange.interruption) throw endedOutside()
    const whole = await continueOwn({ own: parts.own, accountId, body, maxBytes, hasNative })
    if (whole === undefined || lease === undefined) return body
    const memory = new LeasedMemory(parts.memory, lease, memoryWait(parts, exchange))
    await memory.take(whole.byteLength)
    return await parseBody(parts, exchange, call, whole)
  })
}

/** A small request may continue a conversation as large as a body may be. */
const inOwnTurn = createKeyedMutex()

/** Parses a body and names its model on the exchange, for the record of refused requests too. */
function parseBody(
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
  return parseLarge(parts, exchange, call, bytes)
}

function checkParsed(exchange: Exchange, parsed: ParsedBody): RequestBody {
  exchange.model ??= modelIn(parsed.outline)
  return checkBody(parsed, exchange.operation)
}

async function parseLarge(
  { bodyThread }: AdmitParts,
  exchange: Exchange,
  { request, operation, model }: ModelCall,
  bytes: Buffer,
): Promise<RequestBody> {
  const owner = String(exchange.caller?.account.id)
  const scanned = await scanLarge(owner, bytes)
  if (bodyThread === undefined || !isLongToParse(scanned)) {
    return checkParsed(exchange, await parseScanned(owner, scanned))
  }
  exchange.model ??= scannedModel(scanned)
  const asked = { hint: hintInHeaders(request.headers), model }
  return readOnThread(bodyThread, owner, operation, asked, scanned, request.signal)
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
