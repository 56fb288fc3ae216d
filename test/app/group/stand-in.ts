import { joinGroup } from '../../../src/app/group/join.ts'
import type { LivingWorker } from '../../../src/app/group/messages.ts'
import { type ChildRole, socketDescriptor, takeRole } from '../../../src/app/group/role.ts'
import { runStarter } from '../../../src/app/group/starter.ts'
import { listenOnGiven } from '../../../src/lib/given-socket.ts'

// A whole group with the real starter; its keeper and its workers say who they are, and do as they are asked.

const role = takeRole()
if (role?.role === 'starter')
  process.exit(await runStarter(role, [process.execPath, import.meta.path]))
else if (role?.role === 'keeper') keep(role)
else if (role?.role === 'worker') work(role)

function keep(own: ChildRole): void {
  if (process.env.KEEPER_FAILS) {
    console.error('this keeper can not start')
    process.exit(Number(process.env.KEEPER_FAILS))
  }
  const group = joinGroup(own)
  const heard: string[] = []
  let living: readonly LivingWorker[] = []
  Bun.serve({
    unix: own.pages,
    fetch(request) {
      const { searchParams } = new URL(request.url)
      if (searchParams.has('kill'))
        group.say({ kind: 'kill-worker', pid: Number(searchParams.get('kill')) })
      return Response.json({ pid: process.pid, start: own.start, living, heard })
    },
  })
  group.follow({
    onStop: () => heard.push('stop'),
    onHurry: () => heard.push('hurry'),
    onReload: () => heard.push('reload'),
    onStarterGone: () => process.exit(),
    onWorkers(all) {
      living = all
    },
    onFinish() {
      console.log('keeper: finished')
      process.exit(0)
    },
  })
  group.say({ kind: 'ready' })
}

function work({ index, start, ...own }: ChildRole): void {
  const group = joinGroup({ index, start, ...own })
  const isHurried = Promise.withResolvers<void>()
  const server = listenOnGiven(socketDescriptor, () =>
    Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 0,
      async fetch(request) {
        const { pathname } = new URL(request.url)
        if (pathname === '/fail') process.exit(3)
        const { pid } = process
        const inherited = process.env.TOLLGATE_GROUP ?? null
        const answer = Response.json({ index, pid, start, inherited })
        if (pathname !== '/wait') return answer
        // Its head is sent, so that the test knows that it is under way.
        return new Response(
          (async function* () {
            yield 'begun '
            await isHurried.promise
            yield 'ended'
          })(),
        )
      },
    }),
  )
  const stop = async () => {
    await server.stop()
    console.log(`worker ${index}: drained`)
    process.exit(0)
  }
  group.follow({ onStop: stop, onHurry: isHurried.resolve, onStarterGone: stop })
  group.say({ kind: 'ready' })
}
