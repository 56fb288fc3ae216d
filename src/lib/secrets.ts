import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { codeOf } from './failure.ts'

/** The data was sealed with another secret. */
export class OtherSecret extends Error {
  override readonly name = 'OtherSecret'
}

export interface SecretBox {
  /** Equal texts give equal hashes, which reveal nothing without the secret. */
  keyedHash(text: string): string
  /** Encrypts; the same text gives other bytes each time. */
  seal(text: string): Uint8Array
  /** Decrypts; throws when the bytes were changed or sealed with another secret. */
  open(sealed: Uint8Array): string
  /** For texts that clients store and send back. */
  readonly texts: TextSealer
  /** For a thread of this process that also seals and opens texts. */
  readonly textKeys: TextKeys
  readonly bytes: ByteSealer
}

/** Encrypts bytes with a random nonce. `owner` is authenticated but not stored. */
export interface ByteSealer {
  seal(bytes: Uint8Array, owner: string): Uint8Array
  /** Undefined for bytes of another secret or owner, or changed ones. */
  open(sealed: Uint8Array, owner: string): Uint8Array | undefined
}

/** Encrypts texts as base64url; equal texts give equal seals. */
export interface TextSealer {
  seal(text: string): string
  /** Undefined for a text of another secret, or a changed one. */
  open(sealed: string): string | undefined
}

/** Layout of sealed bytes: version, nonce, tag, ciphertext. */
const version = 1
const nonceBytes = 12
const tagBytes = 16
const headBytes = 1 + nonceBytes + tagBytes

function deriveKey(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, 'tollgate', purpose, 32))
}

export interface TextKeys {
  readonly key: Uint8Array
  readonly nonceKey: Uint8Array
}

/** Nonce, tag, ciphertext. `owner` is not stored; decryption needs the same one. */
function encrypt(key: Uint8Array, nonce: Uint8Array, plain: string | Uint8Array, owner = '') {
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  if (owner !== '') cipher.setAAD(Buffer.from(owner))
  const start = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain)
  const end = cipher.final()
  return [nonce, cipher.getAuthTag(), start, end]
}

/** Decrypts; throws for changed bytes, another key or another owner. */
function decrypt(key: Uint8Array, sealed: Uint8Array, owner = ''): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes))
  if (owner !== '') decipher.setAAD(Buffer.from(owner))
  decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes))
  const start = decipher.update(sealed.subarray(nonceBytes + tagBytes))
  return Buffer.concat([start, decipher.final()])
}

/** The nonce is a keyed hash of the text: equal texts give equal seals, others never share a nonce. */
export function createTextSealer({ key, nonceKey }: TextKeys): TextSealer {
  const hasher = new Bun.CryptoHasher('sha256', nonceKey)
  return {
    seal(text) {
      const nonce = hasher.copy().update(text).digest().subarray(0, nonceBytes)
      return Buffer.concat(encrypt(key, nonce, text)).toString('base64url')
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64url')
      // Another spelling of the same bytes is a change, too.
      if (bytes.length < nonceBytes + tagBytes || bytes.toString('base64url') !== sealed) {
        return undefined
      }
      try {
        return decrypt(key, bytes).toString('utf8')
      } catch {
        return undefined // not ours, or changed: that is an answer
      }
    },
  }
}

/** Seals with a version and a random nonce. */
const sealBytes = (key: Uint8Array, plain: string | Uint8Array, owner?: string): Uint8Array =>
  Buffer.concat([Uint8Array.of(version), ...encrypt(key, randomBytes(nonceBytes), plain, owner)])

const isSealed = (sealed: Uint8Array) => sealed[0] === version && sealed.length >= headBytes

const createByteSealer = (key: Uint8Array): ByteSealer => ({
  seal: (bytes, owner) => sealBytes(key, bytes, owner),
  open(sealed, owner) {
    if (!isSealed(sealed)) return undefined
    try {
      return decrypt(key, sealed.subarray(1), owner)
    } catch {
      return undefined // another secret's, another owner's, or changed: that is an answer
    }
  },
})

