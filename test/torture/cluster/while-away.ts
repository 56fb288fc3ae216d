import { ask } from '../../e2e/caller.ts'
import type { Node } from '../../e2e/cluster/scene.ts'
import { allDialects } from '../../e2e/dialects.ts'
import { payers } from '../asks.ts'

/** What a client was told while the database was away, and how long it waited for that. */
export interface Told {
  readonly what: string
  readonly status: number
  readonly text: string
  readonly afterMs: number
}

/** Numbers of these requests, beyond those of the clients. */
let number = 1_000_000_000

/** Asks nodes in every protocol, whole and streamed; each must answer within the patience of a client. */
export async function askWhileAway(nodes: readonly Node[]): Promise<Told[]> {
  const asked = nodes.flatMap((node) =>
    allDialects.flatMap((dialect) => [true, false].map((stream) => ({ node, dialect, stream }))),
  )
  return Promise.all(
    asked.map(async ({ node, dialect, stream }) => {
      const startTick = performance.now()
      const answer = await ask(node.url, dialect, stream, {
        question: `ask-${++number}-plain-rich-`,
        key: payers.rich.key,
        signal: AbortSignal.timeout(30_000),
      })
      const text = await answer.text()
      const what = `${dialect.name}${stream ? ', streamed' : ''}`
      return { what, status: answer.status, text, afterMs: performance.now() - startTick }
    }),
  )
}
