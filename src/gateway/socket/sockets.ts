import { addTo } from '../../lib/add-to.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { JsonObject } from '../../protocols/protocol.ts'
import { responses } from '../../protocols/responses/index.ts'
import type { Caller } from '../admit/authenticate.ts'
import { type LimitParts, withinLimits } from '../admit/enter-limits.ts'
import type { HttpCall } from '../admit/gatekeeper.ts'
import { checkBody, parseJsonBody, parseLarge, slicedBytes } from '../body/body.ts'
import { type Context, httpCall } from '../context.ts'
import { endedOutside, GatewayError, modelHeaders, pageNotFound } from '../errors.ts'
import type { Forwarder } from '../forward.ts'
import { type GuardParts, guarded } from '../serve/guarded.ts'
import { errorEvent } from './client-message.ts'
import { type Connection, createConnection } from './connection.ts'
import { type ConversationLimits, createSocketMemory } from './socket-memory.ts'

interface SocketParts extends GuardParts, LimitParts {
  readonly forwarder: Forwarder
  readonly isOn: () => boolean
  readonly maxBodyBytes: () => number
  readonly most: SocketLimits
  readonly isShort: () => boolean
  readonly clock: Clock
  readonly log: Logger
  /** Absent: as long as OpenAI's. */
  readonly socketLifeMs?: number | undefined
}

export interface SocketLimits {
  readonly ofAccount: number
  readonly ofAll: number
  readonly conversations: ConversationLimits
}

export type Sockets = ReturnType<typeof createSockets>

/** The longest life of a connection. Source: OpenAI's guide "WebSocket mode". */
const usualLifeMs = 3_600_000
/** How often memory is checked for half-sent messages, which are counted nowhere else. */
const lookMs = 100

/** Headers of the handshake, and of a message that had no body. */
const ofHandshake =
  /^(connection|upgrade|content-length|content-encoding|transfer-encoding|sec-websocket-.*)$/

export function createSockets(parts: SocketParts) {
  const { forwarder, log, most, socketLifeMs = usualLifeMs } = parts
  const memory = createSocketMemory(most.conversations)
  const connections = new Map<Connection, number>()
  const ofAccount = new Map<number, number>()
  let isClosed = false
  let looking: ReturnType<typeof setInterval> | undefined

  /** Half-sent messages: short memory drops idle connections, else the largest account's. */
  function look(): void {
    if (connections.size === 0) {
      clearInterval(looking)
      looking = undefined
    } else if (parts.isShort()) {
      const all = [...connections.keys()]
      const idle = all.filter((one) => one.dropIdle()).length
      if (idle > 0) {
        log.warn('memory is short: idle WebSockets were dropped', { dropped: idle })
        return
      }
      const [account] = [...ofAccount].reduce((most, one) => (one[1] > most[1] ? one : most))
      const busy = all.filter((one) => connections.get(one) === account)
      for (const one of busy) one.drop()
      log.warn('memory is short: WebSockets of one account were dropped', {
        account,
        dropped: busy.length,
      })
    }
  }

  function accept(context: Context, call: HttpCall, caller: Caller, requestId: string): Response {
    const { request, server } = context
    const accountId = caller.account.id
    if (!parts.isOn()) return switchedOff(requestId)
    if (!isWhole(request)) throw notWhole()
    if (isClosed) throw endedOutside()
    const open = ofAccount.get(accountId) ?? 0
    if (open >= most.ofAccount || connections.size >= most.ofAll)
      throw tooMany(open >= most.ofAccount)
    const asked = postOf(request, call.peer())
    const connection = createConnection({
      accountId,
      memory,
      maxBytes: parts.maxBodyBytes,
      clock: parts.clock,
      ask: (body, signal) =>
        forwarder.forward({
          ...asked(body, signal),
          protocol: responses,
          operation: responses.operations.responses,
          framing: 'sse',
          limitSilence: () => {},
        }),
      admit: (body, signal) => admitWarmUp(parts, asked(body, signal), body),
      onClose: () => forget(connection),
      onFault: (error) =>
        log.error('internal error', { request_id: requestId, error: String(error) }),
    })
    const life = setTimeout(() => connection.end(1001, 'Lifetime', lifeEnded), socketLifeMs)
    life.unref()
    function forget(one: Connection): void {
      clearTimeout(life)
      if (!connections.delete(one)) return
      addTo(ofAccount, accountId, -1)
    }
    looking ??= setInterval(look, lookMs)
    connections.set(connection, accountId)
    addTo(ofAccount, accountId, 1)
    const headers = { 'x-request-id': requestId }
    if (server?.upgrade?.(request, { data: connection, headers })) return new Response(null)
    forget(connection)
    throw notWhole()
  }

  return {
    /** `GET /v1/responses`: the WebSocket handshake, where the client wants it. */
    handle(context: Context): Promise<Response> | Response {
      if (!wantsSocket(context.request)) return pageNotFound()
      const call = httpCall(context, false)
      return guarded(parts, { call, protocol: responses }, (caller, requestId) =>
        accept(context, call, caller, requestId),
      )
    },
    /** Closes all connections, each after its running response, and opens none. */
    close(): void {
      isClosed = true
      for (const one of connections.keys()) one.end(1012, 'The gateway is being stopped.')
    },
  }
}

