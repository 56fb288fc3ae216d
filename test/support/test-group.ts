import { randomUUID } from 'node:crypto'
import type { KeeperMember } from '../../src/app/group/keeper.ts'
import { serveAsWorker } from '../../src/app/group/worker.ts'
import { listen } from '../../src/app/listen.ts'
import type { Logger } from '../../src/lib/log.ts'

/** A group whose keeper and workers are all in this process; its workers are `start`ed one by one. */
export function createTestGroup(workers: number) {
  const id = randomUUID()
  const place = { link: `\0link-${id}`, pages: `\0pages-${id}`, secret: randomUUID(), workers }
  const running: Awaited<ReturnType<typeof serveAsWorker>>[] = []
  const member: KeeperMember = {
    place,
    url: 'http://gateway.invalid',
    living: [],
    onFrozen() {},
    onDied() {},
    async workersEnded() {
      await stop()
    },
  }
  const stop = () => Promise.all(running.map((worker) => worker.stop()))
  return {
    member,
    /** Stops the workers, as the starter does; a second call skips the waiting. */
    stop,
    /** Starts a worker on a free port; gives its address. */
    async start(log: Logger): Promise<string> {
      let url = ''
      running.push(
        await serveAsWorker({
          ...{ place, index: running.length, log },
          listen(app, config) {
            const listening = listen(app, { ...config.server, host: '127.0.0.1', port: 0 })
            url = listening.url
            return listening
          },
        }),
      )
      return url
    },
  }
}
