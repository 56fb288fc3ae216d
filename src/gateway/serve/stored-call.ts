import type { Channel } from '../../catalog/catalog.ts'
import { responses } from '../../protocols/responses/index.ts'
import type { OutboundCall } from '../outbound/outbound.ts'
import { baseOf, upstreamHeaders } from '../upstream/upstream-call.ts'

/** What a channel is asked about an answer that it keeps. */
export interface StoredAsk {
  readonly channel: Channel
  /** The one that the answer was made with: another's account may not have it. */
  readonly key: string | undefined
  readonly id: string
  readonly method: string
  readonly signal: AbortSignal
  /** With its question mark. */
  readonly search?: string
  /** The client's; absent: nobody asks but the gateway. */
  readonly request?: Pick<Request, 'headers'>
}

/** The call for an answer that a channel keeps. */
export function storedCall(ask: StoredAsk): OutboundCall {
  const { channel, id, method, signal, search = '', request = { headers: new Headers() } } = ask
  const [first] = channel.keys
  if (first === undefined) throw new Error(`channel ${channel.name} has no key`)
  const key = ask.key !== undefined && channel.keys.includes(ask.key) ? ask.key : first
  const path = `/responses/${encodeURIComponent(id)}${search}`
  return {
    url: responses.url(baseOf(channel, responses.name), path),
    method,
    headers: upstreamHeaders({ protocol: responses, request }, key, null),
    body: undefined,
    signal,
    allowPrivate: channel.allowPrivate,
    connectMs: channel.timeouts.connectMs,
    proxy: channel.proxy,
  }
}
