import type { JsonObject, ProtocolName } from '../../../../src/protocols/protocol.ts'
import {
  jsonAnswer,
  type SeenRequest,
  sseAnswer,
  startFakeUpstream,
} from '../../../support/fake-upstream.ts'
import type { Asked, Cast, Counts, Play, Reply, Turn } from '../conversation.ts'
import { findPlay } from '../script.ts'
import { need, Violation } from '../wire.ts'

/** A vendor's wire format: how it reads requests, as strictly as the vendor, and how it answers. */
export interface Vendor extends Cast {
  readonly protocol: ProtocolName
  /** What every answer says it used. */
  readonly told: Counts
  /** Throws the violation of a request that the vendor would not take. */
  read(request: SeenRequest): Asked
  whole(reply: Reply, asked: Asked): JsonObject
  stream(reply: Reply, asked: Asked): Frames
  /** The body of an error status. */
  fault(status: number, message: string): JsonObject
  /** The frame of an error inside of a stream. */
  streamFault(message: string): string
}

/** A stream's frames; `tail` is how many of them come behind the last words. */
export interface Frames {
  readonly frames: readonly string[]
  readonly tail: number
}

/** A vendor that answers on a port of its own. */
export interface RunningVendor {
  readonly vendor: Vendor
  readonly url: string
  /** Whatever the vendor would have refused, in its words. */
  readonly violations: string[]
  /** The last request that it took. */
  last(): { readonly asked: Asked; readonly seen: SeenRequest }
  requests(): number
  stop(): Promise<void>
}

/** Plays the script on a vendor's wire. What is not valid there is refused, and remembered. */
export function startVendor(vendor: Vendor): RunningVendor {
  const violations: string[] = []
  let last: { asked: Asked; seen: SeenRequest } | undefined
  const fake = startFakeUpstream((seen) => {
    try {
      const asked = vendor.read(seen)
      needPairs(asked.turns)
      last = { asked, seen }
      return perform(vendor, findPlay(asked, vendor), asked)
    } catch (error) {
      if (!(error instanceof Violation)) violations.push(String(error))
      else violations.push(`${error.message}\n${seen.text().slice(0, 4000)}`)
      return jsonAnswer(vendor.fault(400, String(error)), 400)
    }
  })
  return {
    vendor,
    url: fake.url,
    violations,
    last() {
      if (last === undefined) throw new Error(`No valid request has come by ${vendor.protocol}.`)
      return last
    },
    requests: () => fake.requests.length,
    stop: () => fake.stop(),
  }
}

/** All vendors: turns alternate, every call is answered in the next turn, and nothing else is. */
function needPairs(turns: readonly Turn[]): void {
  need(turns[0]?.role === 'user', 'the first turn is not the user’s')
  let open: string[] = []
  for (const [index, { role, pieces }] of turns.entries()) {
    need(turns[index - 1]?.role !== role, `turn ${index} has the role of the one before it`)
    const found = pieces.flatMap((piece) => (piece.type === 'result' ? [piece.callId] : []))
    need(found.join() === open.join(), `results of ${found}, behind calls ${open}`)
    open = pieces.flatMap((piece) => (piece.type === 'call' ? [piece.id] : []))
  }
  need(open.length === 0, `no results of ${open}`)
  need(turns.at(-1)?.role === 'user', 'the last turn is not the user’s')
}

function perform(vendor: Vendor, play: Play, asked: Asked): Response {
  if (play.kind === 'fault') {
    const headers: Record<string, string> = play.status === 429 ? { 'retry-after': '7' } : {}
    return jsonAnswer(vendor.fault(play.status, play.message), play.status, headers)
  }
  if (!asked.stream) return jsonAnswer(vendor.whole(play, asked))
  const { frames, tail } = vendor.stream(play, asked)
  if (play.kind === 'breaks') {
    const begun = frames.slice(0, frames.length - tail)
    return sseAnswer([...begun, vendor.streamFault(play.message)].join(''))
  }
  return play.kind === 'slow' ? paced(frames) : sseAnswer(frames.join(''), { cuts: { seed: 7 } })
}

/** A frame every few milliseconds. */
function paced(frames: readonly string[]): Response {
  async function* body() {
    for (const frame of frames) {
      yield new TextEncoder().encode(frame)
      await Bun.sleep(5)
    }
  }
  return new Response(body(), { headers: { 'content-type': 'text/event-stream' } })
}

/** A text as a stream gives it: in pieces, some of which begin with a space. */
export const words = (text: string): readonly string[] => text.match(/\s?\S+\s*?|\s+/g) ?? []

/** The frame of an event with a name. */
export const namedFrame = (event: JsonObject) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
