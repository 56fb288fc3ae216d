import type { Repeat } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { Counters } from '../ports/counters.ts'
import type { Spool } from '../ports/records.ts'
import { StoreError } from '../ports/store-error.ts'
import { createKeeperCounters } from './counters.ts'
import { createKeeperLeases } from './leases.ts'
import { createLink, type Link } from './link.ts'
import type { WorkerId } from './messages.ts'
import { createKeeperSpool, createKeeperStore, type KeeperStore } from './store.ts'

interface KeeperOptions {
  /** An abstract Unix socket: `\0…`. */
  readonly address: string
  /** What all processes of the group know, and no other. */
  readonly secret: string
  readonly worker: WorkerId
  readonly log: Logger
  /** What the keeper gives: at each connection, and when it has changed. */
  readonly onGiven: (given: unknown) => void
  /** Answers what the keeper asks, `metrics` for example. */
  readonly onAsk: (what: string) => unknown
  readonly onDown?: () => void
  /** How long the first connection is waited for. */
  readonly openMs?: number
  /** When the link looks for what is not answered in time. */
  readonly repeat?: Repeat
}

/** A worker's view of the keeper: the store and the counters of its group. */
export interface Keeper {
  readonly store: KeeperStore
  readonly counters: Counters
  readonly spool: Spool
  /** Calls back at once when somebody else has changed what requests are decided by. */
  readonly onChanged: (listener: (what: 'accounts' | 'all') => void) => void
  readonly isUp: () => boolean
  readonly close: () => void
}

const usualOpenMs = 15_000

/** Connects to the keeper; rejects with a `StoreError` when it is not there in time. */
export async function openKeeper(options: KeeperOptions): Promise<Keeper> {
  const { worker, onGiven, onAsk, onDown, openMs = usualOpenMs } = options
  const first = Promise.withResolvers<void>()
  let isFirst = true
  const leases = createKeeperLeases(() => link)
  const end = createKeeperStore(() => link, leases.source)
  const counting = createKeeperCounters(() => link)
  const link: Link = createLink({
    ...options,
    hello: () => ({ worker, held: end.held(), owed: leases.owed() }),
    onUp(welcome) {
      onGiven(welcome.given)
      end.up(welcome, isFirst)
      counting.up(welcome)
      void leases.up()
      isFirst = false
      first.resolve()
    },
    onDown: () => onDown?.(),
    onNews(news) {
      if (news.kind === 'given') onGiven(news.given)
      else if (news.kind === 'recall') leases.recalled(news.purses)
      end.news(news)
      counting.news(news)
    },
    onPing: counting.ping,
    onAsk,
  })
  const late = setTimeout(() => {
    link.close()
    first.reject(new StoreError(`The keeper of the store has not answered within ${openMs} ms.`))
  }, openMs)
  await first.promise.finally(() => clearTimeout(late))
  return {
    store: end.store,
    counters: counting.counters,
    spool: createKeeperSpool(() => link),
    onChanged: end.onChanged,
    isUp: link.isUp,
    close() {
      leases.stop()
      link.close()
    },
  }
}
