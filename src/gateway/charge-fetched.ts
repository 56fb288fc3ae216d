import type { Channel } from '../catalog/catalog.ts'
import type { Clock } from '../lib/clock.ts'
import type { Protocol, RequestFacts } from '../protocols/protocol.ts'
import type { Origin } from './affinity.ts'
import type { Caller } from './authenticate.ts'
import { bodyEnd, type ConcludeParts, settle } from './conclude.ts'
import type { Concluded } from './exchange.ts'
import type { PendingCharge } from './pending-charge.ts'

export interface ChargeParts extends ConcludeParts {
  readonly clock: Clock
}

/** An answer that was fetched. */
export interface Fetched {
  readonly caller: Caller
  readonly channel: Channel
  readonly protocol: Protocol
  readonly id: string
  readonly origin: Origin
}

/**
 * Charges an answer that was made in the background by the body that is fetched, when that is the
 * final one. The request id of its charge follows from the request that asked for it: however often
 * and by whichever nodes it is fetched, it is charged once. Resolves to that id when committed;
 * undefined: there was nothing to charge (yet).
 */
export async function chargeFetched(
  parts: ChargeParts,
  fetched: Fetched,
  body: unknown,
): Promise<string | undefined> {
  const { caller, protocol, id, origin } = fetched
  const { pending, ...settled } = origin
  const observer = protocol.generation.createObserver()
  observer.pushBody(body)
  if (pending === undefined || observer.seen.pending) return undefined
  const requestId = `${pending.requestId}_fetched`
  const exchange = concluded(parts, fetched, pending, requestId)
  // How well it was served was told when it began.
  const uncounted = { ...parts, availability: { record() {} } }
  await settle(uncounted, exchange, bodyEnd(exchange, observer.seen), observer.seen)
  const contextTokens = exchange.usedLlmTokens
  parts.affinity.remember(caller.token.id, id, { ...settled, contextTokens }, true)
  return requestId
}

/** The exchange that began the answer, as far as its record is made from it. */
function concluded(
  { clock, tick }: ChargeParts,
  { caller, channel, protocol, origin }: Fetched,
  pending: PendingCharge,
  requestId: string,
): Concluded {
  const { startedAt, firstByteMs, model, upstreamModel = model ?? '', plan } = pending
  const operation = protocol.generation
  const startedTick = tick() - (clock() - startedAt)
  return {
    ...{ requestId, caller, protocol, operation, model, plan, startedAt, startedTick },
    ...{ candidate: { channel, upstreamModel }, upstreamKey: origin.key },
    route: { protocol, operation, framing: 'sse', translation: undefined },
    firstByteTick: firstByteMs === null ? undefined : startedTick + firstByteMs,
    facts: factsOf(pending),
    ...{ attempts: [], usedLlmTokens: 0, fault: undefined, interruption: undefined },
  }
}

/** Of the request itself nothing is left: what it said is counted by the upstream. */
const factsOf = ({ model, stream, calls }: PendingCharge): RequestFacts => ({
  ...{ model, stream, calls, continues: [], amend: {}, answers: 1, maxOutputTokens: null },
  takesTurns: true,
  text: () => '',
  media: () => ({ tokens: 0, bytes: 0 }),
})
