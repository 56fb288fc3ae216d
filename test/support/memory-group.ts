import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A control group with little memory, in which a program is begun. */
export interface MemoryGroup extends Disposable {
  /** A command that becomes the one behind it, within the group; for `startBinary`. */
  readonly through: readonly string[]
  /** The most that it had so far, in bytes. */
  peakBytes(): number
  /** How many processes the kernel has killed in it for want of memory. */
  kills(): number
}

/** Undefined in `group`: what stands in the way is in `why`. */
export type FoundGroup =
  | { readonly group: MemoryGroup; readonly why?: undefined }
  | { readonly group?: undefined; readonly why: string }

let made = 0

/** Makes a group below the one of this process; that takes root, and a kernel that lets it. */
export function createMemoryGroup(limitBytes: number): FoundGroup {
  const [v1] = pathsOf(/^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/gm)
  const [v2] = pathsOf(/^0::(.*)$/gm)
  try {
    if (v1 !== undefined) return { group: makeV1(within('/sys/fs/cgroup/memory', v1), limitBytes) }
    if (v2 !== undefined) return { group: makeV2(within('/sys/fs/cgroup', v2), limitBytes) }
    return { why: 'this system has no control groups' }
  } catch (error) {
    return { why: `no control group can be made here: ${String(error)}` }
  }
}

const pathsOf = (pattern: RegExp) => {
  const text = existsSync('/proc/self/cgroup') ? readFileSync('/proc/self/cgroup', 'utf8') : ''
  return [...text.matchAll(pattern)].map(([, path = '/']) => path)
}

/** In a container the path is the host's, and its root the one that is mounted. */
const within = (root: string, path: string) =>
  existsSync(join(root, path)) ? join(root, path) : root

function makeV1(parent: string, limitBytes: number): MemoryGroup {
  const folder = makeFolder(parent)
  write(folder, 'memory.limit_in_bytes', limitBytes)
  // Where swap is counted: there is none.
  if (existsSync(join(folder, 'memory.memsw.limit_in_bytes'))) {
    write(folder, 'memory.memsw.limit_in_bytes', limitBytes)
  }
  return groupIn(folder, ['memory.max_usage_in_bytes', 'memory.oom_control'])
}

function makeV2(parent: string, limitBytes: number): MemoryGroup {
  // A group with processes of its own has none below it: then its parent has.
  const home = readFileSync(join(parent, 'cgroup.subtree_control'), 'utf8').includes('memory')
    ? parent
    : dirname(parent)
  const folder = makeFolder(home)
  if (!existsSync(join(folder, 'memory.max'))) {
    rmdirSync(folder)
    throw new Error(`memory is not in ${join(home, 'cgroup.subtree_control')}`)
  }
  write(folder, 'memory.max', limitBytes)
  if (existsSync(join(folder, 'memory.swap.max'))) write(folder, 'memory.swap.max', 0)
  return groupIn(folder, ['memory.peak', 'memory.events'])
}

function makeFolder(parent: string): string {
  const folder = join(parent, `tollgate-test-${process.pid}-${++made}`)
  mkdirSync(folder)
  return folder
}

const write = (folder: string, name: string, value: number) =>
  writeFileSync(join(folder, name), String(value))

function groupIn(folder: string, [peak, events]: readonly [string, string]): MemoryGroup {
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  return {
    through: ['sh', '-c', `echo $$ > ${join(folder, 'cgroup.procs')}; exec "$0" "$@"`],
    peakBytes: () => Number(read(peak)),
    kills: () => Number(/^oom_kill (\d+)/m.exec(read(events))?.[1] ?? 0),
    [Symbol.dispose]() {
      rmdirSync(folder)
    },
  }
}
