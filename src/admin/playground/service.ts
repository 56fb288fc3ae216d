import type { SignedIn } from '../access.ts'
import type { PlaygroundParams, PlaygroundQuery } from './schema.ts'

/** What somebody asks a model in the console. */
export interface PlaygroundCall extends PlaygroundParams, PlaygroundQuery {
  readonly who: SignedIn
  /** The request of the console that it came with. */
  readonly request: Request
  /** JSON in the shape of the protocol; goes on as it is. */
  readonly body: Uint8Array<ArrayBuffer>
}

/** Models, asked from the console. */
export interface Playground {
  /** The gateway's own answer; throws when the token is not the caller's. */
  ask(call: PlaygroundCall): Promise<Response>
}
