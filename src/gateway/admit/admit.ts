import type { Candidate, Catalog } from '../../catalog/catalog.ts'
import { createOwnTurns } from '../../lib/turns.ts'
import { isJsonObject, parseJsonObject } from '../../protocols/json.ts'
import { responses } from '../../protocols/responses/index.ts'
import {
  type FindPrepared,
  isHeavy,
  isLongToParse,
  prepareBeside,
  readBeside,
} from '../beside/prepare-beside.ts'
import {
  checkBody,
  type ParsedBody,
  parseJsonBody,
  type RequestBody,
  type ScannedBody,
  slicedBytes,
} from '../body/body.ts'
import { isForm, parseFormBody } from '../body/form-body.ts'
import { checkContentType, type ReadTask, readBytes } from '../body/read-bytes.ts'
import { parseScanned, scanLarge } from '../body/scan-large.ts'
import { hintInHeaders } from '../channels/conversation.ts'
import { GatewayError, once, stopping } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import type { Limiter, Permit, Subject } from '../limits/limiter.ts'
import { countMedia } from '../media/fetch-media.ts'
import { rememberFailures } from '../media/inline-media.ts'
import { createLease, type MemoryBudget } from '../memory/memory-budget.ts'
import { type BodyMemory, leaseMemory, requestCost } from '../memory/memory-costs.ts'
import { type AffordParts, setAside } from '../money/afford.ts'
import { quickInput } from '../money/bound.ts'
import { continueOwn, createKeeping, previousIdIn } from '../own-responses/continue.ts'
import type { OwnResponses } from '../own-responses/own-responses.ts'
import { withOwnTools } from '../translate/own-tools.ts'
import {
  createTranslation,
  decodeRequest,
  type TranslationParts,
  targetOf,
  translateEmbedding,
  withAnswers,
} from '../translate/translation.ts'
import type { Caller } from './authenticate.ts'
import { type GateTask, isStrict, passExtras, passTranslated } from './gate.ts'
import type { Gatekeeper, ModelCall } from './gatekeeper.ts'
import {
  findOptions,
  foreignWays,
  isEmbedding,
  type Option,
  plainOptions,
  type Translate,
} from './options.ts'
import type { Places } from './places.ts'
import { type Plan, planRequest, withAskedContext } from './plan.ts'
import { checkReferences, type LookParts, lookAround, type ReferenceParts } from './references.ts'

export interface EnterParts {
  readonly catalog: () => Catalog
  readonly limiter: Limiter
  /** How long a request may wait for a place within its limits, in milliseconds; 0: not at all. */
  readonly queueTimeMs: () => number
  /** Told of a request that is refused for a limit of a token, an account or a group. */
  readonly onLimited: (kind: string) => void
}