/** Derives separate keys for hashes and encryption from `secret`. */
export function createSecretBox(secret: string): SecretBox {
  // Copying a keyed hasher costs half of creating one.
  const hasher = new Bun.CryptoHasher('sha256', deriveKey(secret, 'keyed hash'))
  const sealKey = deriveKey(secret, 'seal')
  const textKeys = {
    key: deriveKey(secret, 'text seal'),
    nonceKey: deriveKey(secret, 'text seal nonce'),
  }

  return {
    texts: createTextSealer(textKeys),
    textKeys,
    bytes: createByteSealer(deriveKey(secret, 'byte seal')),
    keyedHash: (text) => hasher.copy().update(text).digest('base64url'),
    seal: (text) => new Uint8Array(sealBytes(sealKey, text)),
    open(sealed) {
      if (!isSealed(sealed)) {
        throw new Error('These bytes were not sealed by this program: the stored value is damaged.')
      }
      try {
        return decrypt(sealKey, sealed.subarray(1)).toString('utf8')
      } catch (cause) {
        throw new OtherSecret(
          'A stored key can not be opened: it was sealed with another secret. Use the secret that ' +
            'this database was made with (TOLLGATE_SECRET, or the secret file beside it).',
          { cause },
        )
      }
    },
  }
}

interface LoadedSecret {
  readonly secret: string
  readonly source: 'environment' | 'file' | 'created'
  /** A warning for the operator; null: none. */
  readonly warning: string | null
}

interface SecretPlace {
  /** The value of TOLLGATE_SECRET; empty counts as unset. */
  readonly env: string | undefined
  /** Path of the secret file that is used, and created when missing, without TOLLGATE_SECRET. */
  readonly file: string
}

const minCharacters = 16

/** Creates the file atomically; keeps one that another process created first. */
function createFile(file: string): boolean {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    const descriptor = openSync(draft, 'wx', 0o600)
    try {
      writeSync(descriptor, `${randomBytes(32).toString('base64url')}\n`)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    // The umask may have removed the owner's permissions.
    chmodSync(draft, 0o600)
    // Unlike a rename, a link never replaces an existing file.
    linkSync(draft, file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw new Error(
      `The secret file ${file} can not be made (${error}). Its directory must exist and be ` +
        'writable for this user; or set TOLLGATE_SECRET.',
      { cause: error },
    )
  } finally {
    rmSync(draft, { force: true })
  }
}

function readSecret(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw new Error(
      `The secret file ${file} can not be read (${error}). Make it readable for this user, or set ` +
        'TOLLGATE_SECRET.',
      { cause: error },
    )
  }
}

function complainOfMode(file: string): string | null {
  if (process.platform === 'win32') return null
  const mode = statSync(file).mode & 0o777
  if ((mode & 0o077) === 0) return null
  return (
    `The secret file ${file} is open to other users of this machine (mode ` +
    `${mode.toString(8).padStart(4, '0')}). Run: chmod 600 ${file}`
  )
}

/**
 * The secret of `TOLLGATE_SECRET`, else of the file, which the first start creates. Throws, with the remedy, for
 * one that is too short or unreadable.
 */
export function loadSecret({ env, file }: SecretPlace): LoadedSecret {
  if (env !== undefined && env !== '') {
    if (env.length < minCharacters) {
      throw new Error(
        `TOLLGATE_SECRET has ${env.length} characters, but needs ${minCharacters} at least. ` +
          'A good one: openssl rand -base64 32',
      )
    }
    return { secret: env, source: 'environment', warning: null }
  }
  const found = readSecret(file)
  const created = found === undefined && createFile(file)
  const secret = found ?? readSecret(file) ?? ''
  if (secret.length < minCharacters) {
    throw new Error(
      `The secret file ${file} has ${secret.length} characters, but needs ${minCharacters} at ` +
        'least. Put back the file that belongs to this database; if there is no database yet, ' +
        'remove the file, and a new one is made.',
    )
  }
  return { secret, source: created ? 'created' : 'file', warning: complainOfMode(file) }
}
