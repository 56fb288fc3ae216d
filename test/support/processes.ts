import { readdirSync, readFileSync } from 'node:fs'

/** A process and all that it has started, itself first. */
export function familyOf(pid: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? parentOf(Number(name)) : undefined
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const family = [pid]
  for (const member of family) family.push(...(children.get(member) ?? []))
  return family
}

function parentOf(pid: number): number | undefined {
  // The name before it stands in brackets and may hold anything.
  const [, parent] = /.*\) \S (\d+)/s.exec(textOf(`/proc/${pid}/stat`)) ?? []
  return parent === undefined ? undefined : Number(parent)
}

/** Stops a process and all that it has started: nothing of it moves. Gives all of them. */
export function freezeFamily(pid: number): readonly number[] {
  const stopped = new Set<number>()
  // The parent first; what a child had started before it was stopped is found the next time.
  for (;;) {
    const found = familyOf(pid).filter((one) => !stopped.has(one))
    if (found.length === 0) return [...stopped]
    for (const one of found) {
      stopped.add(one)
      signal(one, 'SIGSTOP')
    }
  }
}

/** Wakes them. */
export function wakeFamily(pid: number): void {
  for (const one of familyOf(pid).reverse()) signal(one, 'SIGCONT')
}

/** Kills them at once, as a service manager does; resolves when none is left. */
export async function killFamily(pid: number): Promise<void> {
  const family = freezeFamily(pid)
  for (const one of family) signal(one, 'SIGKILL')
  while (family.some(lives)) await Bun.sleep(2)
}

/** The processes of a gateway, by their roles; one without workers has all three. */
export interface GroupProcesses {
  readonly starter: number
  /** Undefined: there is none at present. */
  readonly keeper: number | undefined
  /** By their places; those that are being started again are missing. */
  readonly workers: readonly number[]
}

/** Finds the processes of a gateway by what the kernel says of them. */
export function readGroup(starter: number): GroupProcesses {
  const children = familyOf(starter).flatMap((pid) => ({ pid, ...roleOf(pid) }))
  if (children.every(({ role }) => role === undefined))
    return { starter, keeper: starter, workers: [starter] }
  const workers = children.filter(({ role }) => role === 'worker')
  return {
    starter,
    keeper: children.find(({ role }) => role === 'keeper')?.pid,
    workers: workers.toSorted((a, b) => Number(a.index) - Number(b.index)).map(({ pid }) => pid),
  }
}

/** What a process was told of its place in a group when it was started. */
function roleOf(pid: number): { readonly role?: string; readonly index?: number } {
  const name = 'TOLLGATE_GROUP='
  const found = textOf(`/proc/${pid}/environ`)
    .split('\0')
    .find((line) => line.startsWith(name))
  return found === undefined ? {} : JSON.parse(found.slice(name.length))
}

/** Whether a process lives; one that has ended may still wait to be noticed by its parent. */
export const lives = (pid: number): boolean =>
  /^State:\s+[^ZX]/m.test(textOf(`/proc/${pid}/status`))

/** Signals a process, unless it has ended meanwhile. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended meanwhile.
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // it has ended meanwhile
  }
}
