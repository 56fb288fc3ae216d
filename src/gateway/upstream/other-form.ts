import type { EncodeContext } from '../../protocols/canonical/codec.ts'
import { foldEvents, unfoldResponse } from '../../protocols/canonical/fold.ts'
import type { Observation } from '../../protocols/canonical/observation.ts'
import { isJsonObject, stringIn } from '../../protocols/json.ts'
import type { JsonObject } from '../../protocols/protocol.ts'
import { createSseSplitter } from '../../protocols/sse.ts'
import type { Route } from '../admit/options.ts'
import type { RequestBody } from '../body/body.ts'
import { GatewayError } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import type { FailureObserver } from '../failures/told-failure.ts'
import { decodeRequest } from '../translate/translation.ts'
import { observerOf, parseObject, showsWork } from './misread.ts'

/** An answer that came in the other form, in the one that was asked for, of the upstream's protocol. */
export interface Reformed {
  readonly bytes: Uint8Array
  /** What the upstream has told: what it is charged by. */
  readonly told: Observation
}

/**
 * Writes answers in the other form than they came in: some upstreams heed no `stream`, and what they
 * have made is paid for. Undefined: it is no whole answer, or nothing that can be put in other words.
 */
export interface OtherForm {
  /** A JSON body, where a stream was asked for. */
  streamed(bytes: Uint8Array): Reformed | undefined
  /** A stream that has come to its end, where a body was. */
  whole(bytes: Uint8Array): Reformed | undefined
}

/** For the answer to a request, as it comes from a channel of this route. */
export function otherForm(exchange: Exchange, body: RequestBody, route: Route): OtherForm {
  const { protocol, operation, framing } = route
  const { codec } = protocol

  /** What writers must know of the request. */
  function contextFor(answer: JsonObject): EncodeContext | undefined {
    if (operation !== protocol.generation || exchange.operation !== exchange.protocol.generation) {
      return undefined
    }
    const { requestId, startedAt, reservation, library } = exchange
    const model = stringIn(answer, 'model') ?? exchange.model ?? ''
    return {
      request: decodeRequest(exchange.protocol, body, model),
      ...{ requestId, model, framing, library },
      createdAt: Math.floor(startedAt / 1000),
      estimatedInputTokens: reservation?.inputTokens ?? 0,
      // A chat stream tells its usage only where it is asked to; a translation is told it so.
      body:
        exchange.protocol === protocol ? body.value() : { stream_options: { include_usage: true } },
    }
  }

  return {
    streamed: (bytes) =>
      unlessRefused(() => {
        const answer = parseObject(bytes)
        const observer = observerOf(route)
        if (!isJsonObject(answer)) return undefined
        observer.pushBody(answer)
        const context = isAnswer(observer.seen) ? contextFor(answer) : undefined
        if (context === undefined) return undefined
        const encode = codec.createEncoder(context)
        const events = unfoldResponse(codec.decodeResponse(answer, context))
        return reformed(events.map((event) => encode.push(event)).join(''), observer.seen)
      }),
    whole: (bytes) =>
      unlessRefused(() => {
        const splitter = createSseSplitter()
        const frames = [splitter.push(bytes), splitter.end()].flatMap((came) => came.frames)
        const observer = observerOf(route)
        for (const { data, event } of frames) observer.push(data, event)
        const { seen } = observer
        const context = isAnswer(seen) && seen.phase !== 'open' ? contextFor({}) : undefined
        if (context === undefined) return undefined
        const decode = codec.createDecoder(context)
        const events = frames.flatMap(({ data, event }) => decode.push(data, event))
        const response = foldEvents([...events, ...decode.end()])
        const answer = codec.encodeResponse(response, {
          ...context,
          model: response.model ?? context.model,
        })
        return reformed(JSON.stringify(answer), seen)
      }),
  }
}

const reformed = (text: string, told: Observation): Reformed => ({
  bytes: new TextEncoder().encode(text),
  told,
})

const isAnswer = (seen: Observation) =>
  showsWork(seen) && !seen.pending && seen.outcome !== undefined

/** A request that has no form between all protocols was let through to its vendor all the same. */
function unlessRefused<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof GatewayError) return undefined
    throw error
  }
}

/** Watches the answer in its new form, and counts what was told in the old one. */
export function countedBy(observer: FailureObserver, told: Observation): FailureObserver {
  const count = () => {
    const { usage, usageRaw, observed, counted, lacksInput, reportedLength } = told
    Object.assign(observer.seen, { usage, usageRaw, observed, counted, lacksInput, reportedLength })
  }
  return {
    ...observer,
    push(data, event, json) {
      const role = observer.push(data, event, json)
      count()
      return role
    },
    pushBody(body) {
      observer.pushBody(body)
      count()
    },
  }
}
