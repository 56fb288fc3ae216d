import { type Repeat, repeatByTimer } from '../../lib/clock.ts'
import type { CoolingId, CoolingRow, Counters } from '../../store/ports/counters.ts'
import { idText } from './cooling-table.ts'
import type { Health } from './health.ts'

const listenMs = 500

interface Change {
  readonly row: CoolingRow
  readonly hasEnded: boolean
}

/** When one node cools a channel all do: written at once, polled twice a second. */
export function createCoolingShare(
  counters: Pick<Counters, 'isUnavailable' | 'onBack' | 'read' | 'write'>,
  repeat: Repeat = repeatByTimer,
) {
  let waiting = new Map<string, Change>()
  let board = new Map<string, CoolingId>()
  let version = ''
  let isPlanned = false
  let isListening = false
  let stopListening: (() => void) | undefined

  function note(change: Change): void {
    waiting.set(idText(change.row), change)
    if (!isPlanned) queueMicrotask(() => void publish())
    isPlanned = true
  }

  async function publish(): Promise<void> {
    isPlanned = false
    if (waiting.size === 0 || counters.isUnavailable()) return
    const written = waiting
    waiting = new Map()
    const changes = [...written.values()]
    try {
      await counters.write(
        changes.flatMap(({ row, hasEnded }) => (hasEnded ? [] : row)),
        changes.flatMap(({ row, hasEnded }) => (hasEnded ? row : [])),
      )
      for (const [text, { row, hasEnded }] of written) {
        if (hasEnded) board.delete(text)
        else board.set(text, row)
      }
    } catch {
      waiting = new Map([...written, ...waiting]) // away: what has changed since then is newer
    }
  }

  async function listen(health: Pick<Health, 'applyRemote'>): Promise<void> {
    if (isListening || counters.isUnavailable()) return
    isListening = true
    try {
      await publish()
      const news = await counters.read(version)
      if (news) receive(health, news.version, news.rows)
    } catch {
      return // away: the link has logged it
    } finally {
      isListening = false
    }
  }

  /** Local changes made meanwhile are newer. */
  function receive(
    health: Pick<Health, 'applyRemote'>,
    newest: string,
    rows: readonly CoolingRow[],
  ): void {
    version = newest
    const found = new Map(rows.map((row): [string, CoolingId] => [idText(row), row]))
    const gone = [...board].filter(([text]) => !found.has(text) && !waiting.has(text))
    board = found
    health.applyRemote(
      rows.filter((row) => !waiting.has(idText(row))),
      gone.map(([, id]) => id),
    )
  }

  return {
    changed: (row: CoolingRow): void => note({ row, hasEnded: false }),
    ended: (row: CoolingRow): void => note({ row, hasEnded: true }),
    start(health: Pick<Health, 'applyRemote' | 'coolings'>): void {
      counters.onBack((isEmpty) => {
        version = ''
        if (!isEmpty) return
        board = new Map()
        for (const row of health.coolings()) note({ row, hasEnded: false })
        void publish()
      })
      for (const row of health.coolings()) note({ row, hasEnded: false })
      stopListening = repeat(() => void listen(health), listenMs)
    },
    async stop(): Promise<void> {
      stopListening?.()
      await publish()
    },
  }
}
