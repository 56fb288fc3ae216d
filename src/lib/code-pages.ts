import { dlopen, FFIType } from 'bun:ffi'
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { findMemoryLimit } from './process-state.ts'

/** One entry of the processor's address cache covers a block, once it is one page. */
const blockBytes = 2 * 1_048_576
const pageBytes = 4_096
const pagesPerBlock = blockBytes / pageBytes
/** What is moved is memory of this process alone, some 20 MB: with less than this it is not worth it. */
const leastMemoryBytes = 1_073_741_824
/** Share of a block's pages that has been used: the rest is memory that it takes in addition. */
const muchUsed = 0.6
/** `MADV_HUGEPAGE`, `MREMAP_MAYMOVE | MREMAP_FIXED`, `PROT_READ | PROT_WRITE` …, `MAP_PRIVATE | MAP_ANONYMOUS`. */
const linux = { hugePage: 14, moveFixed: 3, writable: 3, executable: 5, anonymous: 0x22 }
/** Names of glibc and musl. */
const libraries = ['libc.so.6', `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`]

type System = NonNullable<ReturnType<typeof openSystem>>

/**
 * Moves the much used machine code of this program onto large pages; returns how many bytes. The runtime has tens
 * of megabytes of code and a request passes through much of it, so that with pages of 4 KB the processor often
 * has to look up where they are. Does nothing where the system has no large pages.
 */
export async function enlargeCodePages(): Promise<number> {
  if (process.platform !== 'linux' || !mayEnlarge()) return 0
  const system = openSystem()
  if (system === undefined || system.getpagesize() !== pageBytes) return 0
  let moved = 0
  for (const address of usedBlocks()) {
    if (!moveBlock(system, address)) break
    moved += blockBytes
    await Bun.sleep(1) // a block takes about a millisecond
  }
  return moved
}

const busyShare = 0.2
const checkMs = 5_000
/** Code that is used once is used by then. */
const busyChecks = 2

/**
 * Does so once this process has been busy for some seconds: an idle one needs less memory. Never where there is
 * little.
 */
export function enlargeCodeWhenBusy(): void {
  if (findMemoryLimit().bytes < leastMemoryBytes) return
  let last = process.cpuUsage()
  let left = busyChecks
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(last)
    last = process.cpuUsage()
    const isBusy = (user + system) / 1_000 > checkMs * busyShare
    left = isBusy ? left - 1 : busyChecks
    if (left > 0) return
    clearInterval(timer)
    void enlargeCodePages()
  }, checkMs)
  timer.unref()
}

/** Programs may ask for large pages here, and moving cannot fail for lack of promised memory. */
function mayEnlarge(): boolean {
  try {
    const enabled = readFileSync('/sys/kernel/mm/transparent_hugepage/enabled', 'utf8')
    const overcommit = readFileSync('/proc/sys/vm/overcommit_memory', 'utf8')
    return !enabled.includes('[never]') && overcommit.trim() !== '2'
  } catch {
    return false
  }
}

/** Addresses of the whole blocks of this program's code that are much used. */
function usedBlocks(): number[] {
  try {
    const pages = openSync('/proc/self/pagemap', 'r')
    try {
      return codeBlocks().filter((address) => usedShare(pages, address) >= muchUsed)
    } finally {
      closeSync(pages)
    }
  } catch {
    return []
  }
}

function codeBlocks(): number[] {
  const blocks: number[] = []
  for (const line of readFileSync('/proc/self/maps', 'utf8').split('\n')) {
    const [range = '', rights, , , , path] = line.split(/ +/)
    if (rights !== 'r-xp' || path !== process.execPath) continue
    const [start = 0, end = 0] = range.split('-').map((hex) => Number.parseInt(hex, 16))
    for (let at = Math.ceil(start / blockBytes) * blockBytes; at + blockBytes <= end; ) {
      blocks.push(at)
      at += blockBytes
    }
  }
  return blocks
}

/** Each page has 8 bytes in the list, whose highest bit says that the process has used it. */
function usedShare(pages: number, address: number): number {
  const entries = new Uint8Array(pagesPerBlock * 8)
  readSync(pages, entries, 0, entries.length, (address / pageBytes) * 8)
  let used = 0
  for (let at = 7; at < entries.length; at += 8) if ((entries[at] ?? 0) & 0x80) used++
  return used / pagesPerBlock
}

/** Copies a block and puts the copy in its place, while it runs: its bytes stay the same. */
function moveBlock(system: System, address: number): boolean {
  const room = Number(system.mmap(0, 2 * blockBytes, linux.writable, linux.anonymous, -1, 0))
  if (room <= 0) return false
  const copy = Math.ceil(room / blockBytes) * blockBytes
  const isMoved =
    system.madvise(copy, blockBytes, linux.hugePage) === 0 &&
    Number(system.memcpy(copy, address, blockBytes)) === copy &&
    system.mprotect(copy, blockBytes, linux.executable) === 0 &&
    Number(system.mremap(copy, blockBytes, blockBytes, linux.moveFixed, address)) === address
  // What is left of the room: before the copy, behind it, and the copy itself where it stayed.
  if (copy > room) system.munmap(room, copy - room)
  const behind = isMoved ? copy + blockBytes : copy
  system.munmap(behind, room + 2 * blockBytes - behind)
  return isMoved
}

/** Undefined: the library or its functions are missing here. */
function openSystem() {
  const { i32, i64_fast: word } = FFIType
  for (const library of libraries) {
    try {
      return dlopen(library, {
        getpagesize: { args: [], returns: i32 },
        mmap: { args: [word, word, i32, i32, i32, word], returns: word },
        munmap: { args: [word, word], returns: i32 },
        madvise: { args: [word, word, i32], returns: i32 },
        mprotect: { args: [word, word, i32], returns: i32 },
        memcpy: { args: [word, word, word], returns: word },
        mremap: { args: [word, word, word, i32, word], returns: word },
      }).symbols
    } catch {
      // Try the next one.
    }
  }
  return undefined
}
