import { FrameReader, FrameWriter, mostFrameBytes } from './frames.ts'
import { type Hello, kinds, pack, parseJson } from './messages.ts'
import { createNonce, isProof, proofOf } from './proof.ts'

export interface ConnectionParts {
  /** An abstract Unix socket: `\0…`. */
  readonly address: string
  readonly secret: string
  readonly hello: () => Hello
  /** All that comes once both ends have shown who they are. */
  readonly onFrame: (kind: number, body: Buffer) => void
  /** Once, with the reason. */
  readonly onClose: (reason: string) => void
}

export interface Connection {
  readonly writer: FrameWriter
  close(reason: string): void
}

/** Makes a connection to the keeper and says hello. Rejects when there is nobody at its address. */
export async function connectTo(parts: ConnectionParts): Promise<Connection> {
  const { address, secret, hello, onFrame, onClose } = parts
  const nonce = createNonce()
  let isProven = false
  let isOpen = true
  let socket: Bun.Socket | undefined
  const writer = new FrameWriter({ write: (data) => socket?.write(data) ?? 0 })

  function receive(kind: number, body: Buffer): void {
    if (isProven) onFrame(kind, body)
    else proven(kind, body)
  }

  function proven(kind: number, body: Buffer): void {
    const [theirs, proof] = parseJson<[string, string]>(body)
    const nonces = [nonce, theirs] as const
    if (kind !== kinds.prove || !isProof(proof, proofOf('keeper', secret, nonces)))
      throw new Error('another program answers at the address of the keeper')
    isProven = true
    writer.text(kinds.proof, JSON.stringify(proofOf('worker', secret, nonces)))
    writer.bytes(kinds.hello, pack(hello()))
    writer.flush()
  }

  function close(reason: string): void {
    if (!isOpen) return
    isOpen = false
    writer.close()
    socket?.terminate()
    onClose(reason)
  }

  const reader = new FrameReader(receive, mostFrameBytes)
  socket = await Bun.connect({
    unix: address,
    socket: {
      data(_, chunk) {
        if (!isOpen) return
        try {
          reader.push(chunk)
        } catch (error) {
          close(String(error))
        }
      },
      drain: () => writer.drained(),
      close: () => close('the keeper has closed the connection'),
      error: (_, error) => close(String(error)),
    },
  })
  writer.text(kinds.greet, JSON.stringify(nonce))
  writer.flush()
  return { writer, close }
}
