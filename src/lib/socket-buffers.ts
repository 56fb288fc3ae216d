import { dlopen, FFIType, type Pointer, ptr } from 'bun:ffi'

type SetOption = (fd: number, level: number, name: number, value: Pointer, size: number) => number

/** Where the system has `setsockopt`, and the numbers that it knows the options by. */
const systems: Readonly<Record<string, { libraries: readonly string[]; numbers: Numbers }>> = {
  linux: {
    libraries: [
      'libc.so.6',
      'libc.so',
      `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`,
    ],
    numbers: { level: 1, send: 7, receive: 8 },
  },
  darwin: {
    libraries: ['libSystem.B.dylib'],
    numbers: { level: 0xffff, send: 0x1001, receive: 0x1002 },
  },
}

interface Numbers {
  readonly level: number
  readonly send: number
  readonly receive: number
}

const value = new Int32Array(1)
let setOption: SetOption | null | undefined

/**
 * Bounds how many bytes the system keeps for a socket: those that have come and are not read
 * (`receive`), or that are written and have not left (`send`). The runtime has no setting for it, and the
 * system lets them grow to megabytes. False: it can't be told here, and goes by its own measure.
 */
export function boundSocket(fd: number, which: 'send' | 'receive', bytes: number): boolean {
  const numbers = systems[process.platform]?.numbers
  if (setOption === undefined) setOption = open() ?? null
  if (setOption === null || numbers === undefined || fd < 0) return false
  value[0] = bytes
  return setOption(fd, numbers.level, numbers[which], ptr(value), 4) === 0
}

function open(): SetOption | undefined {
  for (const library of systems[process.platform]?.libraries ?? []) {
    try {
      const { i32, u32 } = FFIType
      const args = [i32, i32, i32, FFIType.ptr, u32] as const
      return dlopen(library, { setsockopt: { args, returns: i32 } }).symbols.setsockopt
    } catch {
      // Of another name here, or none is to be had.
    }
  }
  return undefined
}
