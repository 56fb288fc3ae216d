import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'

// Signatures as the program minisign makes them: https://jedisct1.github.io/minisign/#signature-format

const algorithmBytes = 2
const idBytes = 8
const keyBytes = 32
const signatureBytes = 64

/** What comes before the 32 bytes of an Ed25519 public key in DER (RFC 8410). */
const spkiHead = Buffer.from('302a300506032b6570032100', 'hex')

export interface MinisignKey {
  /** Names the key in signatures. */
  readonly id: Buffer
  readonly key: KeyObject
}

/** Reads a public key: its second line. Undefined: it is none. */
export function parseMinisignKey(line: string): MinisignKey | undefined {
  const bytes = bytesOf(line, algorithmBytes + idBytes + keyBytes)
  if (bytes?.subarray(0, algorithmBytes).toString() !== 'Ed') return undefined
  const id = bytes.subarray(algorithmBytes, algorithmBytes + idBytes)
  const der = Buffer.concat([spkiHead, bytes.subarray(algorithmBytes + idBytes)])
  return { id, key: createPublicKey({ key: der, format: 'der', type: 'spki' }) }
}

/** The content's hash, which is what is signed. */
export const minisignHash = (content: Uint8Array): Buffer =>
  createHash('blake2b512').update(content).digest()

const trusted = 'trusted comment: '

/** What is wrong with a signature (the text of a `.minisig`) of a content; undefined: nothing. */
export function complainOfSignature(
  content: Uint8Array,
  text: string,
  { id, key }: MinisignKey,
): string | undefined {
  const [, line = '', comment = '', ofComment = ''] = text.split(/\r?\n/)
  const bytes = bytesOf(line, algorithmBytes + idBytes + signatureBytes)
  const whole = bytesOf(ofComment, signatureBytes)
  // "Ed", which signs the content instead of its hash, is what minisign made before 2019.
  if (
    bytes?.subarray(0, algorithmBytes).toString() !== 'ED' ||
    !whole ||
    !comment.startsWith(trusted)
  )
    return 'is not a signature of minisign'
  const by = bytes.subarray(algorithmBytes, algorithmBytes + idBytes)
  if (!by.equals(id)) return `is of the key ${nameOf(by)}, not of ${nameOf(id)}`
  const signature = bytes.subarray(algorithmBytes + idBytes)
  const signed = Buffer.concat([signature, Buffer.from(comment.slice(trusted.length))])
  const isRight =
    verify(null, minisignHash(content), key, signature) && verify(null, signed, key, whole)
  return isRight ? undefined : 'does not fit: the file was changed after it was signed'
}

/** A key's name, as minisign writes it. */
export const nameOf = (id: Buffer): string =>
  Buffer.from(id).reverse().toString('hex').toUpperCase()

function bytesOf(line: string, length: number): Buffer | undefined {
  const bytes = Buffer.from(line.trim(), 'base64')
  return bytes.length === length ? bytes : undefined
}
