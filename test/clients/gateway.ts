import { join } from 'node:path'
import { applyConfig } from '../../src/app/apply.ts'
import { openInstance } from '../../src/app/instance.ts'
import { listen } from '../../src/app/listen.ts'
import { createTollgate } from '../../src/app/tollgate.ts'
import { createLogger } from '../../src/lib/log.ts'
import { configOf } from '../app/serving.ts'
import { runBinary, startBinary } from '../support/binary.ts'
import { createTempDir } from '../support/temp-dir.ts'

/** What a request left behind. */
export interface Charge {
  readonly model: string
  readonly ending: string
  readonly status: number
  readonly cause_text: string | null
  readonly amount_nano: number
}

/** A gateway that clients ask. */
export interface Gateway extends AsyncDisposable {
  readonly url: string
  /** All that it charged for, as `tollgate export` tells it. */
  charges(): Promise<readonly Charge[]>
}

/** The program, as it is used. */
export async function startCompiled(yaml: (listen: string) => string): Promise<Gateway> {
  const gateway = await startBinary({ config: yaml })
  return {
    url: gateway.url,
    charges: () => exportedFrom(join(gateway.cwd, 'tollgate.yaml')),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

/** The same in this process, with heartbeats so early that a silence of `silenceMs` has both kinds. */
export async function startHurried(
  yaml: (listen: string) => string,
  silenceMs: number,
): Promise<Gateway> {
  const folder = createTempDir('tollgate-clients')
  const text = yaml('127.0.0.1:0').replace(
    /^store: .*$/m,
    `store: sqlite:${folder.join('hurried.db')}`,
  )
  await Bun.write(folder.join('tollgate.yaml'), text)
  const config = configOf(text)
  const instance = await openInstance(config, { toServe: true })
  const { store, secrets } = instance
  await applyConfig(instance, config, { prune: false })
  const log = createLogger({ sink: () => {}, pretty: false, clock: Date.now, level: 'warn' })
  const tollgate = await createTollgate({
    ...{ config, store, secrets, log, clock: Date.now },
    heartbeat: { firstMs: (silenceMs * 25) / 28, everyMs: (silenceMs * 15) / 28 },
  })
  const listening = listen(tollgate.app, { host: '127.0.0.1', port: 0 })
  return {
    url: listening.url,
    charges: async () => {
      await tollgate.settled()
      return exportedFrom(folder.join('tollgate.yaml'))
    },
    [Symbol.asyncDispose]: async () => {
      await listening.close()
      listening.drop()
      await tollgate.stop()
      await store.close()
      folder.remove()
    },
  }
}

async function exportedFrom(config: string): Promise<readonly Charge[]> {
  const args = ['export', 'requests', '--format', 'jsonl', '--config', config]
  const { stdout, stderr, exitCode } = await runBinary(args)
  if (exitCode !== 0) throw new Error(`tollgate export failed: ${stderr}`)
  const lines = stdout.split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line) as Charge)
}
