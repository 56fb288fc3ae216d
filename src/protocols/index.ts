import type { Usage } from './canonical/usage.ts'
import { chat } from './chat/index.ts'
import { gemini } from './gemini/index.ts'
import { createJsonArraySplitter } from './gemini/json-array.ts'
import { messages } from './messages/index.ts'
import type { FrameSplitter, Framing, Protocol, ProtocolName } from './protocol.ts'
import { responses } from './responses/index.ts'
import { createSseSplitter } from './sse.ts'

/*
 * The wire protocols meet in one form, `canonical`, and never know of each other. In reading order:
 *
 *   protocol.ts                              what a protocol is: operations, facts, observers, streams
 *   canonical/request.ts, answer.ts,
 *   usage.ts, codec.ts                       the form between all protocols, and who writes and reads it
 *   chat/ responses/ messages/ gemini/       one folder each, with a tour in its index.ts
 *   translation/                             what of a request another protocol takes, and what not
 *   check.ts, field-names.ts, known-parts.ts bodies that the gateway must not let pass unread
 *   request-*.ts                             what is read of every request: text, media, extras
 *   observer.ts, splitter.ts, sse.ts, json.ts streams, and members of JSON
 */

/** All protocols. A new one needs a folder, its name in `protocolNames`, and a line here. */
export const protocols: { readonly [name in ProtocolName]: Protocol } = {
  chat,
  responses,
  messages,
  gemini,
}

const isProtocol = (name: string): name is ProtocolName => Object.hasOwn(protocols, name)

/** Decodes a stored usage report; undefined without a count, or for an unknown protocol. */
export function decodeStoredUsage(protocol: string, raw: unknown): Usage | undefined {
  return isProtocol(protocol) ? protocols[protocol].decodeUsage(raw) : undefined
}

/** A splitter for a framing. */
export const createSplitter = (framing: Framing): FrameSplitter =>
  framing === 'sse' ? createSseSplitter() : createJsonArraySplitter()
