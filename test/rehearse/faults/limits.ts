import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { requireBinary } from '../../support/binary.ts'
import { between } from '../../support/random.ts'
import type { Ask } from '../clients/asks.ts'
import { sendSlowly } from '../clients/slow.ts'
import type { OneNode } from '../sqlite-world.ts'
import type { Fault } from '../world.ts'

const cgroups = '/sys/fs/cgroup/memory'
const mebibyte = 1024 * 1024
const refusing = { allows: ['refusals', 'cut'] } as const

/** What there is too little of, and who takes too much of it. */
export const limitFaults: readonly Fault<OneNode>[] = [
  {
    ...{ name: 'descriptors short', ...refusing, logs: /EMFILE|too many|descriptors|not stored/i },
    missing: () => (Bun.which('prlimit') ? undefined : 'It takes prlimit.'),
    async begin({ node, crowd }, random) {
      const pid = node.processes()?.workers[0]
      if (pid === undefined) return async () => {}
      const open = readdirSync(`/proc/${pid}/fd`).length
      const limits = readFileSync(`/proc/${pid}/limits`, 'utf8')
      const [, before] = /^Max open files +(\d+) /m.exec(limits) ?? []
      const limit = (count: number) => {
        if (node.processes()?.workers[0] !== pid) return
        const { status } = spawnSync('prlimit', ['--pid', `${pid}`, `--nofile=${count}:`])
        if (status !== 0) throw new Error(`prlimit ended with ${status}.`)
      }
      limit(open + Math.floor(between(random, 2, 30)))
      const beside = crowd.beside(40, { kind: 'long', payer: 'rich' })
      return async () => {
        limit(Number(before))
        await beside
      }
    },
  },
  {
    ...{ name: 'memory short', part: 'process', ...refusing },
    missing: () =>
      existsSync(join(cgroups, 'cgroup.procs'))
        ? undefined
        : `There is no ${cgroups} (cgroup v1, and root).`,
    async begin({ node, crowd, folder }, random) {
      const group = join(cgroups, `rehearse-${process.pid}-${Math.floor(random() * 1e9)}`)
      mkdirSync(group)
      writeFileSync(join(group, 'memory.limit_in_bytes'), String(256 * mebibyte))
      const inside = join(folder, 'within-256-mebibytes')
      const procs = join(group, 'cgroup.procs')
      writeFileSync(inside, `#!/bin/sh\necho $$ >${procs}\nexec ${requireBinary()} "$@"\n`)
      chmodSync(inside, 0o700)
      await node.stop()
      await node.start({ binary: inside })
      const beside = crowd.beside(2 + Math.floor(random() * 6), largeBody(between(random, 10, 58)))
      return async () => {
        await beside
        await node.stop()
        rmdirSync(group)
        await node.start()
      }
    },
  },
  {
    name: 'large bodies',
    async begin({ crowd }, random) {
      const beside = crowd.beside(3 + Math.floor(random() * 3), largeBody(between(random, 15, 55)))
      return () => beside
    },
  },
  {
    name: 'slow readers',
    async begin({ crowd }, random) {
      const count = Math.floor(between(random, 5, 30))
      const fixed = { kind: 'large', payer: 'rich', leavesAfter: undefined } as const
      const beside = crowd.beside(count, fixed, sendSlowly)
      return () => beside
    },
  },
  {
    ...{ name: 'log reader stalled' },
    async begin({ node, longestS }, random) {
      node.stallLog()
      const forMs = between(random, 1, Math.min(20, longestS)) * 1000
      return async () => {
        await Bun.sleep(forMs)
        node.readLog()
      }
    },
  },
]

const largeBody = (mebibytes: number): Partial<Ask> => ({
  ...{ kind: 'plain', stream: false, payer: 'rich', leavesAfter: undefined },
  paddingBytes: Math.floor(mebibytes * mebibyte),
})
