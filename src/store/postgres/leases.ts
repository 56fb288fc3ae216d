import type { Purse } from '../../leases/purse.ts'
import { createTerm } from '../../leases/term.ts'
import type { Clock } from '../../lib/clock.ts'
import { type NodeStore, silentNodeMs } from '../ports/nodes.ts'
import type { LeaseSource } from '../ports/records.ts'
import { endLeases } from '../queries/leases.ts'
import type { Engine } from '../queries/steps.ts'
import { recallChannel } from '../schema/postgres-commit.ts'
import type { Listening } from './connections.ts'

/** How much earlier than the others a node takes itself for dead: clocks run differently. */
const marginMs = 5_000

/** Purses that leases are asked back of, by `NOTIFY`. */
export function createRecallNews() {
  let notify: (purses: readonly Purse[]) => void = () => {}
  const listening: Listening = {
    channel: recallChannel,
    onPayload(payload) {
      const purses: readonly Purse[] = JSON.parse(payload)
      notify(purses)
    },
  }
  return {
    listening,
    onRecall(listener: typeof notify) {
      notify = listener
    },
  }
}

/**
 * The leases of this process, which end with its silence: the others may give back those of a node
 * whose heartbeats stay away. Heartbeats go through `nodes`, by which that is known.
 */
export function createLeaseSource(
  nodes: NodeStore,
  { engine, clock, onRecall }: Pick<LeaseSource, 'onRecall'> & Parts,
): { readonly nodes: NodeStore; readonly leases: LeaseSource } {
  const term = createTerm(silentNodeMs - marginMs)
  const instant = () => ({ monotonicMs: performance.now(), wallMs: clock() })
  const mayBegin = () => term.mayBegin(instant())
  let onLost = () => {}
  let isMember = false
  /** It was taken for dead, which is not told to the borrower yet. */
  let isLost = false

  /** Of those that nobody has given back, too, so that both sides begin anew. */
  async function lose(id: number): Promise<void> {
    await engine.write(() => endLeases(id))
    onLost()
    isLost = false
  }

  return {
    nodes: {
      ...nodes,
      async register(node) {
        const sentAt = instant()
        const id = await nodes.register(node)
        if (isLost) await lose(id)
        isMember = true
        term.renewed(sentAt)
        return id
      },
      async heartbeat(id, load) {
        const sentAt = instant()
        const isKnown = await nodes.heartbeat(id, load)
        if (isMember && !(isKnown && mayBegin())) isLost = true
        isMember = isKnown
        if (isLost) await lose(id)
        if (isKnown) term.renewed(sentAt)
        return isKnown
      },
    },
    leases: {
      mayBegin: () => isMember && mayBegin(),
      ageMs: () => (isMember ? term.ageMs(instant()) : Number.MAX_SAFE_INTEGER),
      onRecall,
      onLost(listener) {
        onLost = listener
      },
    },
  }
}

interface Parts {
  readonly engine: Engine
  readonly clock: Clock
}
