import type { FactAsked } from './messages.ts'
import type { GatewayFacts } from './services.ts'

/** Asks the gateway for what only it knows. */
export function createRemoteFacts(ask: (id: number, asked: FactAsked) => void) {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0

  async function answerTo<Value>(asked: FactAsked): Promise<Value> {
    const id = ++lastId
    const answer = Promise.withResolvers<unknown>()
    waiting.set(id, answer)
    ask(id, asked)
    return (await answer.promise) as Value
  }

  function take(id: number): PromiseWithResolvers<unknown> | undefined {
    const answer = waiting.get(id)
    waiting.delete(id)
    return answer
  }

  const facts: GatewayFacts = {
    usuallyLowNano: () => answerTo({ fact: 'usuallyLowNano' }),
    now: () => answerTo({ fact: 'now' }),
    configState: () => answerTo({ fact: 'configState' }),
    hideUpstream: (rows) => answerTo({ fact: 'hideUpstream', rows }),
  }
  return {
    facts,
    tell: (id: number, value: unknown) => take(id)?.resolve(value),
    refuse: (id: number, message: string) => take(id)?.reject(new Error(message)),
  }
}

/** The same in the gateway. */
export function tellFact(facts: GatewayFacts, asked: FactAsked): Promise<unknown> {
  switch (asked.fact) {
    case 'usuallyLowNano':
      return facts.usuallyLowNano()
    case 'now':
      return facts.now()
    case 'configState':
      return facts.configState()
    case 'hideUpstream':
      return facts.hideUpstream(asked.rows)
  }
}
