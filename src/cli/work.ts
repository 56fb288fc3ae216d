import type { Group } from '../app/group/join.ts'
import { socketDescriptor } from '../app/group/role.ts'
import { serveAsWorker } from '../app/group/worker.ts'
import { listen } from '../app/listen.ts'
import { openLog } from '../app/open-log.ts'
import type { Listening } from '../app/stopping.ts'
import { enlargeCodeWhenBusy } from '../lib/code-pages.ts'
import { listenOnGiven } from '../lib/given-socket.ts'
import { compileAsUsual } from '../lib/jit.ts'
import { seeOut, surviveBugs, untilTold } from './lifecycle.ts'

/** Serves as a worker of a group, on the socket that the starter has opened. */
export async function work(group: Group): Promise<void> {
  const { role } = group
  const { sink, log } = openLog(role.log, { isShared: true, worker: role.index })
  surviveBugs(log)
  const end = () => process.exit(0)
  // It may wait long for a keeper; until then nothing is lost.
  group.follow({ onStop: end, onStarterGone: end })
  await seeOut(sink, async () => {
    let listening: Listening | undefined
    const serving = await serveAsWorker({
      ...{ place: role, index: role.index, log },
      listen(app, limits) {
        const address = { ...limits, host: '127.0.0.1', port: 0 }
        listening = listenOnGiven(socketDescriptor, () => listen(app, address))
        return listening
      },
    })
    const stopped = untilTold(serving, { group, close: () => listening?.close() })
    compileAsUsual()
    enlargeCodeWhenBusy()
    group.say({ kind: 'ready' })
    return await stopped
  })
}
