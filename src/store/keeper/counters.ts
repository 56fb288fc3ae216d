import type {
  Admitted,
  CoolingRow,
  Counters,
  StockAnswer,
  StockLender,
  StockRecall,
} from '../ports/counters.ts'
import type { Link } from './link.ts'
import type { CounterState, News, Welcome } from './messages.ts'

/** How long a part of a window is, as everywhere. */
const partMs = 100

/** The keeper's counters on the other end of the link. While it is away, calls reject at once. */
export function createKeeperCounters(link: () => Link) {
  const listeners: ((isEmpty: boolean) => void)[] = []
  const onRecall: ((recall: StockRecall) => void)[] = []
  let leaseMs = 20_000
  let isLending = false
  let state: CounterState = { isAway: false, nodes: 1, partNow: 0 }
  let offsetMs = Date.now() - performance.now()
  let run: string | undefined

  const quick = (method: string, ...args: readonly unknown[]) =>
    link().quickCall('counters', method, args.filter(isGiven))
  const isAway = () => !link().isUp() || state.isAway
  const reportBack = (isEmpty: boolean) => {
    for (const listener of listeners) listener(isEmpty)
  }

  function note(found: CounterState): void {
    state = found
    // Its clock may be another machine's; half a part is the middle of what it may mean.
    const own = Math.floor((performance.now() + offsetMs) / partMs)
    if (Math.abs(own - found.partNow) > 1)
      offsetMs = (found.partNow + 0.5) * partMs - performance.now()
  }

  const stocks: StockLender = {
    lend: (report) => link().quickCall('stocks', 'lend', [report]) as Promise<StockAnswer>,
    onRecall: (listener) => onRecall.push(listener),
  }

  const counters: Counters = {
    admit: (admission) => quick('admit', admission) as Promise<Admitted>,
    async report(report) {
      await quick('report', report)
    },
    get: (name, keptMs) => quick('get', name, keptMs) as Promise<string | undefined>,
    async set(name, text, keptMs) {
      await quick('set', name, text, keptMs)
    },
    async drop(name, beginning) {
      await quick('drop', name, beginning)
    },
    async write(changed, ended) {
      await quick('write', changed, ended)
    },
    read: (version) =>
      quick('read', version) as Promise<
        { readonly version: string; readonly rows: readonly CoolingRow[] } | undefined
      >,
    isUnavailable: isAway,
    nodes: () => state.nodes,
    partAt: (tick) => Math.floor((tick + offsetMs) / partMs),
    get leaseMs() {
      return leaseMs
    },
    get stocks() {
      return isLending ? stocks : undefined
    },
    onBack: (listener) => listeners.push(listener),
    async close() {
      // The link is the store's, which is closed later.
    },
  }

  return {
    counters,
    ping: note,
    up(welcome: Welcome): void {
      const isEmpty = welcome.run !== run
      run = welcome.run
      ;({ leaseMs, isLending } = welcome.counters)
      note(welcome.counters)
      if (!state.isAway) reportBack(isEmpty)
    },
    news(news: News): void {
      if (news.kind === 'places') for (const listener of onRecall) listener(news.recall)
      if (news.kind !== 'counters') return
      state = { ...state, isAway: false }
      reportBack(news.isEmpty)
    },
  }
}

/** The last arguments may be absent, for which JSON has no word. */
const isGiven = (value: unknown) => value !== undefined
