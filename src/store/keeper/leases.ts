import type { Owed } from '../../leases/messages.ts'
import type { Purse } from '../../leases/purse.ts'
import { createTerm } from '../../leases/term.ts'
import { type Repeat, repeatByTimer } from '../../lib/clock.ts'
import { silentNodeMs } from '../ports/nodes.ts'
import type { LeaseSource } from '../ports/records.ts'
import type { Link } from './link.ts'

const askMs = 1_000
/** A keeper's own leases end with its silence: nothing is begun so long before. */
const marginMs = 5_000
const nothingOwed = (): Owed => ({ leases: [], no: 0 })

/** What a worker has borrowed of its keeper: it begins nothing while the keeper is away, or its term is over. */
export function createKeeperLeases(link: () => Link, repeat: Repeat = repeatByTimer) {
  const term = createTerm(silentNodeMs - marginMs)
  const instant = () => ({ monotonicMs: performance.now(), wallMs: Date.now() })
  let isEndless = false
  let owed = nothingOwed
  let noteRecall: (purses: readonly Purse[]) => void = () => {}

  async function ask(): Promise<void> {
    const sentAt = instant()
    try {
      const ageMs = (await link().quickCall('leases', 'ageMs', [])) as number | null
      isEndless = ageMs === null
      term.renewed(sentAt, ageMs ?? 0)
    } catch {
      // The keeper is away, which ends all promises for now.
    }
  }
  const stop = repeat(() => void ask(), askMs)

  const source: LeaseSource = {
    mayBegin: () => link().isUp() && (isEndless || term.mayBegin(instant())),
    onRecall(listener) {
      noteRecall = listener
    },
    onLost() {}, // it connects anew, and says what it owes
    onOwed(give) {
      owed = give
    },
  }
  return {
    source,
    owed: (): Owed => owed(),
    recalled: (purses: readonly Purse[]): void => noteRecall(purses),
    up: ask,
    stop,
  }
}
