import { decodeUsage } from './canonical/raw-usage.ts'
import type { Usage } from './canonical/usage.ts'
import { chatReports } from './chat/usage.ts'
import { geminiReports } from './gemini/usage.ts'
import { messagesReports } from './messages/usage.ts'
import type { ProtocolName } from './protocol.ts'
import { responsesReports } from './responses/usage.ts'

const decoders: { readonly [name in ProtocolName]: (raw: unknown) => Usage | undefined } = {
  chat: (raw) => decodeUsage(raw, chatReports),
  responses: (raw) => decodeUsage(raw, responsesReports),
  messages: (raw) => decodeUsage(raw, messagesReports),
  gemini: (raw) => decodeUsage(raw, geminiReports),
}

const isProtocol = (name: string): name is ProtocolName => Object.hasOwn(decoders, name)

/**
 * What the usage that an observer kept amounts to, read again from its record; undefined when it
 * has no count in it, or when there is no such protocol.
 */
export function decodeStoredUsage(protocol: string, raw: unknown): Usage | undefined {
  return isProtocol(protocol) ? decoders[protocol](raw) : undefined
}
