import { chat } from '../../protocols/chat/index.ts'
import { messages } from '../../protocols/messages/index.ts'
import { responses } from '../../protocols/responses/index.ts'
import type { Handler } from '../context.ts'
import { forwardRoute, geminiRoute, type RouteParts } from './routes.ts'

/** A model request that comes from within: the console's playground. */
export interface InProcessCall {
  readonly protocol: 'chat' | 'responses' | 'messages' | 'gemini'
  /** With its key and the path of the protocol, as a client would send it. */
  readonly request: Request
  /** What ends Gemini's path: `{model}:{action}`; empty for the others. */
  readonly target: string
  /** The socket that is behind it. */
  readonly peer: string
  readonly limitSilence: (seconds: number) => void
}

/** Answers such requests by the very handlers of the model routes: nothing is left out. */
export function createInProcess(parts: RouteParts) {
  const handlers: Readonly<Record<InProcessCall['protocol'], Handler>> = {
    chat: forwardRoute(parts, chat, chat.operations.completions),
    responses: forwardRoute(parts, responses, responses.operations.responses),
    messages: forwardRoute(parts, messages, messages.operations.messages),
    gemini: geminiRoute(parts),
  }
  return async ({ protocol, request, target, peer, limitSilence }: InProcessCall) =>
    handlers[protocol]({
      request,
      params: target === '' ? {} : { model: target },
      server: {
        requestIP: () => ({ address: peer }),
        timeout: (_request, seconds) => limitSilence(seconds),
      },
    })
}
