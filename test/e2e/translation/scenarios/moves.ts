import { expect, test } from 'bun:test'
import { protocolNames } from '../../../../src/protocols/protocol.ts'
import { type Bench, modelOn } from '../bench.ts'
import { type PairNames, pairOf } from '../pair.ts'
import { toolsText } from '../script.ts'

/** Conversations that change the vendor on their way. */
export function moveScenes(bench: () => Bench, names: PairNames): void {
  const { client: name, upstream } = names
  const others = protocolNames.filter((other) => other !== upstream)

  test.each(others)(
    `T8: reasoning of ${upstream} stays away from %s, which goes on, and is whole when it is back`,
    async (other) => {
      const pair = pairOf(bench(), names, upstream === 'chat')
      const { client, model } = pair
      // With a budget of thinking this vendor wants to see its own first, in the middle of a turn.
      const isBack = name === 'messages' && other === 'messages'
      const wish = { tools: true, maxTokens: 4000, ...(!isBack && { reasoning: 'plain' as const }) }
      const conversation = client.open(model, wish)
      const expectOn = (protocol: string) =>
        bench().expectRecord(client.line.headers.get('x-request-id'), {
          client_protocol: name,
          upstream_protocol: protocol,
          ending: 'complete',
        })
      await conversation.say('play moved: Weather in Paris and Oslo?')
      expectOn(upstream)
      conversation.move(modelOn(other))
      const second = await conversation.results('10 degrees', '11 degrees')
      expect(second.text).toBe(toolsText)
      expect(client.line.headers.get('x-tollgate-dropped')).not.toBeNull()
      expectOn(other)
      conversation.move(model)
      const third = await conversation.say('Which one is warmer?')
      expect(third.text).toBe('Oslo.')
      expectOn(upstream)
    },
  )
}
