import { createPlainObserver } from '../plain-observer.ts'
import type { Operation, Protocol } from '../protocol.ts'
import { renameModel } from '../rename.ts'
import { messagesCodec } from './codec.ts'
import { messagesKeyHeaders, messagesUrl } from './endpoint.ts'
import { encodeMessagesError, encodeMessagesStreamError } from './error.ts'
import { messagesHeartbeat } from './heartbeat.ts'
import { checkCountTokens, checkMessages, readMessages } from './request.ts'
import { createMessagesObserver } from './stream.ts'

const messagesOperation: Operation = {
  protocol: 'messages',
  name: 'messages',
  charged: true,
  takesForm: false,
  check: checkMessages,
  read: readMessages,
  rename: renameModel,
  path: () => '/v1/messages',
  createObserver: createMessagesObserver,
}

const countTokens: Operation = {
  protocol: 'messages',
  name: 'count_tokens',
  charged: false,
  takesForm: false,
  check: checkCountTokens,
  read: (body) => ({ ...readMessages(body), stream: false }),
  rename: renameModel,
  path: () => '/v1/messages/count_tokens',
  createObserver: createPlainObserver,
}

/** Anthropic's messages. */
export const messages = {
  name: 'messages',
  url: messagesUrl,
  keyHeaders: messagesKeyHeaders,
  encodeError: encodeMessagesError,
  encodeStreamError: encodeMessagesStreamError,
  heartbeat: messagesHeartbeat,
  generation: messagesOperation,
  counting: countTokens,
  demandedHeaders: { 'anthropic-version': '2023-06-01' },
  codec: messagesCodec,
  operations: { messages: messagesOperation, countTokens },
} as const satisfies Protocol & { operations: Record<string, Operation> }