const wantsSocket = ({ method, headers }: Request) =>
  method === 'GET' && headers.get('upgrade')?.toLowerCase() === 'websocket'

/** The `Connection` header must name it, without a body. Source: RFC 9110, 7.8. */
function isWhole({ headers }: Request): boolean {
  const options = headers.get('connection')?.toLowerCase().split(',') ?? []
  const hasBody = headers.has('transfer-encoding') || Number(headers.get('content-length')) !== 0
  return !hasBody && options.some((option) => option.trim() === 'upgrade')
}

const notWhole = () =>
  new GatewayError('invalid_value', 'The WebSocket handshake is not complete, or has a body.')

/** Makes the POST requests of a connection, with the headers of its handshake. */
function postOf(request: Request, peer: string) {
  const headers = new Headers({ 'content-type': 'application/json' })
  for (const [name, value] of request.headers) {
    if (!ofHandshake.test(name) && name !== 'content-type') headers.set(name, value)
  }
  const betas = headers.get('openai-beta')?.split(',') ?? []
  const others = betas.filter((beta) => !/^\s*responses_websockets=/.test(beta)).join(',')
  if (others === '') headers.delete('openai-beta')
  else headers.set('openai-beta', others.trim())
  const { url } = request
  return (body: Buffer, signal: AbortSignal): HttpCall => ({
    request: new Request(url, { method: 'POST', headers, body: body as Bun.BodyInit, signal }),
    peer: () => peer,
    geminiPath: false,
  })
}

/** Admits a warm-up like any request; it calls no upstream and costs nothing. */
async function admitWarmUp(parts: SocketParts, call: HttpCall, bytes: Buffer): Promise<JsonObject> {
  const caller = await parts.gatekeeper.identify(call)
  parts.gatekeeper.check(caller, call, true)
  const isLarge = bytes.byteLength >= slicedBytes
  const owner = String(caller.account.id)
  const parsed = isLarge ? await parseLarge(owner, bytes) : parseJsonBody(bytes)
  const { value } = checkBody(parsed, responses.operations.responses)
  return await withinLimits(parts, caller, call.request.signal, async () => value())
}

function switchedOff(requestId: string): Response {
  const body = responses.encodeError({
    status: 426,
    code: 'websocket_off',
    param: undefined,
    requestId,
    message: 'There are no WebSockets here. Send POST /v1/responses instead.',
  })
  return new Response(body, {
    status: 426,
    headers: modelHeaders(responses, requestId, 'application/json'),
  })
}

const tooMany = (isOwn: boolean) =>
  new GatewayError(
    'concurrency_limited',
    `${isOwn ? 'This account has' : 'The gateway has'} as many WebSockets open as it may. Close one, or send POST /v1/responses.`,
    { retryAfter: 5 },
  )

/** The words by which clients know that they must open another connection. */
const lifeEnded: JsonObject = errorEvent(
  400,
  JSON.stringify({
    error: {
      type: 'invalid_request_error',
      code: 'websocket_connection_limit_reached',
      message:
        'Responses websocket connection limit reached (60 minutes). Create a new websocket connection to continue.',
    },
  }),
  {},
)
