import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import { minisignHash, nameOf } from '../../src/lib/minisign.ts'
import { ReleaseError } from './release.ts'

// Keys and signatures as minisign makes them (`minisign -G -W`: its secret key has no password).

/** What comes before the 32 bytes of an Ed25519 secret key in DER (RFC 8410). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex')
const saltAndLimitsBytes = 48
const at = { id: 54, secret: 62, public: 94, checksum: 126, end: 158 }

export interface SecretKey {
  readonly id: Buffer
  readonly key: KeyObject
}

/** A secret key that minisign itself can use, and this can't. */
export class PasswordError extends ReleaseError {}

/** Makes a pair of keys, as the texts of two files. */
export function makeKeys(): { readonly publicKey: string; readonly secretKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(pkcs8Head.length)
  const bytes = publicBytes(publicKey)
  const id = randomBytes(8)
  const secret = Buffer.concat([id, seed, bytes])
  const whole = Buffer.concat([
    Buffer.from('Ed\0\0B2'),
    Buffer.alloc(saltAndLimitsBytes),
    secret,
    checksumOf(secret),
  ])
  return {
    publicKey: fileOf(`minisign public key ${nameOf(id)}`, publicLine({ id, key: privateKey })),
    secretKey: fileOf('minisign secret key', whole.toString('base64')),
  }
}

const fileOf = (comment: string, line: string) => `untrusted comment: ${comment}\n${line}\n`

/** The public key of a secret one, as the second line of its file. */
export const publicLine = ({ id, key }: SecretKey): string =>
  Buffer.concat([Buffer.from('Ed'), id, publicBytes(createPublicKey(key))]).toString('base64')

const publicBytes = (key: KeyObject) => key.export({ format: 'der', type: 'spki' }).subarray(-32)

const checksumOf = (secret: Buffer) =>
  new Bun.CryptoHasher('blake2b256').update(Buffer.from('Ed')).update(secret).digest()

/** Reads a secret key: the text of its file, or the line of it that is none of words. Throws when it is none. */
export function readSecretKey(text: string): SecretKey {
  const line = text.trim().split('\n').at(-1) ?? ''
  const bytes = Buffer.from(line, 'base64')
  if (bytes.length !== at.end || bytes.subarray(0, 2).toString() !== 'Ed')
    throw new ReleaseError('This is no secret key of minisign.')
  if (bytes.readUInt16LE(2) !== 0) throw new PasswordError('This secret key has a password')
  const der = Buffer.concat([pkcs8Head, bytes.subarray(at.secret, at.public)])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  // minisign leaves the checksum of a key without a password out.
  if (!publicBytes(createPublicKey(key)).equals(bytes.subarray(at.public, at.checksum)))
    throw new ReleaseError('This secret key is damaged.')
  return { id: bytes.subarray(at.id, at.secret), key }
}

/** The text of the `.minisig` of a content. */
export function signatureOf(content: Uint8Array, { id, key }: SecretKey, comment: string): string {
  const signature = sign(null, minisignHash(content), key)
  const whole = sign(null, Buffer.concat([signature, Buffer.from(comment)]), key)
  return [
    `untrusted comment: signature of the key ${nameOf(id)}`,
    Buffer.concat([Buffer.from('ED'), id, signature]).toString('base64'),
    `trusted comment: ${comment}`,
    `${whole.toString('base64')}\n`,
  ].join('\n')
}
