import type { Channel } from '../../catalog/catalog.ts'
import { afterRunning, type Clock } from '../../lib/clock.ts'
import { quirksAmong } from '../../protocols/canonical/quirks.ts'
import type { CanonicalRequest } from '../../protocols/canonical/request.ts'
import type { Usage } from '../../protocols/canonical/usage.ts'
import { parseJsonObject } from '../../protocols/json.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import { responses } from '../../protocols/responses/index.ts'
import { preferred } from '../admit/options.ts'
import { collectBytes, TooManyBytes } from '../body/bounded-bytes.ts'
import { readErrorBody } from '../failures/error-body.ts'
import {
  classifyAnswer,
  classifyError,
  classifyFailure,
  type FailureName,
} from '../failures/failures.ts'
import { waitFor } from '../failures/retry-after.ts'
import type { Outbound, OutboundCall } from '../outbound/outbound.ts'
import { readRefusal } from '../upstream/upstream-answer.ts'
import { baseOf } from '../upstream/upstream-call.ts'

interface ProbeTarget {
  readonly channel: Channel
  readonly key: string
  readonly model: string
  readonly protocol?: string | undefined
}

export interface ProbeResult {
  readonly failure: FailureName | undefined
  readonly status: number | null
  readonly retryAfterMs?: number | undefined
  readonly usage?: Usage | undefined
  /** The upstream's own words, which may hold the key. */
  readonly errorMessage?: string | undefined
  readonly error?: unknown
}

/** The cheapest request with an answer. A codec raises it to its vendor's minimum. */
const ping = (model: string): CanonicalRequest => ({
  model,
  stream: false,
  tools: [],
  native: [],
  maxOutputTokens: 1,
  turns: [{ role: 'user', parts: [{ type: 'text', text: 'ping' }] }],
})

/** A probe's answer is a few hundred bytes; this leaves ample room. */
const maxAnswerBytes = 1_048_576

/** Requests one token from a channel's model; throws only the signal's reason. */
export async function callProbe(
  { outbound, clock }: { readonly outbound: Outbound; readonly clock: Clock },
  target: ProbeTarget,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const { timeouts, speaks } = target.channel
  const protocol = preferred(target.protocol ? [target.protocol] : Object.keys(speaks), responses)
  const late = new AbortController()
  const limitMs = Math.min(timeouts.firstByteMs, timeouts.totalMs)
  const call = probeCall(target, protocol, AbortSignal.any([late.signal, signal]))
  const callOff = afterRunning(limitMs, () => late.abort())
  try {
    const response = await outbound(call)
    return await judge(response, target, protocol, clock())
  } catch (error) {
    signal.throwIfAborted()
    const isTooLarge = error instanceof TooManyBytes
    const failure = isTooLarge ? 'upstream_invalid' : classifyFailure(error)
    return { failure: late.signal.aborted ? 'timeout_first_byte' : failure, status: null, error }
  } finally {
    callOff()
  }
}

function probeCall(
  { channel, key, model }: ProbeTarget,
  protocol: Protocol,
  signal: AbortSignal,
): OutboundCall {
  const body = protocol.codec.encodeRequest(ping(model), {
    model,
    quirks: new Set(quirksAmong(channel.quirks)),
  })
  const { allowPrivate, proxy, timeouts } = channel
  return {
    url: protocol.url(baseOf(channel, protocol.name), protocol.generation.path(model, false)),
    method: 'POST',
    headers: {
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'user-agent': 'Tollgate',
      ...protocol.demandedHeaders,
      ...protocol.keyHeaders(key),
    },
    body: new TextEncoder().encode(JSON.stringify(body)),
    signal,
    allowPrivate,
    proxy,
    connectMs: timeouts.connectMs,
  }
}

async function judge(
  response: Response,
  { channel, model }: ProbeTarget,
  protocol: Protocol,
  now: number,
): Promise<ProbeResult> {
  const { status, headers } = response
  if (!response.ok) {
    const { value } = await readRefusal(response, channel)
    // A fault of the probe itself says nothing about the channel.
    const failure = classifyAnswer(protocol.name, status, value, model) ?? 'client_fault'
    const errorMessage = value && readErrorBody(value).messages[0]
    return { failure, status, errorMessage, retryAfterMs: waitFor(failure, headers, value, now) }
  }
  const bytes = await collectBytes(response, maxAnswerBytes)
  const body = parseJsonObject(new TextDecoder().decode(bytes))
  if (body === undefined) return { failure: 'upstream_invalid', status }
  const observer = protocol.generation.createObserver()
  observer.pushBody(body)
  const { seen } = observer
  if (seen.foreign) return { failure: 'upstream_invalid', status }
  const { usage } = seen
  if (seen.outcome !== 'failed') return { failure: undefined, status, usage }
  const failure = classifyError(protocol.name, body)
  const [errorMessage] = readErrorBody(body).messages
  return {
    failure,
    status,
    usage,
    errorMessage,
    retryAfterMs: waitFor(failure, headers, body, now),
  }
}
