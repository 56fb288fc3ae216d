import type { Observation } from '../../protocols/canonical/observation.ts'
import type { FrameSplitter } from '../../protocols/protocol.ts'
import type { Exchange } from '../exchange.ts'
import type { Meter } from '../money/meter.ts'
import type { End } from '../money/record.ts'
import type { StreamAnswer } from '../upstream/answer.ts'
import type { Heartbeat } from './heartbeat.ts'

/** What a relay works with. */
export interface RelayParts {
  readonly exchange: Exchange
  readonly answer: StreamAnswer
  readonly splitter: FrameSplitter
  /** The upstream is asked for a usage chunk that the client did not ask for. */
  readonly hideUsage: boolean
  readonly meter: Meter
  readonly heartbeat: Heartbeat
  /**
   * Charges and stores; resolves when committed, rejects with a `GatewayError` (logged) if not. What
   * the client has a part of is stored later then.
   */
  readonly settle: (end: End, seen: Observation, isDelivered: boolean) => Promise<void>
}
