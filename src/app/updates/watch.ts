import { dayMs, type Repeat, repeatByTimer } from '../../lib/clock.ts'
import { createSingleFlight } from '../../lib/concurrency.ts'
import { messageOf } from '../../lib/failure.ts'
import type { Logger } from '../../lib/log.ts'
import { complainOfAge, findRelease, type Wanted } from './find-release.ts'
import type { Release } from './release.ts'

interface WatchParts extends Omit<Wanted, 'address' | 'signal' | 'onList'> {
  /** Asked each time: it may change. Null: nothing is looked for. */
  readonly address: () => string | null
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly repeat?: Repeat | undefined
}

export type ReleaseWatch = ReturnType<typeof watchReleases>

/** Looks once a day whether a newer release is out, and tells each one, and each trouble, once. */
export function watchReleases(parts: WatchParts) {
  const { log, installed, clock = Date.now, repeat = repeatByTimer } = parts
  const stopping = new AbortController()
  let newer: Release | undefined
  let told = ''

  const tell = (level: 'info' | 'warn', message: string, facts: Record<string, unknown>) => {
    const text = JSON.stringify([message, facts])
    if (text !== told) log[level](message, facts)
    told = text
  }

  const look = createSingleFlight(async () => {
    const address = parts.address()
    if (address === null) {
      newer = undefined
      return
    }
    try {
      const { signal } = stopping
      let complaint: string | undefined
      const onList = (release: Release) => {
        complaint = complainOfAge(release, clock())
      }
      newer = await findRelease({ ...parts, address: new URL(address), signal, onList })
      if (newer === undefined) {
        if (complaint !== undefined)
          tell('warn', 'whether a newer release is out is not known', { reason: complaint })
        return
      }
      const { version, notes_url } = newer
      tell('info', 'a newer release is out: tollgate upgrade', { version, installed, notes_url })
    } catch (error) {
      if (stopping.signal.aborted) return
      const reason = messageOf(error)
      tell('warn', 'whether a newer release is out is not known', { reason })
    }
  })
  const endRepeat = repeat(look, dayMs)

  return {
    look,
    /** Undefined: none is known. */
    newer: () => newer,
    async stop(): Promise<void> {
      endRepeat()
      stopping.abort()
      await look.idle()
    },
  }
}
