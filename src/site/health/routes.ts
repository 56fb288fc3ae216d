import { Elysia } from 'elysia'
import type { Readiness, Unready } from './readiness.ts'

/** Where the process says that it is alive. */
export const alivePath = '/livez'
/** Where it says whether it may be sent requests. */
export const readyPath = '/readyz'

const told: Readonly<Record<Unready, string>> = {
  draining: 'draining: the gateway is about to stop',
  database: 'the database does not answer',
  behind: 'the database takes no writing',
  deaf: 'the database tells of no changes',
}

/** For load balancers: open to all, never cached, and nothing in them that is not for everyone. */
export function healthRoutes(readiness: Pick<Readiness, 'problem'>) {
  return new Elysia({ name: 'site.health' })
    .get(alivePath, () => plain(200, 'alive'), { parse: 'none' })
    .get(
      readyPath,
      async () => {
        const problem = await readiness.problem()
        return problem === undefined ? plain(200, 'ready') : plain(503, told[problem])
      },
      { parse: 'none' },
    )
}

const plain = (status: number, text: string) =>
  new Response(`${text}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  })
