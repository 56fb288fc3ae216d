import { spawnSync } from 'node:child_process'
import { statfsSync } from 'node:fs'

/** A file system of its own in memory, on a folder. */
export interface SmallDisk extends Disposable {
  /** No more fits on it. */
  fill(): void
  /** There is room again. */
  free(): void
}

/** Only what is used of it takes memory. */
const roomyMebibytes = 4096
/** The pages of an empty one, and what the next page needs. */
const leastKibibytes = 16

/** Undefined where mounting is not allowed: that takes root. */
export function mountSmallDisk(folder: string): SmallDisk | undefined {
  const size = (kibibytes: number) => `size=${kibibytes}k`
  const mount = (...words: readonly string[]) =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', ...words, 'tmpfs', folder]).status === 0
  const resize = (kibibytes: number) => mount(`remount,${size(kibibytes)}`)
  if (!mount(size(roomyMebibytes * 1024))) return undefined
  return {
    fill() {
      // It grows while this looks at it: then a size below what is used is refused.
      for (let slack = leastKibibytes; ; slack *= 2) {
        const { blocks, bfree, bsize } = statfsSync(folder)
        if (resize(Math.ceil(((blocks - bfree) * bsize) / 1024) + slack)) return
      }
    },
    free: () => void resize(roomyMebibytes * 1024),
    [Symbol.dispose]: () => void spawnSync('umount', ['-l', folder]),
  }
}
