import { useEffect, useState } from 'react'
import { type Called, call } from '../lib/call.ts'

/** What the API answers, once; undefined: not yet, or not at all. */
export function useAnswer<Data>(ask: () => Promise<Called<Data>>): Data | undefined {
  const [data, setData] = useState<Data>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is asked once, when the page opens
  useEffect(() => {
    call(ask()).then(setData, () => {})
  }, [])
  return data
}

/** Does something whose refusal is shown: `error`, else null. */
export function useTry() {
  const [error, setError] = useState<unknown>(null)
  return {
    error,
    async attempt(work: () => Promise<unknown>): Promise<void> {
      setError(null)
      await work().catch(setError)
    },
  }
}

/** A value of the address's query. */
export const queryOf = (name: string): string | null =>
  new URLSearchParams(location.search).get(name)
