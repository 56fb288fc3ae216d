import { useEffect, useRef, useState } from 'react'
import { type Exchange, follow, type Question } from './exchange.ts'

/** Asks one question at a time, and follows its answer. Leaving the page stops it. */
export function useAsk() {
  const [exchange, show] = useState<Exchange>()
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])

  async function ask(question: Question): Promise<void> {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    for await (const now of follow(question, controller.signal)) {
      // Once it is asked anew, the old answer is not shown any more.
      if (running.current === controller) show(now)
    }
  }

  return { exchange, ask }
}
