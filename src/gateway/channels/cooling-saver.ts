import type { Logger } from '../../lib/log.ts'
import type { CoolingId, CoolingRow, HealthStore } from '../../store/ports/health.ts'
import { idText } from './cooling-table.ts'

/** Writes health behind the requests' backs: a store that fails disturbs none of them. */
export interface CoolingSaver {
  /** The store has these rows. */
  found(rows: readonly CoolingRow[]): void
  changed(row: CoolingRow): void
  /** The outage of this row is over. */
  ended(row: CoolingRow): void
  /** Writes what waits; resolves when it is written, or has failed and waits again. */
  flush(): Promise<void>
  /** What was written, and is not in the store any more, though nobody here has ended it. */
  removed(): Promise<readonly CoolingRow[]>
}

/** Where it is written to. */
export interface SaverParts {
  readonly store: HealthStore
  readonly log: Logger
  /** How long a change waits for others. */
  readonly delayMs: number
}

interface Change {
  readonly id: CoolingId
  /** Undefined: it has ended. */
  readonly row: CoolingRow | undefined
}

/** Saves by one timer, which runs only while something waits. */
export function createCoolingSaver({ store, log, delayMs }: SaverParts): CoolingSaver {
  let waiting = new Map<string, Change>()
  const saved = new Map<string, CoolingRow>()
  let timer: ReturnType<typeof setTimeout> | undefined
  /** One after the other, so that what is read is never between two states. */
  let working: Promise<unknown> = Promise.resolve()
  let isFailing = false

  function later(): void {
    timer ??= setTimeout(flush, delayMs)
    timer.unref()
  }

  function note(id: CoolingId, row: CoolingRow | undefined): void {
    waiting.set(idText(id), { id, row })
    later()
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const done = working.then(save)
    working = done
    return done
  }

  async function save(): Promise<void> {
    if (waiting.size === 0) return
    const batch = waiting
    waiting = new Map()
    const changes = [...batch.values()]
    try {
      await store.save(
        changes.flatMap(({ row }) => row ?? []),
        changes.flatMap(({ id, row }) => (row ? [] : id)),
      )
      for (const [text, { row }] of batch) {
        if (row) saved.set(text, row)
        else saved.delete(text)
      }
      if (isFailing) log.info('health of channels stored again', { count: batch.size })
      isFailing = false
    } catch (error) {
      waiting = new Map([...batch, ...waiting]) // what has changed since then is newer
      if (!isFailing) log.error('health of channels not stored', { error: String(error) })
      isFailing = true
      later()
    }
  }

  async function findRemoved(): Promise<readonly CoolingRow[]> {
    if (saved.size === 0) return []
    try {
      const there = new Set((await store.load()).map(idText))
      const gone = [...saved].filter(([text]) => !there.has(text) && !waiting.has(text))
      for (const [text] of gone) saved.delete(text)
      return gone.map(([, row]) => row)
    } catch (error) {
      log.error('health of channels not read', { error: String(error) })
      return []
    }
  }

  return {
    found(rows) {
      for (const row of rows) saved.set(idText(row), row)
    },
    changed: (row) => note(row, row),
    ended: (row) => note(row, undefined),
    flush,
    removed() {
      const found = working.then(findRemoved)
      working = found
      return found
    },
  }
}
