import { encodeComment } from '../comment.ts'
import type { ClientStream, HeartbeatPlace } from '../protocol.ts'

/**
 * The vendor's own event for silence, which may come anywhere in a stream. Source: Anthropic's "Streaming
 * messages". A note is a comment.
 */
export function messagesHeartbeat(stream: ClientStream, { note }: HeartbeatPlace): string {
  return note === undefined ? ping : encodeComment(note, stream)
}

const ping = 'event: ping\ndata: {"type": "ping"}\n\n'
