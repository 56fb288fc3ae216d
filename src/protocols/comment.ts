import type { ClientStream, HeartbeatPlace } from './protocol.ts'

/**
 * A comment of an event stream. openai-go up to 2 takes the empty line behind one for an event without
 * data, and fails: it gets none, for the next event ends the comment as well.
 */
export function encodeComment(text: string, { library }: Pick<ClientStream, 'library'>): string {
  return `: ${text}\n${library.includes('OpenAI/Go ') ? '' : '\n'}`
}

/** The heartbeat of OpenAI's protocols, which have no event that says nothing. */
export function commentHeartbeat(stream: ClientStream, { note }: HeartbeatPlace): string {
  return encodeComment(note ?? 'keep-alive', stream)
}
