import { createOwnTurns } from '../../lib/turns.ts'
import { isJsonObject, parseJsonObject } from '../../protocols/json.ts'
import { responses } from '../../protocols/responses/index.ts'
import type { Beside } from '../beside/job.ts'
import { isLongToParse, readBeside } from '../beside/prepare-beside.ts'
import {
  checkBody,
  type ParsedBody,
  parseJsonBody,
  type RequestBody,
  type ScannedBody,
  slicedBytes,
} from '../body/body.ts'
import { isForm, parseFormBody } from '../body/form-body.ts'
import { parseScanned, scanLarge } from '../body/scan-large.ts'
import { hintInHeaders } from '../channels/conversation.ts'
import { stopping } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import type { Lease, MemoryBudget } from '../memory/memory-budget.ts'
import { type BodyMemory, leaseMemory, requestCost } from '../memory/memory-costs.ts'
import { continueOwn } from '../own-responses/continue.ts'
import type { OwnResponses } from '../own-responses/own-responses.ts'
import type { ModelCall } from './gatekeeper.ts'
import type { Plan } from './plan.ts'

export interface ReadParts {
  readonly own: OwnResponses
  readonly maxBodyBytes: () => number
  readonly memory: MemoryBudget
  /** How long a request waits for memory at the most, in milliseconds. */
  readonly memoryWaitMs: () => number
  readonly beside?: Beside | undefined
}

/** What a request takes of the memory, until it has ended: for itself, and for its body. */
export function memoryFor(parts: ReadParts, exchange: Exchange, lease: Lease): BodyMemory {
  exchange.lease = lease
  const waiting = { waitMs: parts.memoryWaitMs(), signal: exchange.request.signal }
  return leaseMemory(parts.memory, lease, waiting, requestCost)
}

/** The facts of a body, with what Gemini has in the path. */
export const factsOf = ({ stream }: ModelCall, { facts }: RequestBody) => ({
  ...facts,
  stream: stream ?? facts.stream,
})

/** Whether a request for a response stands for more than what is in it. */
export const goesOn = ({ protocol }: ModelCall, { facts }: RequestBody) =>
  protocol === responses && facts.continues.length > 0

/** The body with what it continues in it, as far as that is kept here. */
export async function continueRead(
  parts: ReadParts,
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

/** Reads a body, and names its model on the exchange: for the record of what is refused, too. */
export function readBody(
  parts: ReadParts,
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
  { beside }: ReadParts,
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
