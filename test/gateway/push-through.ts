import type { Tap } from '../../src/gateway/relay/tap.ts'

/** The bytes for the client of a chunk, all of which is paid. */
export function pushThrough(tap: Tap, chunk: Uint8Array): Uint8Array {
  tap.observe(chunk)
  return tap.take()
}
