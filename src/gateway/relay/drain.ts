import { beat } from './heartbeat.ts'
import { isFetchable, isFinal } from './leaving.ts'
import type { Chunks } from './next-chunk.ts'
import { cutUnpaid, isBeyond } from './stream-end.ts'
import type { Tap } from './tap.ts'
import type { RelayParts } from './tell-failure.ts'

interface Draining {
  readonly tap: Tap
  readonly chunks: Chunks
  /** Nothing is lost when the upstream is stopped now. */
  readonly mayStop: () => boolean
  /** The money has ended, and what was read for the answer is told at its end only. */
  readonly isOwing: boolean
}

/**
 * The client left, or its money has ended, and not all can be seen that it owes: read on without it, until
 * the money ends, where what was read by then is known.
 */
export async function drain(
  parts: RelayParts,
  { tap, chunks, mayStop, isOwing }: Draining,
): Promise<'whole' | 'unpaid' | 'broken' | 'stopped'> {
  const { answer, meter, exchange } = parts
  let owes = isOwing
  try {
    while (!isFinal(answer.observer.seen) && !isFetchable(answer.observer.seen)) {
      if (mayStop()) {
        exchange.abort()
        return 'stopped'
      }
      const chunk = await chunks.next(false)
      if (chunk === undefined || chunk === beat) break
      tap.observe(chunk)
      const { seen } = answer.observer
      const cut = !owes && isBeyond(meter, seen) ? await cutUnpaid(parts, tap) : undefined
      if (cut?.isOwing === false) return 'unpaid'
      owes ||= cut !== undefined
    }
    tap.end()
    return 'whole'
  } catch {
    return 'broken' // the upstream broke off
  }
}
