import type { ModalsProvider, modals } from '@mantine/modals'
import { useEffect, useState } from 'react'
import { loadCode } from './on-demand.ts'

type Code = { readonly modals: typeof modals; readonly ModalsProvider: typeof ModalsProvider }

let mount: (code: Code) => void = () => {}
const mounted = Promise.withResolvers<void>()

/** Where questions are shown; empty until the first one is asked. */
export function ModalsHost() {
  const [code, setCode] = useState<Code>()
  useEffect(() => {
    mount = setCode
  }, [])
  // After the provider's own effect: from then on it hears what is opened.
  useEffect(() => {
    if (code) mounted.resolve()
  }, [code])
  return code && <code.ModalsProvider>{null}</code.ModalsProvider>
}

/** What opens questions, loaded with the first one. */
export async function loadModals(): Promise<typeof modals> {
  const code = await loadCode(() => import('@mantine/modals'))
  mount(code)
  await mounted.promise
  return code.modals
}
