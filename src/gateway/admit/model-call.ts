import type { Framing, Operation, Protocol } from '../../protocols/protocol.ts'
import type { HttpCall } from './gatekeeper.ts'

/** What a route knows of a request before its body is read. */
export interface ModelCall extends HttpCall {
  readonly protocol: Protocol
  readonly operation: Operation
  /** Gemini names its model and whether to stream in the path. */
  readonly model?: string
  readonly stream?: boolean
  readonly framing: Framing
  /** How long the connection may be silent, in seconds; 0: for ever. */
  readonly limitSilence: (seconds: number) => void
}
