import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { requireBinary } from '../../support/binary.ts'
import type { OneNode } from '../sqlite-world.ts'
import type { Fault } from '../world.ts'

/** Where a resolver listens that never answers. */
const resolver = '127.0.0.53'
const port = 53

/** What becomes of the names of upstreams. */
export const nameFaults: readonly Fault<OneNode>[] = [
  {
    ...{ name: 'DNS silent', allows: ['refusals', 'cut'], stops: true },
    missing: () =>
      spawnSync('unshare', ['-m', 'true']).status === 0
        ? undefined
        : 'It takes root: unshare, and a resolv.conf of its own.',
    async begin({ node, folder, configFile, config, upstream }) {
      const silence = createSocket('udp4')
      await new Promise<void>((resolve, reject) => {
        silence.once('error', reject)
        silence.bind(port, resolver, resolve)
      })
      await node.stop()
      const named = upstream.urls.odd.replace('127.0.0.1', 'upstream.rehearsal.test')
      writeFileSync(configFile, config.replaceAll(upstream.urls.odd, named))
      await node.start({ binary: writeProgram(folder) })
      return async () => {
        await Bun.sleep(4_000)
        await node.kill()
        silence.close()
        writeFileSync(configFile, config)
        await node.start()
      }
    },
  },
]

/** The program, in a world whose names only that resolver knows. */
function writeProgram(folder: string): string {
  const names = join(folder, 'resolv.conf')
  const program = join(folder, 'silent-names')
  writeFileSync(names, `nameserver ${resolver}\n`)
  const mounted = `mount --bind '${names}' /etc/resolv.conf && exec '${requireBinary()}' "$@"`
  writeFileSync(
    program,
    `#!/bin/sh\nexec unshare -m sh -c '${mounted.replaceAll("'", `'\\''`)}' sh "$@"\n`,
    {
      mode: 0o700,
    },
  )
  return program
}
