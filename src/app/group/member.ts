import { isProcessAlive } from '../../lib/process-state.ts'
import type { Group } from './join.ts'
import type { LivingWorker } from './messages.ts'

/** A worker's process. */
type WorkerId = Pick<LivingWorker, 'index' | 'pid'>

/** Bound of the wait for workers whose starter is gone: they have little more. */
const goneMs = 4_000
const lookMs = 50

/** The keeper's part in its group. */
export type KeeperMembership = Awaited<ReturnType<typeof joinAsKeeper>>

/** Joins as the keeper, when the starter has said which workers live already. */
export async function joinAsKeeper(group: Group) {
  const { role } = group
  const first = Promise.withResolvers<readonly LivingWorker[]>()
  const ended = Promise.withResolvers<void>()
  const allReady = Promise.withResolvers<true>()
  const dead: ((worker: WorkerId) => void)[] = []
  let living: readonly LivingWorker[] = []
  group.follow({
    onWorkers(now) {
      const lost = living.filter(({ pid }) => !now.some((one) => one.pid === pid))
      living = now
      for (const { index, pid } of lost) for (const tell of dead) tell({ index, pid })
      first.resolve(now)
      if (now.length === role.workers && now.every(({ isReady }) => isReady)) allReady.resolve(true)
    },
    onFinish: ended.resolve,
  })
  const host = role.host.includes(':') ? `[${role.host}]` : role.host
  return {
    group,
    place: role,
    url: `http://${host}:${role.port}`,
    // Others have no lease or reservation yet.
    living: (await first.promise).filter(({ isReady }) => isReady),
    onFrozen: ({ pid }: WorkerId): void => group.say({ kind: 'kill-worker', pid }),
    onDied: (listener: (worker: WorkerId) => void): void => void dead.push(listener),
    workersEnded: (): Promise<void> => ended.promise,
    /** To be called when the starter is gone: nobody else says then when the workers have ended. */
    async close(): Promise<void> {
      const deadline = performance.now() + goneMs
      while (living.some(({ pid }) => isProcessAlive(pid)) && performance.now() < deadline)
        await Bun.sleep(lookMs)
      ended.resolve()
    },
    /** Resolves when each worker serves. */
    allReady: allReady.promise,
  }
}
