// Numbers and layouts: <mach-o/loader.h> and <Security/CSCommon.h>, in Apple's published sources. The program's
// own numbers are little-endian, those of its signature big-endian.
const magic64 = 0xfeedfacf
const commandsAt = 32
const segmentCommand = 0x19
const signatureCommand = 0x1d

export const superBlob = 0xfade0cc0
export const codeDirectory = 0xfade0c02
export const sha256Type = 2

/** A segment, by where its command is. */
export interface Segment {
  readonly at: number
  /** Where its bytes begin in the file, and how many there are. */
  readonly start: number
  readonly size: number
}

export interface Layout {
  readonly view: DataView
  readonly segments: ReadonlyMap<string, Segment>
  /** The signature: where its command is, where it begins, and how many bytes it has. */
  readonly signature:
    | { readonly at: number; readonly start: number; readonly size: number }
    | undefined
}

/** Places in a segment's command. */
export const inSegment = { name: 8, memorySize: 32, start: 40, size: 48 }

/** Places in the signature's command. */
export const inSignature = { start: 8, size: 12 }

/** What stands where in a program for macOS; undefined: it is none of 64 bits. */
export function layoutOf(bytes: Uint8Array): Layout | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint32(0, true) !== magic64) return undefined
  const segments = new Map<string, Segment>()
  let signature: Layout['signature']
  let at = commandsAt
  for (let left = view.getUint32(16, true); left > 0; left--) {
    const command = view.getUint32(at, true)
    if (command === segmentCommand) {
      const name = new TextDecoder().decode(bytes.subarray(at + inSegment.name, at + 24))
      segments.set(name.replace(/\0+$/, ''), {
        at,
        start: Number(view.getBigUint64(at + inSegment.start, true)),
        size: Number(view.getBigUint64(at + inSegment.size, true)),
      })
    }
    if (command === signatureCommand) {
      const [start, size] = [inSignature.start, inSignature.size].map((place) =>
        view.getUint32(at + place, true),
      )
      signature = { at, start: start ?? 0, size: size ?? 0 }
    }
    at += view.getUint32(at + 4, true)
  }
  return { view, segments, signature }
}
