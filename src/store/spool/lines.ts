import type { Settlement } from '../ports/records.ts'

export interface Spooled {
  /** Which database it is for: `RecordStore.origin`. */
  readonly origin: string
  readonly settlement: Settlement
}

export interface Decoded {
  readonly entries: readonly Spooled[]
  readonly damaged: readonly Uint8Array[]
  /** The last line was cut off: it was never synced, so no answer went out by it. */
  readonly isTorn: boolean
  /** Where the next line goes: behind the last whole one. */
  readonly endBytes: number
  /** Only zeros follow. */
  readonly usedBytes: number
  /** Of the whole file. */
  readonly sizeBytes: number
}

/** Marks all lines before it as stored. */
const stored = 'stored'

const newLine = 0x0a
const decoder = new TextDecoder('utf-8', { fatal: true })

const checksum = (bytes: Uint8Array | string) => Bun.hash.crc32(bytes).toString(16).padStart(8, '0')

/** One line: checksum and JSON, between line ends, so that damage stays in its line. */
const encode = (value: unknown): string => {
  const json = JSON.stringify(value)
  return `\n${checksum(json)} ${json}\n`
}

export const encodeLine = (entry: Spooled): string => encode(entry)

export const storedLine = encode(stored)

/** Reads a spool, also a damaged one; between lines and after them are zeros. */
export function decodeLines(file: Uint8Array): Decoded {
  const bytes = file.subarray(0, endOf(file))
  let entries: Spooled[] = []
  let damaged: Uint8Array[] = []
  let isTorn = false
  let endBytes = 0
  for (let from = 0; from < bytes.length; ) {
    const at = bytes.indexOf(newLine, from)
    const to = at < 0 ? bytes.length : at
    const line = withoutZeros(bytes.subarray(from, to))
    from = to + 1
    if (at >= 0) endBytes = from
    if (line.length === 0) continue
    const value = decode(line)
    if (value === stored) {
      entries = []
      damaged = []
    } else if (at < 0) isTorn = true
    else if (value !== undefined) entries.push(value)
    else if (!isLeftOver(line)) damaged.push(line)
  }
  const [usedBytes, sizeBytes] = [bytes.length, file.length]
  return { entries, damaged, isTorn, endBytes, usedBytes, sizeBytes }
}

function decode(line: Uint8Array): Spooled | typeof stored | undefined {
  const json = line.subarray(9)
  try {
    if (decoder.decode(line.subarray(0, 9)) !== `${checksum(json)} `) return undefined
    const value = JSON.parse(decoder.decode(json))
    const isKnown = value === stored || typeof value?.settlement?.request?.requestId === 'string'
    return isKnown ? value : undefined
  } catch {
    return undefined // no text: damaged
  }
}

/** A rest of `storedLine`: clearing was interrupted. */
const isLeftOver = (line: Uint8Array) =>
  Buffer.from(storedLine).subarray(0, -1).subarray(-line.length).equals(line)

const zeros = Buffer.alloc(4096)

function endOf(bytes: Uint8Array): number {
  let end = bytes.length
  // Nearly all of a file may be zeros.
  while (end >= zeros.length && zeros.equals(bytes.subarray(end - zeros.length, end)))
    end -= zeros.length
  while (end > 0 && bytes[end - 1] === 0) end--
  return end
}

function withoutZeros(line: Uint8Array): Uint8Array {
  const from = line.findIndex((byte) => byte !== 0)
  return from < 0 ? line.subarray(0, 0) : line.subarray(from, endOf(line))
}
