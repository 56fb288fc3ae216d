import type { ProtocolName } from '../../../src/protocols/protocol.ts'
import { allDialects, dialects } from '../../e2e/dialects.ts'

// The upstream, or the four customers who mean harm, as a process of its own.

/** What a part tells. */
export interface PartMessage {
  readonly url?: string
  readonly answered?: number
}

const messages = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    role: at % 2 ? 'assistant' : 'user',
    content: `m${at}`,
  }))

const schema = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 9_900 }, (_, at) => [`p${at}`, { $ref: `#/properties/q/${at}/s` }]),
  ),
}

interface Attacker {
  readonly name: string
  readonly key: string
  /** The protocol of the channel that is asked. */
  readonly on: ProtocolName
  readonly body: object
}

const attacker = (name: string, on: ProtocolName, body: object): Attacker => ({
  ...{ name, on, body },
  key: `sk-attacker-${name}-0123456789abcdefghij`,
})

/** Customers who mean harm: each sends its body again and again, in the chat protocol. */
export const attackers: readonly Attacker[] = [
  attacker('many-to-messages', 'messages', { messages: messages(80_000) }),
  attacker('many-to-gemini', 'gemini', { messages: messages(80_000) }),
  attacker('schema-to-gemini', 'gemini', {
    messages: messages(2),
    tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
  }),
  attacker('many-to-responses', 'responses', { messages: messages(40_000) }),
]

function runUpstream(): void {
  const server = Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0, idleTimeout: 0, maxRequestBodySize: 2 ** 30 },
    async fetch(request) {
      const { pathname } = new URL(request.url)
      for await (const _ of request.body ?? []);
      const found = allDialects.find((one) =>
        pathname.includes(one.path(false).split('/').at(-1) ?? ''),
      )
      return Response.json((found ?? dialects.chat).body({ input: 9, output: 5 }))
    },
  })
  process.send?.({ url: `http://127.0.0.1:${server.port}` } satisfies PartMessage)
  process.on('message', () => process.exit(0))
}

async function attack(gateway: string): Promise<void> {
  let isOver = false
  let answered = 0
  process.on('message', () => {
    isOver = true
  })
  await Promise.all(
    attackers.map(async ({ key, body }) => {
      const text = JSON.stringify({ model: 'test-model', ...body })
      while (!isOver) {
        const answer = await fetch(`${gateway}/v1/chat/completions`, {
          ...{ method: 'POST', body: text, proxy: false },
          headers: { authorization: `Bearer ${key}` },
        })
        await answer.arrayBuffer()
        process.send?.({ answered: ++answered } satisfies PartMessage)
      }
    }),
  )
  process.exit(0)
}

const [role, gateway = ''] = process.argv.slice(2)
if (role === 'upstream') runUpstream()
if (role === 'attackers') await attack(gateway)
