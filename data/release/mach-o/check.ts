import { ReleaseError } from '../release.ts'
import { codeDirectory, layoutOf, sha256Type, superBlob } from './layout.ts'

/**
 * Throws when a program for macOS is not signed over all of its bytes: on Apple processors the system ends such a one
 * as it starts. Checks what `codesign --verify` checks of an ad hoc signature: the hash of each page and of each part
 * that the signature holds.
 */
export function checkSignature(bytes: Uint8Array): void {
  const wrong = findFault(bytes)
  if (wrong !== undefined)
    throw new ReleaseError(`The signature of the program for macOS is invalid: ${wrong}`)
}

function findFault(bytes: Uint8Array): string | undefined {
  const layout = layoutOf(bytes)
  if (layout === undefined) return 'it is no 64-bit program'
  const { view, signature, segments } = layout
  if (signature === undefined) return 'there is none'
  const { start, size } = signature
  if (start + size !== bytes.length) return `it ends at ${start + size} of ${bytes.length} bytes`
  const last = segments.get('__LINKEDIT')
  if (last === undefined || last.start + last.size !== bytes.length)
    return 'the segment that it is in does not end with it'
  const blobs = readBlobs(view, start)
  const directory = blobs.get(0)
  if (directory === undefined) return 'it has no code directory'
  return faultOfDirectory(bytes, { view, at: directory, start, blobs })
}

/** The parts of a signature by their number: where each begins. */
function readBlobs(view: DataView, start: number): ReadonlyMap<number, number> {
  if (view.getUint32(start) !== superBlob) return new Map()
  const count = view.getUint32(start + 8)
  return new Map(
    Array.from({ length: count }, (_, at) => [
      view.getUint32(start + 12 + 8 * at),
      start + view.getUint32(start + 16 + 8 * at),
    ]),
  )
}

interface Directory {
  readonly view: DataView
  readonly at: number
  readonly start: number
  readonly blobs: ReadonlyMap<number, number>
}

function faultOfDirectory(
  bytes: Uint8Array,
  { view, at, start, blobs }: Directory,
): string | undefined {
  if (view.getUint32(at) !== codeDirectory) return 'its code directory has another form'
  const hashes = at + view.getUint32(at + 16)
  const specials = view.getUint32(at + 24)
  const pages = view.getUint32(at + 28)
  const limit = view.getUint32(at + 32)
  const hashSize = view.getUint8(at + 36)
  const pageSize = 2 ** view.getUint8(at + 39)
  if (view.getUint8(at + 37) !== sha256Type || hashSize !== 32)
    return 'its hashes are not of SHA-256'
  if (limit !== start) return `it covers ${limit} of ${start} bytes`
  if (pages !== Math.ceil(limit / pageSize)) return `it covers ${pages} pages`
  const isHash = (slot: number, of: Uint8Array) => {
    const stored = bytes.subarray(hashes + slot * hashSize, hashes + (slot + 1) * hashSize)
    return new Bun.CryptoHasher('sha256').update(of).digest().compare(stored) === 0
  }
  for (let page = 0; page < pages; page++) {
    const end = Math.min((page + 1) * pageSize, limit)
    if (!isHash(page, bytes.subarray(page * pageSize, end))) return `page ${page} has another hash`
  }
  for (const [number, place] of blobs) {
    if (number === 0 || number > specials) continue
    const blob = bytes.subarray(place, place + view.getUint32(place + 4))
    if (!isHash(-number, blob)) return `part ${number} has another hash`
  }
  return undefined
}
