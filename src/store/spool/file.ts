import { createTurns } from '../../lib/turns.ts'
import type { SpoolDisk } from './disk.ts'
import { type Decoded, decodeLines, storedLine } from './lines.ts'

export interface SpoolFile {
  /** What was in it when it was opened. */
  readonly found: Decoded
  /** Takes room on the disk, so that one that fills up later has it still. */
  reserve(sizeBytes: number): Promise<void>
  /** Resolves when the lines are synced; rejects when they are not, and then they count for nothing. */
  append(lines: string): Promise<void>
  /** Forgets all lines, unless `isNeeded` by then. */
  clear(isNeeded: () => boolean): Promise<void>
  close(): Promise<void>
}

/** Beyond that it takes no more: some 50,000 settlements. */
const maxBytes = 64 * 1_048_576
const pieceBytes = 1_048_576

/**
 * A file that is appended to, one thing after the other. It keeps its size when it is cleared, for the
 * room on the disk is what it has it for.
 */
export function createSpoolFile(disk: SpoolDisk): SpoolFile {
  const bytes = disk.read()
  const found = decodeLines(bytes)
  const inTurn = createTurns()
  let sizeBytes = bytes.length
  let reservedBytes = 0
  /** Where the next line goes; what is behind it, up to the second, is left of one that failed. */
  let end = found.endBytes
  let usedEnd = found.usedBytes

  async function put(data: Uint8Array, at: number): Promise<void> {
    sizeBytes = Math.max(sizeBytes, at + data.length)
    await disk.write(data, at)
    await disk.sync()
  }

  async function wipe(from: number, to: number): Promise<void> {
    for (let at = from; at < to; at += pieceBytes) {
      await disk.write(new Uint8Array(Math.min(pieceBytes, to - at)), at)
    }
    await disk.sync()
  }

  async function append(text: string): Promise<void> {
    const lines = Buffer.from(text)
    const next = end + lines.length
    if (next > maxBytes) throw new Error(`it is full: ${maxBytes} bytes`)
    usedEnd = Math.max(usedEnd, next)
    try {
      await put(Buffer.concat([lines, new Uint8Array(usedEnd - next)]), end)
      usedEnd = end = next
    } catch (error) {
      // Who asked is told that it failed: nobody may find it here later.
      await wipe(end, usedEnd).catch(() => {}) // else the next line does it
      throw error
    }
  }

  return {
    found,
    reserve: (wantedBytes) =>
      inTurn(async () => {
        reservedBytes = Math.max(sizeBytes, wantedBytes)
        if (sizeBytes < wantedBytes) await wipe(sizeBytes, wantedBytes)
        sizeBytes = reservedBytes
      }),
    append: (lines) => inTurn(() => append(lines)),
    clear: (isNeeded) =>
      inTurn(async () => {
        if (isNeeded() || usedEnd === 0) return
        // At each moment it is told that all is stored, or nothing is left: never half a line.
        const last = end
        await append(storedLine).catch(() => {}) // no room: then without it
        await wipe(0, last)
        await wipe(last, usedEnd)
        end = usedEnd = 0
        if (sizeBytes <= reservedBytes) return
        await disk.cut(reservedBytes)
        sizeBytes = reservedBytes
      }),
    close: () => inTurn(disk.close),
  }
}
