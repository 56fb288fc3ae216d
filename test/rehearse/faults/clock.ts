import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { between } from '../../support/random.ts'
import type { OneNode } from '../sqlite-world.ts'
import type { Fault } from '../world.ts'

const libraries = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map(
  (machine) => `/usr/lib/${machine}/faketime/libfaketimeMT.so.1`,
)

/** What becomes of the clock. */
export const clockFaults: readonly Fault<OneNode>[] = [
  {
    ...{ name: 'clock jumps', part: 'process', allows: ['refusals', 'cut'], stops: true },
    missing: () => (libraries.some(existsSync) ? undefined : 'It takes libfaketime.'),
    async begin({ node, folder }, random) {
      const file = join(folder, 'clock')
      const jump = (seconds: number) => writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}\n`)
      jump(0)
      await node.stop()
      await node.start({
        env: {
          LD_PRELOAD: libraries.find(existsSync) ?? '',
          FAKETIME_TIMESTAMP_FILE: file,
          FAKETIME_CACHE_DURATION: '1',
          FAKETIME_DONT_FAKE_MONOTONIC: '1',
        },
      })
      for (let times = 1 + Math.floor(random() * 3); times > 0; times--) {
        await Bun.sleep(800 + random() * 1_500)
        const isFar = random() < 0.3
        jump(Math.round(between(random, -1, 1) * (isFar ? 40 * 86_400 : 600)))
      }
      await Bun.sleep(1_500)
      return async () => {
        jump(0)
        await Bun.sleep(1_500)
      }
    },
  },
]
