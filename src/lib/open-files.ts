import { readdirSync, readFileSync, statSync } from 'node:fs'

/** How many files this process has open, connections included; undefined where there is no /proc. */
export function countOpenFiles(): number | undefined {
  try {
    // Linux tells it as the size of the folder from 6.2 on; else one of the entries is the folder itself.
    return statSync('/proc/self/fd').size || readdirSync('/proc/self/fd').length - 1
  } catch {
    return undefined
  }
}

/** How many it may have open: infinite where there is no limit, undefined where there is no /proc. */
export function mostOpenFiles(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const most = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1]
    if (most === undefined) return undefined
    return most === 'unlimited' ? Number.POSITIVE_INFINITY : Number(most)
  } catch {
    return undefined
  }
}
