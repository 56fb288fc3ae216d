import { ApiError } from '../../admin/api-error.ts'
import type { Playground, PlaygroundCall } from '../../admin/playground/routes.ts'
import { protocols } from '../../protocols/index.ts'
import type { ConsoleParts, PeerOf } from './parts.ts'

const paths = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
} as const

/** Headers that say where a request comes from. */
const passedOn = ['user-agent', 'x-forwarded-for'] as const

/** Sends requests of a signed-in user with their own key through the gateway, as a client would. */
export function createPlayground(parts: ConsoleParts, peerOf: PeerOf): Playground {
  const { store, secrets, askModel, config } = parts

  async function keyOf({ who, token: id }: PlaygroundCall): Promise<string> {
    const [token] = await store.admin.tokens({ account: who.email, id })
    if (!token) {
      throw new ApiError('not_found', `You have no token ${id}.`, { field: 'token' })
    }
    return secrets.open(token.keySealed)
  }

  return {
    async ask(call) {
      const key = await keyOf(call)
      const peer = peerOf(call.request)
      const { path, target } = placeOf(call)
      const answer = await askModel({
        protocol: call.protocol,
        request: new Request(`http://playground${path}`, {
          method: 'POST',
          headers: headersOf(call, key, config().settings.countryHeader),
          body: call.body,
          signal: call.request.signal,
        }),
        target,
        peer: peer?.address ?? '',
        limitSilence: (seconds) => peer?.limitSilence(seconds),
      })
      // A new response: Elysia would parse and serialise another's again.
      const headers = new Headers(answer.headers)
      headers.set('cache-control', 'no-store')
      headers.set('x-content-type-options', 'nosniff')
      return new Response(answer.body, { status: answer.status, headers })
    },
  }
}

function placeOf({ protocol, model = '', stream }: PlaygroundCall) {
  if (protocol !== 'gemini') return { path: paths[protocol], target: '' }
  const target = `${model}:${stream ? 'streamGenerateContent' : 'generateContent'}`
  const path = `/v1beta/models/${encodeURIComponent(target)}`
  return { path: stream ? `${path}?alt=sse` : path, target }
}

function headersOf(
  { request, protocol }: PlaygroundCall,
  key: string,
  countryHeader: string | null,
): Headers {
  const headers = new Headers({
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...protocols[protocol].demandedHeaders,
  })
  for (const name of [...passedOn, ...(countryHeader === null ? [] : [countryHeader])]) {
    const value = request.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  return headers
}
