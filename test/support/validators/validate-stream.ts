import type { ProtocolName } from '../../../src/protocols/protocol.ts'
import { validateChat } from './chat.ts'
import { validateChatBody } from './chat-shape.ts'
import { validateGemini } from './gemini.ts'
import { validateGeminiBody } from './gemini-shape.ts'
import { validateMessages } from './messages.ts'
import { validateMessagesBody } from './messages-shape.ts'
import { validateResponses } from './responses.ts'
import { validateResponsesBody } from './responses-shape.ts'
import type { StreamOptions } from './shared.ts'

const validators = {
  chat: { stream: validateChat, body: validateChatBody },
  responses: { stream: validateResponses, body: validateResponsesBody },
  messages: { stream: validateMessages, body: validateMessagesBody },
  gemini: { stream: validateGemini, body: validateGeminiBody },
} as const

/** What a vendor would not send, of a whole stream as its client gets it; empty: it is valid. */
export function validateStream(
  protocol: ProtocolName,
  text: string,
  options: StreamOptions = {},
): readonly string[] {
  return validators[protocol].stream(text, options)
}

/** The same of the parsed body of an unstreamed answer with status 200. */
export function validateBody(protocol: ProtocolName, body: unknown): readonly string[] {
  return validators[protocol].body(body)
}
