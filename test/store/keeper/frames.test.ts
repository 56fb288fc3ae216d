import { describe, expect, test } from 'bun:test'
import { FrameError, FrameReader, FrameWriter } from '../../../src/store/keeper/frames.ts'

type Frame = readonly [kind: number, text: string]

/** What arrives when everything is written in pieces of this size. */
function through(frames: readonly Frame[], pieceBytes: number): readonly Frame[] {
  const pieces: Buffer[] = []
  const outlet = {
    write(data: Uint8Array) {
      const taken = Math.min(data.byteLength, pieceBytes)
      pieces.push(Buffer.from(data.subarray(0, taken)))
      return taken
    },
  }
  const writer = new FrameWriter(outlet)
  for (const [kind, text] of frames) writer.text(kind, text)
  writer.flush()
  while (writer.waitingBytes() > 0) writer.drained()
  const found: Frame[] = []
  const reader = new FrameReader((kind, body) => found.push([kind, body.toString()]), 1_000_000)
  for (const piece of pieces) reader.push(piece)
  return found
}

const frames: readonly Frame[] = [
  [1, ''],
  [2, 'x'],
  [3, '官转·稳定 🎉 \ud800'],
  [255, 'y'.repeat(100_000)],
  [4, '{"a":1}'],
]
const asRead = frames.map(([kind, text]): Frame => [kind, Buffer.from(text).toString()])

describe('frames', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 11, 4_096, 65_536, 1_000_000])(
    'come as they were sent, %d bytes at a time',
    (pieceBytes) => {
      expect(through(frames, pieceBytes)).toEqual(asRead)
    },
  )

  test('of one turn of the event loop are one write', async () => {
    const sizes: number[] = []
    const writer = new FrameWriter({
      write(data) {
        sizes.push(data.byteLength)
        return data.byteLength
      },
    })
    for (let at = 0; at < 100; at++) writer.text(1, 'x')
    expect(sizes).toEqual([])
    await new Promise<void>((resolve) => setImmediate(resolve))
    expect(sizes).toEqual([600])
  })

  test('wait for a peer that takes no more, and go on when it does', () => {
    const taken: string[] = []
    let room = 3
    const writer = new FrameWriter({
      write(data) {
        const some = Math.min(room, data.byteLength)
        taken.push(Buffer.from(data.subarray(0, some)).toString('latin1'))
        return some
      },
    })
    writer.text(65, 'abc')
    writer.flush()
    writer.text(66, 'd')
    writer.flush()
    expect(taken.join('')).toBe('\0\0\0')
    expect(writer.waitingBytes()).toBe(11)
    room = 100
    writer.drained()
    expect(taken.join('')).toBe('\0\0\0\x04Aabc\0\0\0\x02Bd')
  })

  test('are not sent any more to a peer that is gone', () => {
    const writer = new FrameWriter({ write: () => -1 })
    writer.text(1, 'x')
    writer.flush()
    writer.close()
    writer.text(1, 'x')
    writer.bytes(1, Uint8Array.of(1))
    writer.flush()
    expect(writer.waitingBytes()).toBe(0)
  })

  test.each([
    ['too long', [0, 0, 4, 1, 9]],
    ['far too long', [255, 255, 255, 255, 9]],
    ['without a kind', [0, 0, 0, 0, 9]],
  ])('that are %s are refused before they are read', (_, bytes) => {
    const reader = new FrameReader(() => {}, 1_024)
    expect(() => reader.push(Buffer.from(bytes))).toThrow(FrameError)
  })
})
