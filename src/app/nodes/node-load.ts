import type { Forwarder } from '../../gateway/forward.ts'
import type { Clock } from '../../lib/clock.ts'
import { createPerMinute } from '../../lib/rate.ts'
import type { Counters } from '../../store/ports/counters.ts'
import type { DocumentStore } from '../../store/ports/documents.ts'
import type { Counting, NodeLoad } from '../../store/ports/nodes.ts'

export interface NodeLoadParts {
  readonly forwarder: Pick<Forwarder, 'begun' | 'active' | 'activeStreams'>
  /** Undefined: this node counts in its memory. */
  readonly counters: Pick<Counters, 'isAway'> | undefined
  /** Undefined: there is one node, which builds its own. */
  readonly documents: Pick<DocumentStore, 'isLeading'> | undefined
  /** Monotonic, in milliseconds. */
  readonly tick: Clock
}

/** What this node tells of itself; asked every few seconds. */
export function createNodeLoad(parts: NodeLoadParts): () => Required<NodeLoad> {
  const { forwarder, counters, documents, tick } = parts
  const requestsPerMinute = createPerMinute(forwarder.begun, tick)
  return () => ({
    requests: forwarder.active(),
    streams: forwarder.activeStreams(),
    requestsPerMinute: requestsPerMinute(),
    leads: documents?.isLeading() ?? true,
    counting: countingOf(counters),
  })
}

function countingOf(counters: NodeLoadParts['counters']): Counting {
  if (counters === undefined) return 'alone'
  return counters.isAway() ? 'apart' : 'together'
}
