import { readFileSync } from 'node:fs'
import { type RunningBinary, startBinary } from '../../support/binary.ts'
import { tollgateYaml } from '../../support/tollgate-yaml.ts'
import { until } from '../until.ts'

/** Whether this system lets several processes share a port. */
export const sharesPorts = process.platform === 'linux'

/** The processes of a group that runs. */
export interface Members {
  readonly keeper: number
  /** By their numbers. */
  readonly workers: readonly number[]
}

interface GroupOptions {
  readonly upstream: { readonly url: string }
  readonly workers?: number
  readonly server?: object
  readonly balance?: number
}

/** Starts the compiled program with workers and waits until all of them serve. */
export async function startGroup({ upstream, workers = 2, server, balance }: GroupOptions) {
  const gateway = await startBinary({
    args: ['serve', '--log', 'json'],
    config: (listen) =>
      tollgateYaml({
        ...{ listen, upstream: upstream.url, server: { workers, ...server } },
        ...(balance !== undefined && { balance }),
      }),
  })
  await until('all workers serve', () => hasLine(gateway, '"message":"listening"'))
  return gateway
}

/** Whether the log has a line with a text. */
export const hasLine = ({ stdout }: Pick<RunningBinary, 'stdout'>, text: string): boolean =>
  stdout.some((line) => line.includes(text))

/** The keeper and the workers that a starter has at present; undefined while one of them is missing. */
export function membersOf({ pid }: Pick<RunningBinary, 'pid'>): Members | undefined {
  const workers: number[] = []
  let keeper: number | undefined
  let count = 0
  for (const child of childrenOf(pid)) {
    const { role, index = 0, workers: all = 0 } = roleOf(child)
    if (role === 'keeper') [keeper, count] = [child, all]
    else if (role === 'worker') workers[index] = child
  }
  const isWhole = keeper !== undefined && Object.keys(workers).length === count
  return isWhole && keeper !== undefined ? { keeper, workers } : undefined
}

/** The workers that a starter has at present, the oldest first. */
export const workersOf = ({ pid }: Pick<RunningBinary, 'pid'>): readonly number[] =>
  childrenOf(pid).filter((child) => roleOf(child).role === 'worker')

const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)

/** The same, when none is missing. */
export const wholeGroup = (gateway: Pick<RunningBinary, 'pid'>): Promise<Members> =>
  until('a whole group', () => membersOf(gateway))

interface Role {
  readonly role?: 'starter' | 'keeper' | 'worker'
  readonly index?: number
  readonly workers?: number
}

/** What a process was told about itself when it was started. */
function roleOf(pid: number): Role {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
    const [own] = variables.filter((one) => one.startsWith('TOLLGATE_GROUP='))
    return own === undefined ? {} : JSON.parse(own.slice(own.indexOf('=') + 1))
  } catch {
    return {} // it has just ended, or has only just begun
  }
}
