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
  try {
    // The name before it stands in brackets and may hold anything.
    const [, parent] = /.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return parent === undefined ? undefined : Number(parent)
  } catch {
    return undefined // it has ended meanwhile
  }
}

/** Stops a process and all that it has started: nothing of it moves. */
export function freezeFamily(pid: number): void {
  const stopped = new Set<number>()
  // The parent first; what a child had started before it was stopped is found the next time.
  for (;;) {
    const found = familyOf(pid).filter((one) => !stopped.has(one))
    if (found.length === 0) return
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

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended meanwhile.
  }
}
