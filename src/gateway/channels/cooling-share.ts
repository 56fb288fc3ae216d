import { type Repeat, repeatByTimer } from '../../lib/clock.ts'
import type { CoolingId, CoolingRow, Counters } from '../../store/ports/counters.ts'
import type { CoolingSaver } from './cooling-saver.ts'
import { idText } from './cooling-table.ts'
import type { Health } from './health.ts'

/** Shares cooldowns with other nodes. */
interface CoolingShare extends Pick<CoolingSaver, 'changed' | 'ended'> {
  start(health: Pick<Health, 'heard' | 'coolings'>): void
  stop(): Promise<void>
}

const listenMs = 500

interface Change {
  readonly row: CoolingRow
  readonly hasEnded: boolean
}

/** When one node cools a channel all do: written at once, polled twice a second. */
export function createCoolingShare(
  counters: Pick<Counters, 'isAway' | 'onBack' | 'read' | 'write'>,
  repeat: Repeat = repeatByTimer,
): CoolingShare {
  let waiting = new Map<string, Change>()
  let board = new Map<string, CoolingId>()
  let version = ''
  let isPlanned = false
  let isListening = false
  let stopListening: (() => void) | undefined

  function note(change: Change): void {
    waiting.set(idText(change.row), change)
    if (!isPlanned) queueMicrotask(() => void tell())
    isPlanned = true
  }

  async function tell(): Promise<void> {
    isPlanned = false
    if (waiting.size === 0 || counters.isAway()) return
    const told = waiting
    waiting = new Map()
    const changes = [...told.values()]
    try {
      await counters.write(
        changes.flatMap(({ row, hasEnded }) => (hasEnded ? [] : row)),
        changes.flatMap(({ row, hasEnded }) => (hasEnded ? row : [])),
      )
      for (const [text, { row, hasEnded }] of told) {
        if (hasEnded) board.delete(text)
        else board.set(text, row)
      }
    } catch {
      waiting = new Map([...told, ...waiting]) // away: what has changed since then is newer
    }
  }

  async function listen(health: Pick<Health, 'heard'>): Promise<void> {
    if (isListening || counters.isAway()) return
    isListening = true
    try {
      await tell()
      const news = await counters.read(version)
      if (news) hear(health, news.version, news.rows)
    } catch {
      return // away: whoever watches the counters was told
    } finally {
      isListening = false
    }
  }

  /** Local changes made meanwhile are newer. */
  function hear(health: Pick<Health, 'heard'>, newest: string, rows: readonly CoolingRow[]): void {
    version = newest
    const found = new Map(rows.map((row): [string, CoolingId] => [idText(row), row]))
    const gone = [...board].filter(([text]) => !found.has(text) && !waiting.has(text))
    board = found
    health.heard(
      rows.filter((row) => !waiting.has(idText(row))),
      gone.map(([, id]) => id),
    )
  }

  return {
    changed: (row) => note({ row, hasEnded: false }),
    ended: (row) => note({ row, hasEnded: true }),
    start(health) {
      counters.onBack((isEmpty) => {
        version = ''
        if (!isEmpty) return
        board = new Map()
        for (const row of health.coolings()) note({ row, hasEnded: false })
        void tell()
      })
      for (const row of health.coolings()) note({ row, hasEnded: false })
      stopListening = repeat(() => void listen(health), listenMs)
    },
    async stop() {
      stopListening?.()
      await tell()
    },
  }
}
