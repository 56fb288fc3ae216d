const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Rows of a JSON file: one object per line, an array, or the first array inside an object. */
export type JsonShape = 'lines' | 'array' | 'container'

const rowDepths = { lines: 0, array: 1, container: 2 } as const

const maxRowBytes = 1024 * 1024

interface ObjectCutter {
  push(chunk: Uint8Array): readonly string[]
  end(): boolean
}

/** Cuts rows out of a stream of bytes. Throws `RangeError` at a row that is too large. */
export function createObjectCutter(shape: JsonShape): ObjectCutter {
  const rowDepth = rowDepths[shape]
  let depth = 0
  let inString = false
  let escaped = false
  // Whether the position is among rows, and whether this object's rows are over.
  let amongRows = shape === 'lines'
  let hadRows = false
  let held: Uint8Array[] = []
  let heldBytes = 0
  let isInRow = false

  function opened(byte: number): void {
    if (byte === openBracket && depth === rowDepth - 1 && !hadRows) amongRows = true
    depth++
  }

  function closed(): void {
    depth = Math.max(0, depth - 1)
    if (shape !== 'lines' && depth < rowDepth) amongRows = false
    if (depth === 0) hadRows = false
  }

  function take(last: Uint8Array): string {
    const text = Buffer.concat([...held, last]).toString('utf8')
    held = []
    heldBytes = 0
    return text
  }

  function hold(part: Uint8Array): void {
    heldBytes += part.length
    if (heldBytes > maxRowBytes) throw new RangeError('A row is larger than 1 MiB.')
    held.push(part.slice())
  }

  return {
    push(chunk) {
      const rows: string[] = []
      let begin = 0
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at] ?? 0
        if (inString) {
          if (escaped) escaped = false
          else if (byte === backslash) escaped = true
          else if (byte === quote) inString = false
        } else if (byte === quote) inString = true
        else if (byte === openBrace || byte === openBracket) {
          if (amongRows && depth === rowDepth && byte === openBrace) {
            isInRow = true
            begin = at
          }
          opened(byte)
        } else if (byte === closeBrace || byte === closeBracket) {
          closed()
          if (!isInRow || depth !== rowDepth) continue
          rows.push(take(chunk.subarray(begin, at + 1)))
          isInRow = false
          hadRows = shape === 'container'
        }
      }
      if (isInRow) hold(chunk.subarray(begin))
      return rows
    },
    end: () => depth === 0 && !inString,
  }
}
