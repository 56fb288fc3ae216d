/**
 * Frames of the link between a worker and the keeper: `u32 length` (big endian, of what follows),
 * `u8 kind`, body.
 */

const headBytes = 5
const lengthBytes = 4
const firstBytes = 64 * 1024
/** A larger buffer is given back once it is sent. */
const keptBytes = 1024 * 1024
/** A string's character has at most so many bytes in UTF-8. */
const bytesPerCharacter = 3

/** What a frame may hold at most: the largest stored answers pass. */
export const mostFrameBytes = 1024 * 1024 * 1024

interface Outlet {
  /** How many bytes it took; below 0: it is closed. */
  write(data: Uint8Array): number
}

/** Collects frames, and writes those of one turn of the event loop at once. */
export class FrameWriter {
  readonly #outlet: Outlet
  #buffer = Buffer.allocUnsafe(firstBytes)
  #from = 0
  #end = 0
  #planned: ReturnType<typeof setImmediate> | undefined
  #isFull = false
  #isClosed = false

  constructor(outlet: Outlet) {
    this.#outlet = outlet
  }

  waitingBytes(): number {
    return this.#end - this.#from
  }

  text(kind: number, text: string): void {
    if (this.#isClosed) return
    this.#makeRoom(headBytes + text.length * bytesPerCharacter)
    const written = this.#buffer.write(text, this.#end + headBytes)
    this.#close(kind, written)
  }

  bytes(kind: number, body: Uint8Array): void {
    if (this.#isClosed) return
    this.#makeRoom(headBytes + body.byteLength)
    this.#buffer.set(body, this.#end + headBytes)
    this.#close(kind, body.byteLength)
  }

  /** Writes now, as far as the peer takes it. */
  flush(): void {
    clearImmediate(this.#planned)
    this.#planned = undefined
    if (!this.#isFull) this.#write()
  }

  /** The peer takes more. */
  drained(): void {
    this.#isFull = false
    this.#write()
  }

  close(): void {
    this.#isClosed = true
    clearImmediate(this.#planned)
    this.#buffer = Buffer.alloc(0)
    this.#from = this.#end = 0
  }

  #close(kind: number, bodyBytes: number): void {
    this.#buffer.writeUInt32BE(bodyBytes + 1, this.#end)
    this.#buffer[this.#end + lengthBytes] = kind
    this.#end += headBytes + bodyBytes
    this.#planned ??= setImmediate(() => this.flush())
  }

  #makeRoom(bytes: number): void {
    if (this.#end + bytes <= this.#buffer.byteLength) return
    const waiting = this.#buffer.subarray(this.#from, this.#end)
    const needed = waiting.byteLength + bytes
    const larger = needed <= this.#buffer.byteLength ? this.#buffer : Buffer.allocUnsafe(needed * 2)
    larger.set(waiting)
    this.#buffer = larger
    this.#end = waiting.byteLength
    this.#from = 0
  }

  #write(): void {
    if (this.#from === this.#end) return
    const taken = this.#outlet.write(this.#buffer.subarray(this.#from, this.#end))
    this.#from += Math.max(0, taken)
    this.#isFull = this.#from < this.#end
    if (this.#isFull) return
    this.#from = this.#end = 0
    if (this.#buffer.byteLength > keptBytes) this.#buffer = Buffer.allocUnsafe(firstBytes)
  }
}

/** A peer that sends what is no frame, or a frame that is too large. */
export class FrameError extends Error {
  override readonly name = 'FrameError'
}

/** Cuts what arrives into frames. The body is valid during the call only. */
export class FrameReader {
  /** The longest frame; a peer that has not shown who it is may send short ones only. */
  mostBytes: number
  readonly #onFrame: (kind: number, body: Buffer) => void
  #parts: Buffer[] = []
  #bytes = 0
  #wanted = headBytes

  constructor(onFrame: (kind: number, body: Buffer) => void, mostBytes: number) {
    this.#onFrame = onFrame
    this.mostBytes = mostBytes
  }

  /** Throws a `FrameError`; what the frames' receiver throws passes, too. */
  push(chunk: Buffer): void {
    if (this.#bytes === 0) {
      this.#read(chunk)
      return
    }
    this.#parts.push(chunk)
    this.#bytes += chunk.byteLength
    if (this.#bytes < this.#wanted) return
    const joined = Buffer.concat(this.#parts, this.#bytes)
    this.#parts = []
    this.#bytes = 0
    this.#read(joined)
  }

  #read(data: Buffer): void {
    let at = 0
    while (data.byteLength - at >= headBytes) {
      const length = data.readUInt32BE(at)
      if (length < 1 || length > this.mostBytes) {
        throw new FrameError(`A frame of ${length} bytes, and ${this.mostBytes} are allowed.`)
      }
      const end = at + lengthBytes + length
      if (end > data.byteLength) break
      this.#onFrame(data[at + lengthBytes] ?? 0, data.subarray(at + headBytes, end))
      at = end
    }
    if (at === data.byteLength) return
    const rest = data.subarray(at)
    this.#parts.push(rest)
    this.#bytes = rest.byteLength
    this.#wanted = rest.byteLength < headBytes ? headBytes : lengthBytes + rest.readUInt32BE(0)
  }
}
