import { Elysia } from 'elysia'
import type { SpoolRemark } from '../../store/ports/spool.ts'
import type { Readiness, Unready } from './readiness.ts'

/** Where the process says that it is alive. */
export const alivePath = '/livez'
/** Where it says whether it may be sent requests. */
export const readyPath = '/readyz'

const told: Readonly<Record<Unready, string>> = {
  draining: 'draining: the gateway is about to stop',
  unspooled: 'the database takes no writing, and the spool is full or can not be written',
  gone: 'the file of the database is gone, or not as it was left',
  database: 'the database does not answer',
  behind: 'the database takes no writing',
  deaf: 'the database tells of no changes',
  short: 'no file descriptors are left',
}

const remarks: Readonly<Record<SpoolRemark, string>> = {
  damaged: 'a part of the spool was damaged and is set aside: see the log',
  refused: 'the database has refused a settlement, which is set aside: see the log',
  missing: 'there is no spool, for its folder can not be written: see the log',
}

/** For load balancers: open to all, never cached, and nothing in them that is not for everyone. */
export function healthRoutes(readiness: Pick<Readiness, 'problem' | 'remark'>) {
  return new Elysia({ name: 'site.health' })
    .get(alivePath, () => plain(200, 'alive'), { parse: 'none' })
    .get(
      readyPath,
      async () => {
        const problem = await readiness.problem()
        if (problem !== undefined) return plain(503, told[problem])
        const remark = readiness.remark()
        return plain(200, remark === undefined ? 'ready' : `ready\n${remarks[remark]}`)
      },
      { parse: 'none' },
    )
}

const plain = (status: number, text: string) =>
  new Response(`${text}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  })
