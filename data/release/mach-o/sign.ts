import { ReleaseError } from '../release.ts'
import {
  codeDirectory,
  inSegment,
  inSignature,
  layoutOf,
  type Segment,
  sha256Type,
  superBlob,
} from './layout.ts'

const pageBits = 12
const pageSize = 2 ** pageBits
const hashSize = 32
/** The version with the place of the executable segment, which is the newest that an ad hoc signature needs. */
const directoryVersion = 0x20400
const directoryHead = 88
/** Ad hoc, and replaced without asking by those who sign again: what Apple's linker writes. */
const flags = 0x20002
const isMainProgram = 1n
const headSize = 20
const memoryPage = 16_384

/** A program for macOS with an ad hoc signature over all of its bytes, in the place of the one that it has. */
export function signAdHoc(bytes: Uint8Array, name: string): Uint8Array {
  const layout = layoutOf(bytes)
  const text = layout?.segments.get('__TEXT')
  const last = layout?.segments.get('__LINKEDIT')
  const signature = layout?.signature
  if (!text || !last || !signature)
    throw new ReleaseError(
      'The program for macOS can not be signed: it has no place for a signature',
    )
  const { start } = signature
  const hashesAt = directoryHead + name.length + 1
  const directorySize = hashesAt + Math.ceil(start / pageSize) * hashSize
  const size = Math.ceil((headSize + directorySize) / 16) * 16
  const signed = new Uint8Array(start + size)
  signed.set(bytes.subarray(0, start))
  const view = new DataView(signed.buffer)
  enlarge(view, { signatureAt: signature.at, last, start, size })
  put(view, start, [superBlob, headSize + directorySize, 1, 0, headSize])
  writeDirectory(signed, { at: start + headSize, start, name, directorySize, text })
  return signed
}

/** The signature is the end of the last segment. Both commands are part of what is signed. */
function enlarge(
  view: DataView,
  {
    signatureAt,
    last,
    start,
    size,
  }: { signatureAt: number; last: Segment; start: number; size: number },
): void {
  const lastSize = start + size - last.start
  view.setUint32(signatureAt + inSignature.size, size, true)
  view.setBigUint64(last.at + inSegment.size, BigInt(lastSize), true)
  const inMemory = Math.ceil(lastSize / memoryPage) * memoryPage
  view.setBigUint64(last.at + inSegment.memorySize, BigInt(inMemory), true)
}

interface Directory {
  readonly at: number
  readonly start: number
  readonly name: string
  readonly directorySize: number
  readonly text: Segment
}

function writeDirectory(
  signed: Uint8Array,
  { at, start, name, directorySize, text }: Directory,
): void {
  const view = new DataView(signed.buffer)
  const hashesAt = directoryHead + name.length + 1
  const pages = Math.ceil(start / pageSize)
  const head = [codeDirectory, directorySize, directoryVersion, flags, hashesAt, directoryHead]
  put(view, at, [...head, 0, pages, start])
  signed.set([hashSize, sha256Type, 0, pageBits], at + 36)
  view.setBigUint64(at + 64, BigInt(text.start))
  view.setBigUint64(at + 72, BigInt(text.size))
  view.setBigUint64(at + 80, isMainProgram)
  signed.set(new TextEncoder().encode(name), at + directoryHead)
  for (let page = 0; page < pages; page++) {
    const end = Math.min((page + 1) * pageSize, start)
    const hash = new Bun.CryptoHasher('sha256')
      .update(signed.subarray(page * pageSize, end))
      .digest()
    signed.set(hash, at + hashesAt + page * hashSize)
  }
}

const put = (view: DataView, at: number, values: readonly number[]) => {
  for (const [index, value] of values.entries()) view.setUint32(at + 4 * index, value)
}
