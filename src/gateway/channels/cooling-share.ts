import { type Repeat, repeatByTimer } from '../../lib/clock.ts'
import type { CoolingId, CoolingRow, Counters } from '../../store/ports/counters.ts'
import { createCoolingChanges, idText } from './cooling-table.ts'
import type { Health } from './health.ts'

const listenMs = 500

/** When one node cools a channel all do: written at once, polled twice a second. */
export function createCoolingShare(
  counters: Pick<Counters, 'isUnavailable' | 'onBack' | 'read' | 'write'>,
  repeat: Repeat = repeatByTimer,
) {
  const changes = createCoolingChanges()
  let board = new Map<string, CoolingId>()
  let version = ''
  let isPlanned = false
  let isListening = false
  let stopListening: (() => void) | undefined

  function note(row: CoolingRow, hasEnded: boolean): void {
    changes.note(row, hasEnded)
    if (!isPlanned) queueMicrotask(() => void publish())
    isPlanned = true
  }

  async function publish(): Promise<void> {
    isPlanned = false
    if (counters.isUnavailable()) return
    try {
      for (const [text, { row, hasEnded }] of await changes.write((rows, ended) =>
        counters.write(rows, ended),
      )) {
        if (hasEnded) board.delete(text)
        else board.set(text, row)
      }
    } catch {
      // Unreachable: the changes stay, and the link has logged it.
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
      // Unreachable: the link has logged it.
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
    const gone = [...board].filter(([text]) => !found.has(text) && !changes.has(text))
    board = found
    health.applyRemote(
      rows.filter((row) => !changes.has(idText(row))),
      gone.map(([, id]) => id),
    )
  }

  return {
    changed: (row: CoolingRow): void => note(row, false),
    ended: (row: CoolingRow): void => note(row, true),
    start(health: Pick<Health, 'applyRemote' | 'coolings'>): void {
      counters.onBack((isEmpty) => {
        version = ''
        if (!isEmpty) return
        board = new Map()
        for (const row of health.coolings()) note(row, false)
        void publish()
      })
      for (const row of health.coolings()) note(row, false)
      stopListening = repeat(() => void listen(health), listenMs)
    },
    async stop(): Promise<void> {
      stopListening?.()
      await publish()
    },
  }
}
