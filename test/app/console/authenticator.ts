import {
  createHash,
  createPrivateKey,
  createSign,
  generateKeyPairSync,
  randomBytes,
} from 'node:crypto'

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest()
const base64url = (data: Uint8Array | string) => Buffer.from(data).toString('base64url')

/** The few kinds of CBOR that an authenticator writes (RFC 8949). */
function cbor(value: unknown): Buffer {
  const head = (major: number, size: number) => {
    if (size < 24) return Buffer.of((major << 5) | size)
    if (size < 256) return Buffer.of((major << 5) | 24, size)
    return Buffer.of((major << 5) | 25, size >> 8, size & 255)
  }
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, value.length), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  if (!(value instanceof Map)) throw new Error('This is not written in CBOR here.')
  const items = [...value].flatMap(([key, item]) => [cbor(key), cbor(item)])
  return Buffer.concat([head(5, value.size), ...items])
}

/** Options as the console's API gives them. */
export interface AskedOptions {
  readonly challenge: string
}

/** A passkey that is there already. */
interface KeptPasskey {
  readonly key: { readonly [name: string]: string }
  /** In base64url. */
  readonly id: string
  readonly counter: number
}

/** A passkey in software (WebAuthn, ES256), that has checked who holds it. */
export function createAuthenticator(origin: string, kept?: KeptPasskey) {
  const privateKey = kept
    ? createPrivateKey({ key: kept.key, format: 'jwk' })
    : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const { x = '', y = '' } = privateKey.export({ format: 'jwk' })
  const id = kept ? Buffer.from(kept.id, 'base64url') : randomBytes(16)
  let counter = kept?.counter ?? 0

  const clientData = (type: string, { challenge }: AskedOptions) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))

  /** Present and verified; with the key itself when it is new. */
  function authenticatorData(credential: Uint8Array = new Uint8Array()) {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(++counter)
    const flags = Buffer.of(credential.length > 0 ? 0x45 : 0x05)
    return Buffer.concat([sha256(new URL(origin).hostname), flags, count, credential])
  }

  const answer = (response: object) => ({
    ...{ id: base64url(id), rawId: base64url(id), type: 'public-key' },
    clientExtensionResults: {},
    response,
  })

  return {
    /** `more`: further fields of the key. */
    register(options: AskedOptions, more: readonly (readonly [number, unknown])[] = []) {
      const key = new Map<number, unknown>([
        ...([
          [1, 2],
          [3, -7],
          [-1, 1],
        ] as const),
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
        ...more,
      ])
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.of(0, id.length), id, cbor(key)])
      const attestation = new Map<string, unknown>([
        ...([
          ['fmt', 'none'],
          ['attStmt', new Map()],
        ] as const),
        ['authData', authenticatorData(credential)],
      ])
      return answer({
        clientDataJSON: base64url(clientData('webauthn.create', options)),
        attestationObject: base64url(cbor(attestation)),
        transports: ['internal'],
      })
    },
    authenticate(options: AskedOptions) {
      const client = clientData('webauthn.get', options)
      const data = authenticatorData()
      const signer = createSign('sha256').update(Buffer.concat([data, sha256(client)]))
      return answer({
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(signer.sign(privateKey)),
      })
    },
  }
}
