import type { UseFormReturnType } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useBlocker, useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { Me } from '../../admin/me/routes.ts'
import { onSessionEnd, useMe } from '../lib/api.ts'
import { bilingual, shownLanguage } from '../lib/language.ts'
import { formName, hasUnsaved, keepTyped, takeTyped, watchForm } from '../lib/unsaved.ts'
import { confirm } from './action.tsx'

const texts = bilingual({
  title: ['Leave without saving?', '不保存就离开？'],
  text: [
    'What you have typed on this page is not saved. It is lost when you leave.',
    '本页输入的内容尚未保存，离开后将丢失。',
  ],
  leave: ['Leave, and lose it', '离开并放弃'],
  stay: ['Stay here', '留在此页'],
})

/** Whether the page may be left: asks where something typed would be lost. */
export async function mayLeave(): Promise<boolean> {
  if (!hasUnsaved()) return true
  const { title, text, leave, stay } = texts[shownLanguage()]
  return confirm({ title, text, confirm: leave, cancel: stay, isDangerous: true })
}

/** Asks before what is typed is lost; and keeps it for after the next sign-in when the session has ended. */
export function UnsavedGuard() {
  const router = useRouter()
  const queries = useQueryClient()
  const owner = useMe().data?.email
  useBlocker({
    // Filters stand in the address, too: they lose nothing.
    shouldBlockFn: async ({ current, next }) =>
      current.pathname !== next.pathname && !(await mayLeave()),
    enableBeforeUnload: hasUnsaved,
  })
  useEffect(
    () =>
      onSessionEnd(() => {
        if (owner !== undefined) keepTyped({ owner, path: router.state.location.pathname })
        // The frame then leads to the sign-in. It may have been this very question that found it.
        void queries.refetchQueries({ queryKey: ['me'] }, { cancelRefetch: false })
      }),
    [owner, queries, router],
  )
  return null
}

/**
 * Watches a form: leaving its page asks while something in it is not saved, and what was typed before
 * the session ended comes back. Returns what marks the present values as saved.
 */
export function useUnsaved<Values extends object>(form: UseFormReturnType<Values>): () => void {
  const router = useRouter()
  const queries = useQueryClient()
  const sent = useRef<Values>(undefined)
  const live = useRef(form)
  live.current = form
  useEffect(
    () =>
      watchForm({
        values: () => live.current.getValues(),
        saved: () => sent.current ?? live.current.getInitialValues(),
        isSending: () => live.current.submitting,
        isSecret: (field) => {
          const node = live.current.getInputNode(field as never)
          return node instanceof HTMLInputElement && node.type === 'password'
        },
      }),
    [],
  )
  useEffect(() => {
    // Nobody is signed in where there is no frame: then nothing was kept.
    const owner = queries.getQueryData<Me>(['me'])?.email
    if (owner === undefined) return
    const { getValues, setValues } = live.current
    const place = { owner, path: router.state.location.pathname }
    const typed = takeTyped(place, formName(getValues()))
    if (typed !== undefined) setValues(typed as Partial<Values>)
  }, [queries, router])
  return () => {
    sent.current = live.current.getValues()
  }
}
