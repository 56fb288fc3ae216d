import type { ClientStream, HeartbeatPlace } from '../protocol.ts'
import { type ClientLibrary, clientLibrary } from './client-library.ts'

/**
 * A chunk that holds nothing: Gemini's clients read nothing but data, and break on a comment. What leaves the
 * next turn of a chat whole is not the same for all of them. Seen with each:
 *
 * - `sdk`: a thought that is a space. Python (1.10 to 3.6) and JS forget a turn with a chunk of no candidates,
 *   no parts or an empty text; Go 1.30 to 1.50 one with a part of no text. All keep a thought, show it as
 *   none of the text, and send it back as one. Go before 1.30 remembers no streamed turn at all.
 * - `legacy-js`: no candidates. `@google/generative-ai` forgets a turn with an empty text, and would show a
 *   thought as text; LangChain JS would keep it as a part of the message.
 * - `other`: an empty text, at the place where whoever reads by hand looks for one. The AI SDK skips it.
 *
 * Between the elements of a streamed array a space does it. Before them it is the array's own bracket, for
 * `google-api-core` takes nothing else there.
 */
export function geminiHeartbeat(
  { framing, library }: ClientStream,
  { isFirst, note }: HeartbeatPlace,
): string {
  if (framing === 'json-array') return isFirst ? '[' : '\n'
  const told = note === undefined ? '' : `,"gatewayNote":${JSON.stringify(note)}`
  return `data: {"candidates":[${candidates[clientLibrary(library)]}]${told}}\r\n\r\n`
}

const candidate = (part: string) => `{"content":{"parts":[${part}],"role":"model"},"index":0}`

const candidates: Readonly<Record<ClientLibrary, string>> = {
  sdk: candidate('{"text":" ","thought":true}'),
  'legacy-js': '',
  other: candidate('{"text":""}'),
}
