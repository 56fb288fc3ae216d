import { randomUUID } from 'node:crypto'
import type { KeeperMember } from '../../src/app/group/keeper.ts'
import { serveAsWorker } from '../../src/app/group/worker.ts'
import { listen } from '../../src/app/listen.ts'
import type { Logger } from '../../src/lib/log.ts'
import { freePort } from './free-port.ts'

/** A group whose keeper and workers are all in this process; its workers are `start`ed one by one. */
export async function createTestGroup(workers: number, socketLifeMs?: number) {
  const port = await freePort()
  const id = randomUUID()
  const place = { link: `\0link-${id}`, pages: `\0pages-${id}`, secret: randomUUID(), workers }
  const running: Awaited<ReturnType<typeof serveAsWorker>>[] = []
  const member: KeeperMember = {
    place,
    url: `http://127.0.0.1:${port}`,
    living: [],
    onFrozen() {},
    onDied() {},
    async workersEnded() {
      await ended
    },
  }
  let ended: Promise<unknown> | undefined
  function stop(): void {
    ended = Promise.all(running.map((worker) => worker.stop()))
  }
  return {
    member,
    /** Stops the workers, as the starter does; a second call skips the waiting. */
    stop,
    /** Starts a worker, which listens at the address of the group. */
    async start(log: Logger): Promise<void> {
      const address = { host: '127.0.0.1', port }
      const part = { place, index: running.length, log, socketLifeMs }
      running.push(
        await serveAsWorker({
          ...part,
          listen: (app, limits) => listen(app, { ...address, ...limits }),
        }),
      )
    },
  }
}
