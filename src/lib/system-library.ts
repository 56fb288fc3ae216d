import { dlopen, type FFIFunction } from 'bun:ffi'

const musl = `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`
const names: Readonly<Record<string, readonly string[]>> = {
  linux: ['libc.so.6', musl],
  darwin: ['libSystem.B.dylib'],
}

/** Functions of the system's C library, of glibc or musl; undefined: it or one of them is missing here. */
export function openSystemLibrary<Functions extends Record<string, FFIFunction>>(
  functions: Functions,
) {
  for (const name of names[process.platform] ?? []) {
    try {
      return dlopen(name, functions).symbols
    } catch {
      // Try the next one.
    }
  }
  return undefined
}
