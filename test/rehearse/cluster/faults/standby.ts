import { between } from '../../../support/random.ts'
import type { ClusterFault } from '../world.ts'
import { databaseAway, lasting } from './lasting.ts'

/** How a primary is lost: its end is told, or nobody hears of it. */
type Loss = 'stopped' | 'killed' | 'silent'

const promoted = (loss: Loss): ClusterFault => ({
  ...databaseAway,
  name: `standby promoted after its primary was ${loss}`,
  async begin({ database, move, databaseLines }, random) {
    const old = database.primary()
    const waits = random() < 0.5
    const noticed = lasting(between(random, 0, 6_000))
    if (loss === 'silent') for (const line of databaseLines) line.cut(['out', 'back'])
    else await old.stop(loss === 'killed' ? 'killed' : 'immediate')
    await noticed()
    // Whoever promotes has made sure that nobody reaches the old one any more.
    await old.stop('immediate')
    await database.promote(waits)
    move(loss === 'silent')
    const over = lasting(between(random, 0, 4_000))
    return async () => {
      await over()
      await database.follow()
    }
  },
})

/** With it all commits wait. */
const away = (isFrozen: boolean): ClusterFault => ({
  ...databaseAway,
  name: isFrozen ? 'standby frozen' : 'standby stopped',
  async begin({ database }, random) {
    const standby = database.standby()
    const over = lasting(between(random, 3_000, 20_000))
    if (isFrozen) standby.freeze()
    else await standby.stop('immediate')
    return async () => {
      await over()
      if (isFrozen) standby.wake()
      else await standby.start()
    }
  },
})

export const standbyFaults: readonly ClusterFault[] = [
  promoted('stopped'),
  promoted('killed'),
  promoted('silent'),
  away(false),
  away(true),
]
