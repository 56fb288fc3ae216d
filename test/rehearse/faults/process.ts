import { existsSync } from 'node:fs'
import { between } from '../../support/random.ts'
import type { OneNode } from '../sqlite-world.ts'
import type { Fault } from '../world.ts'

const byKill = { allows: ['refusals', 'cut'], stops: true } as const

/** What becomes of the process. */
export const processFaults: readonly Fault<OneNode>[] = [
  {
    ...{ name: 'kill', ...byKill },
    async begin({ node }) {
      await node.kill()
      return () => node.start()
    },
  },
  {
    ...{ name: 'kill while it starts', ...byKill },
    async begin({ node }, random) {
      for (let times = 1 + Math.floor(random() * 3); times > 0; times--) {
        await node.kill()
        await node.start()
        await Bun.sleep(random() * 250)
      }
      await node.kill()
      return () => node.start()
    },
  },
  {
    ...{ name: 'kill while it stops', part: 'process', ...byKill },
    async begin({ node }, random) {
      const pid = node.pid()
      if (pid !== undefined) process.kill(pid, 'SIGTERM')
      await Bun.sleep(random() * 1_500)
      await node.kill()
      return () => node.start()
    },
  },
  {
    ...{ name: 'stop', part: 'process', ...byKill },
    async begin({ node, database }) {
      const code = await node.stop()
      // While the database is away charges wait in the spool, which the stop says by its code.
      if (code !== 0 && existsSync(database))
        throw new Error(`It ended with ${code} after SIGTERM.`)
      return () => node.start()
    },
  },
  {
    ...{ name: 'freeze', part: 'process', allows: ['refusals', 'cut'] },
    async begin({ node, longestS }, random) {
      node.freeze()
      const forMs = between(random, Math.min(5, longestS / 2), longestS) * 1000
      return async () => {
        await Bun.sleep(forMs)
        node.wake()
      }
    },
  },
]
