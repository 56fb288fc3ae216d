import { existsSync } from 'node:fs'
import { startOwnTime } from '../../support/own-time.ts'
import type { OneNode } from '../sqlite-world.ts'
import type { Fault } from '../world.ts'

/** What becomes of the program. */
export const versionFaults: readonly Fault<OneNode>[] = [
  {
    ...{ name: 'downgrade and upgrade', part: 'process', allows: ['refusals', 'cut'], stops: true },
    // A program that refuses a newer database says so.
    logs: /^tollgate: .*newer|version/,
    missing: ({ old }) =>
      old !== undefined && existsSync(old) ? undefined : 'It takes an older program: --old PATH.',
    async begin({ node, old, isReady }, random) {
      if (old === undefined) return async () => {}
      await stop(node, random)
      await node.start({ binary: old })
      const started = node.pid()
      using ownTime = startOwnTime()
      while (ownTime.now() < 10_000 && node.pid() === started && !(await isReady())) {
        await Bun.sleep(20)
      }
      return async () => {
        await stop(node, random)
        await node.start()
      }
    },
  },
]

const stop = async (node: OneNode['node'], random: () => number): Promise<void> => {
  if (random() < 0.5) await node.stop()
  else await node.kill()
}