export interface AdmitParts
  extends EnterParts,
    AffordParts,
    TranslationParts,
    LookParts,
    ReferenceParts {
  readonly gatekeeper: Gatekeeper
  readonly own: OwnResponses
  readonly maxBodyBytes: () => number
  readonly places: Pick<Places, 'enter' | 'leave'>
  readonly memory: MemoryBudget
  /** How long a request waits for memory at the most, in milliseconds. */
  readonly memoryWaitMs: () => number
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

/** The channels that may answer, where something of the request has to be looked at or translated. */
function translatedOptions(
  parts: AdmitParts,
  exchange: Exchange,
  call: ModelCall,
  body: RequestBody,
  given: TranslatorTask,
): readonly Option[] {
  const { gate, plan } = given
  const pass = gate && ((candidate: Candidate) => passExtras(gate, candidate, call.protocol.name))
  return findOptions(plan.offer, call, translatorOf(parts, exchange, call, body, given), pass)
}

/** What a request takes of the memory, until it has ended: for itself, and for its body. */
function memoryFor(parts: AdmitParts, exchange: Exchange, owner: string): BodyMemory {
  const lease = createLease(owner)
  exchange.lease = lease
  const waiting = { waitMs: parts.memoryWaitMs(), signal: exchange.request.signal }
  return leaseMemory(parts.memory, lease, waiting, requestCost)
}

/** Reads a body; one that comes too slowly for those who wait is given up on the way. */
async function readWhole(
  { memory }: AdmitParts,
  { lease, request, refuse }: Exchange,
  task: ReadTask,
): Promise<Buffer> {
  if (lease === undefined) return readBytes(request, task)
  memory.startReading(lease, refuse)
  const bytes = await readBytes(request, task)
  memory.endReading(lease)
  if (lease.isOver) throw stopping()
  return bytes
}

/** The facts of a body, with what Gemini has in the path. */
const factsOf = ({ stream }: ModelCall, { facts }: RequestBody) => ({
  ...facts,
  stream: stream ?? facts.stream,
})

/** Whether a request for a response stands for more than what is in it. */
const goesOn = ({ protocol }: ModelCall, { facts }: RequestBody) =>
  protocol === responses && facts.continues.length > 0

/** The body with what it continues in it, as far as that is kept here. */
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

/** Some bytes of a request may stand for a conversation as large as a body may be, and for as much work. */
const inOwnTurn = createOwnTurns()

/** Takes a place within the limits, or waits for one. */
function enter(
  { limiter, queueTimeMs, onLimited }: AdmitParts,
  exchange: Exchange,
  plan: Plan,
  body: RequestBody,
): void | Promise<void> {
  const { caller, request } = exchange
  if (caller === undefined) return
  const subjects = subjectsOf(caller, plan)
  const llmTokens = countsLlmTokens(subjects) ? quickInput(body) : 0
  const waiting = { waitMs: queueTimeMs(), signal: request.signal }
  try {
    const permit = limiter.enter(subjects, llmTokens, waiting)
    if (permit instanceof Promise) return enterLate(exchange, permit, onLimited)
    hold(exchange, permit)
  } catch (error) {
    noteLimited(error, onLimited)
    throw error
  }
}

function countsLlmTokens(subjects: readonly Subject[]): boolean {
  for (const { limits } of subjects) if (limits.tpm !== null) return true
  return false
}

/** The same for a request that names no model: the place is the asker's to release. */
export async function enterLimits(
  { catalog, limiter, queueTimeMs, onLimited }: EnterParts,
  caller: Caller,
  signal: AbortSignal,
): Promise<Permit | undefined> {
  const group = catalog().groups.get(caller.token.groupId)
  if (group === undefined) return undefined
  try {
    return await limiter.enter(subjectsOf(caller, { group }), 0, { waitMs: queueTimeMs(), signal })
  } catch (error) {
    noteLimited(error, onLimited)
    throw error
  }
}

async function enterLate(
  exchange: Exchange,
  permit: Promise<Permit>,
  onLimited: AdmitParts['onLimited'],
): Promise<void> {
  try {
    hold(exchange, await permit)
  } catch (error) {
    noteLimited(error, onLimited)
    throw error
  }
}

function noteLimited(error: unknown, onLimited: AdmitParts['onLimited']): void {
  if (error instanceof GatewayError && error.details.limited) onLimited(error.details.limited)
}

/** Keeps the place for the exchange; one that has ended meanwhile needs none. */
function hold(exchange: Exchange, permit: Permit): void {
  if (exchange.interruption !== undefined) {
    permit.undo()
    throw stopping()
  }
  exchange.permit = permit
}

/**
 * Everything that a request is counted against, but its channel. What has no limit (any more) costs
 * nothing, and lets those in that wait for one.
 */
function subjectsOf(
  { token, account }: Caller,
  { group }: Pick<Plan, 'group'>,
): readonly Subject[] {
  const { id, name, limits } = token
  return [
    { kind: 'token', id, name, limits },
    { kind: 'account', id: account.id, name: account.email, limits: account.limits },
    { kind: 'group', id: group.id, name: group.name, limits: group.limits },
  ]
}

/** What there is to look at of a request; undefined: nothing, as for most. */
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

/** What translations of a request are made with. */
interface TranslatorTask {
  readonly gate: GateTask | undefined
  readonly plan: Plan
  /** Absent: they are made here, and not on another thread. */
  readonly findPrepared: FindPrepared | undefined
}

/** Makes translations of one request, of whatever kind it is. */
function translatorOf(...asked: Parameters<typeof translator>): Translate {
  const [, exchange, { protocol: client, operation }, body] = asked
  if (!isEmbedding(operation)) return translator(...asked)
  const task = { client, body, model: exchange.model ?? '', isStrict: isStrict(exchange) }
  return (candidate, upstream) => translateEmbedding(task, candidate, upstream)
}

/** Fetches files for one request; who is refused memory for one of them is refused whole. */
function mediaFor({ media, memory, memoryWaitMs }: AdmitParts, { lease, request }: Exchange) {
  const waiting = { waitMs: memoryWaitMs(), signal: request.signal, isAhead: true }
  return rememberFailures(countMedia(media, lease && leaseMemory(memory, lease, waiting)))
}

/** Makes translations of one request, which is decoded once, when the first is asked for. */
function translator(
  parts: AdmitParts,
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
function translateBeside(
  parts: AdmitParts,
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

/** Reads a body, and names its model on the exchange: for the record of what is refused, too. */
function readBody(
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

/** Names its model on the exchange before anything of it can be refused. */
function checkParsed(exchange: Exchange, parsed: ParsedBody): RequestBody {
  exchange.model ??= modelIn(parsed.outline)
  return checkBody(parsed, exchange.operation)
}

async function readLarge(
  { beside }: AdmitParts,
  exchange: Exchange,
  { request, operation, model }: ModelCall,
  bytes: Buffer,
): Promise<RequestBody> {
  const owner = String(exchange.caller?.account.id)
  const scanned = await scanLarge(owner, bytes)
  if (beside === undefined || !isLongToParse(scanned)) {
    return checkParsed(exchange, await parseScanned(owner, scanned))
  }
  exchange.model ??= scannedModel(scanned)
  const asked = { hint: hintInHeaders(request.headers), model }
  return readBeside({ beside, owner, operation, asked, signal: request.signal }, scanned)
}

/** The model that a body names, for the record of a request that is refused for something else. */
function modelIn(value: unknown): string | undefined {
  return isJsonObject(value) && typeof value.model === 'string' ? value.model : undefined
}

/** The same of a body that is not parsed; undefined where it is no model's name. */
function scannedModel({ bytes, fields }: ScannedBody): string | undefined {
  const { start, end } = fields.spans.get('model') ?? { start: 0, end: 0 }
  if (end - start > longestName) return undefined
  return modelIn(parseJsonObject(`{"model":${bytes.toString('utf8', start, end)}}`))
}
const longestName = 4_096
