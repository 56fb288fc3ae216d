import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { canForbidWriting, forbidWriting, limitFileSize } from '../../support/disk-trouble.ts'
import { startOwnTime } from '../../support/own-time.ts'
import type { OneNode } from '../sqlite-world.ts'
import type { Fault } from '../world.ts'

/** What a node says while its database takes nothing, and when it has to stop meanwhile. */
const storeTrouble =
  /not (be )?(stored|settled|read|removed|followed)|lost|internal error|can ?not be (read|written)|disk|SQLITE|spool|locked|the stop|stopped, but|another file/

export const troubled = {
  allows: ['refusals', 'cut'],
  logs: storeTrouble,
  refusesStarts: true,
} as const

/** What becomes of the disk that the database lies on. */
export const diskFaults: readonly Fault<OneNode>[] = [
  {
    ...{ name: 'disk full', ...troubled },
    missing: ({ disk }) => (disk ? undefined : 'Mounting a disk takes root.'),
    async begin({ disk }) {
      disk?.fill()
      return async () => disk?.free()
    },
  },
  {
    ...{ name: 'files may not grow', ...troubled },
    missing: () => (Bun.which('prlimit') ? undefined : 'It takes prlimit.'),
    async begin({ node }) {
      const pid = node.processes()?.keeper
      if (pid === undefined) return async () => {}
      limitFileSize(pid, 0)
      return async () => {
        if (node.processes()?.keeper === pid) limitFileSize(pid, undefined)
      }
    },
  },
  {
    ...{ name: 'disk read-only', ...troubled },
    missing: ({ database }) =>
      canForbidWriting(dirname(database)) ? undefined : 'chattr +i is not heeded here.',
    async begin({ database }) {
      const files = ['', '-wal', '-shm'].map((end) => database + end)
      const allow = forbidWriting(files.filter((file) => existsSync(file)))
      return async () => allow()
    },
  },
  {
    ...{ name: 'database moved', ...troubled, stops: true },
    async begin(world) {
      const { database } = world
      const moves = ['', '-wal', '-shm'].map((end) => [database + end, `${database}.away${end}`])
      const move = (from: 0 | 1, to: 0 | 1) => {
        for (const one of moves) {
          const [there, here] = [one[from] as string, one[to] as string]
          if (existsSync(there)) renameSync(there, here)
        }
      }
      move(0, 1)
      const noticed = await hasNoticed(world)
      return async () => {
        await world.node.kill()
        const empty = await startsEmpty(world)
        for (const end of ['', '-wal', '-shm', '.serving']) rmSync(database + end, { force: true })
        move(1, 0)
        await world.node.start()
        const wrong = [
          ...(noticed ? [] : ['The database was moved, and it went on taking requests.']),
          ...(empty ? ['Without its database it started, with an empty one.'] : []),
        ]
        if (wrong.length > 0) throw new Error(wrong.join(' '))
      }
    },
  },
]

/** Looked for each second: this gives it some. */
const noticedWithinMs = 5_000

async function hasNoticed({ node }: OneNode): Promise<boolean> {
  using ownTime = startOwnTime()
  while (ownTime.now() < noticedWithinMs) {
    try {
      const { status } = await fetch(`${node.url}/readyz`, {
        signal: AbortSignal.timeout(2_000),
        proxy: false,
      })
      if (status !== 200) return true
    } catch {
      return true // it has ended, or is down for another reason
    }
    await Bun.sleep(50)
  }
  return false
}

/** Whether the program makes a new database where the old one was. */
async function startsEmpty({ node, database }: OneNode): Promise<boolean> {
  await node.start()
  const started = node.pid()
  using ownTime = startOwnTime()
  while (ownTime.now() < noticedWithinMs && node.pid() === started && !existsSync(database)) {
    await Bun.sleep(50)
  }
  const isEmpty = existsSync(database)
  await node.kill()
  return isEmpty
}
