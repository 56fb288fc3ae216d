import type { NotificationData } from '@mantine/notifications'
import { useEffect, useState } from 'react'

type Code = typeof import('./notice-code.ts')

let mount: (code: Code) => void = () => {}

/** Where notices are shown, in a corner of the page; empty until the first one. */
export function NoticesHost() {
  const [code, setCode] = useState<Code>()
  useEffect(() => {
    mount = setCode
  }, [])
  return code && <code.Notifications position="bottom-right" />
}

let count = 0

export interface Notice extends Omit<NotificationData, 'message' | 'id' | 'content'> {
  readonly message: string
  /** What is shown instead of the message. */
  readonly content?: NotificationData['message']
}

/**
 * Shows a notice, whose code is loaded with the first one: where that can't be loaded, the browser says it.
 * Returns what takes it away.
 */
export function showNotice({ message, content = message, ...look }: Notice): () => void {
  const id = `notice-${++count}`
  const loading = import('./notice-code.ts')
  loading.then(
    (code) => {
      mount(code)
      code.notifications.show({ ...look, id, message: content })
    },
    () => window.alert(message),
  )
  return () => void loading.then(({ notifications }) => notifications.hide(id))
}
