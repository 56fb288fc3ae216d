import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { faultText } from '../lib/error-text.ts'
import { commonText, shownLanguage } from '../lib/language.ts'

interface Question {
  readonly title: string
  /** What will happen, and whether it can be undone. */
  readonly text: string
  /** What the button says: the deed, not "OK". */
  readonly confirm: string
  readonly cancel?: string
  readonly isDangerous?: boolean
}

/** Asks before something is lost; resolves to whether to go on. */
export const confirm = ({ title, text, confirm, isDangerous, ...question }: Question) =>
  new Promise<boolean>((resolve) => {
    const cancel = question.cancel ?? commonText[shownLanguage()].cancel
    modals.openConfirmModal({
      title,
      children: <Text size="sm">{text}</Text>,
      labels: { confirm, cancel },
      closeButtonProps: { 'aria-label': cancel },
      ...(isDangerous && { confirmProps: { color: 'red' } }),
      onConfirm: () => resolve(true),
      onCancel: () => resolve(false),
      onClose: () => resolve(false),
    })
  })

/** Says in a corner of the page that something is done. */
export const sayDone = (message: string) => notifications.show({ message, color: 'green' })

/** Says in a corner of the page why something was refused, until it is closed. */
export function sayRefused(error: unknown): void {
  const message = error instanceof Error ? faultText(error) : String(error)
  notifications.show({ message, color: 'red', autoClose: false })
}

/** Does something and says what came of it; resolves to whether it was done. */
export async function attempt(work: () => Promise<string | undefined>): Promise<boolean> {
  try {
    const message = await work()
    if (message !== undefined) sayDone(message)
    return true
  } catch (error) {
    sayRefused(error)
    return false
  }
}

/** Reads anew what stands below these names in the cache. */
export function useRefresh(): (...names: readonly string[]) => Promise<unknown> {
  const queries = useQueryClient()
  return (...names) =>
    Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: [name] })))
}

/** Does something whose refusal is shown where it was asked for: `error`, else null. */
export function useAttempt() {
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  return {
    error,
    isBusy,
    async attempt(work: () => Promise<unknown>): Promise<void> {
      setBusy(true)
      setError(null)
      try {
        await work()
      } catch (failure) {
        setError(failure)
      } finally {
        setBusy(false)
      }
    },
  }
}
