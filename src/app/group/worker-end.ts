import { packError } from '../../store/keeper/errors.ts'
import { FrameReader, FrameWriter, mostFrameBytes } from '../../store/keeper/frames.ts'
import {
  type Hello,
  kinds,
  pack,
  packCommitted,
  parseJson,
  type ResultFrame,
  unpack,
} from '../../store/keeper/messages.ts'
import { createNonce, isProof, proofOf } from '../../store/keeper/proof.ts'
import type { Committed } from '../../store/ports/records.ts'

/** The longest frame of a peer that has not shown who it is. */
const mostGreetingBytes = 1_024
/** How many beats it may take to say who it is. */
const mostStrangeBeats = 5
/** A worker that reads nothing is cut off when so much waits for it; it connects again. */
const mostWaitingBytes = 256 * 1024 * 1024

export interface EndListener {
  onHello(end: WorkerEnd, hello: Hello): void
  onFrame(end: WorkerEnd, kind: number, body: Buffer): void
  onClose(end: WorkerEnd): void
  /** What a known worker has sent could not be taken; its connection is closed. */
  onFault(end: WorkerEnd, error: unknown): void
}

/** The keeper's end of one worker's link. */
export class WorkerEnd {
  /** How many beats have passed since it was last heard. */
  silentBeats = 0
  readonly #socket: Bun.Socket<WorkerEnd | undefined>
  readonly #writer: FrameWriter
  readonly #reader: FrameReader
  readonly #listener: EndListener
  readonly #secret: string
  readonly #nonce = createNonce()
  #workerNonce: string | undefined
  #strangeBeats = 0
  #state: 'strange' | 'proven' | 'known' | 'closed' = 'strange'

  constructor(socket: Bun.Socket<WorkerEnd | undefined>, secret: string, listener: EndListener) {
    this.#socket = socket
    this.#secret = secret
    this.#listener = listener
    this.#writer = new FrameWriter(socket)
    this.#reader = new FrameReader((kind, body) => this.#frame(kind, body), mostGreetingBytes)
  }

  /** What has arrived; what is no frame ends the connection. */
  receive(chunk: Buffer): void {
    this.silentBeats = 0
    try {
      if (this.#state !== 'closed') this.#reader.push(chunk)
    } catch (error) {
      if (this.#isTrusted()) this.#listener.onFault(this, error)
      this.close()
    }
  }

  /** Ends the connection of a peer that has not said who it is, after some beats. */
  expectHello(): void {
    this.#strangeBeats++
    if (this.#state !== 'known' && this.#strangeBeats > mostStrangeBeats) this.close()
  }

  drained(): void {
    this.#writer.drained()
  }

  json(kind: number, message: unknown): void {
    this.#writer.text(kind, JSON.stringify(message))
    this.#checkWaiting()
  }

  packed(kind: number, message: unknown): void {
    this.#writer.bytes(kind, pack(message))
    this.#checkWaiting()
  }

  done(no: number, committed: Committed): void {
    this.json(kinds.done, [no, packCommitted(committed)])
    this.#writer.flush()
  }

  failed(no: number, error: unknown): void {
    this.json(kinds.done, [no, null, packError(error)])
  }

  result(isQuick: boolean, result: ResultFrame): void {
    if (isQuick) this.json(kinds.quickResult, result)
    else this.packed(kinds.result, result)
  }

  close(): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#writer.close()
    this.#socket.terminate()
    this.#listener.onClose(this)
  }

  #isTrusted(): boolean {
    return this.#state === 'proven' || this.#state === 'known'
  }

  #checkWaiting(): void {
    if (this.#writer.waitingBytes() > mostWaitingBytes) this.close()
  }

  #frame(kind: number, body: Buffer): void {
    if (this.#state === 'known') this.#listener.onFrame(this, kind, body)
    else if (this.#state === 'proven') this.#hello(kind, body)
    else if (this.#state === 'strange') this.#greeted(kind, body)
  }

  #greeted(kind: number, body: Buffer): void {
    const said = parseJson<unknown>(body)
    if (typeof said !== 'string') throw new Error('The peer does not greet.')
    if (kind === kinds.greet && this.#workerNonce === undefined) {
      this.#workerNonce = said
      this.json(kinds.prove, [this.#nonce, proofOf('keeper', this.#secret, [said, this.#nonce])])
      return
    }
    const nonces = [this.#workerNonce ?? '', this.#nonce] as const
    if (kind !== kinds.proof || !isProof(said, proofOf('worker', this.#secret, nonces)))
      throw new Error('The peer does not know the secret.')
    this.#state = 'proven'
    this.#reader.mostBytes = mostFrameBytes
  }

  #hello(kind: number, body: Buffer): void {
    if (kind !== kinds.hello) throw new Error('The peer does not say who it is.')
    const hello = unpack<Hello>(body)
    this.#state = 'known'
    this.#listener.onHello(this, hello)
  }
}
