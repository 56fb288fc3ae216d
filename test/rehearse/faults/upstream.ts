import { between } from '../../support/random.ts'
import type { OneNode } from '../sqlite-world.ts'
import { type KindName, kinds } from '../upstream/kinds.ts'
import type { Fault } from '../world.ts'

const bad = (Object.keys(kinds) as KindName[]).filter((name) => name !== 'well')

/** What becomes of the upstreams; of a world of several nodes too. */
export const upstreamFaults: readonly Fault<Pick<OneNode, 'upstream'> & OneNode>[] = [
  ...bad.map(
    (kind): Fault<OneNode> => ({
      name: `upstream: ${kind}`,
      async begin({ upstream }, random) {
        upstream.misbehave(kind, random() < 0.5 ? 1 : between(random, 0.2, 0.9))
        return async () => upstream.misbehave(undefined)
      },
    }),
  ),
  {
    name: 'upstream: refuses connections',
    async begin({ upstream }) {
      await upstream.die()
      return () => upstream.revive()
    },
  },
]
