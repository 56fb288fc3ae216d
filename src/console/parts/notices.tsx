import type { NotificationData } from '@mantine/notifications'
import { useEffect, useState } from 'react'
import { type Place, placeOf } from '../lib/notice-place.ts'

type Code = typeof import('./notice-code.ts')

let mount: (code: Code) => void = () => {}

/** What was pressed last, by pointer or key. */
let pressed: Element | undefined

function remember({ target }: Event): void {
  if (target instanceof Element) pressed = target
}

/** Where notices are shown; empty until the first one. */
export function NoticesHost() {
  const [code, setCode] = useState<Code>()
  useEffect(() => {
    mount = setCode
    document.addEventListener('click', remember, true)
    return () => document.removeEventListener('click', remember, true)
  }, [])
  return code && <code.Notifications />
}

/** The place of the next notice: away from what was pressed last. */
function nextPlace(): Place {
  const { top, height } = pressed?.getBoundingClientRect() ?? { top: 0, height: 0 }
  return placeOf({ width: innerWidth, height: innerHeight }, height === 0 ? undefined : top)
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
      code.notifications.show({ position: nextPlace(), ...look, id, message: content })
    },
    () => window.alert(message),
  )
  return () => void loading.then(({ notifications }) => notifications.hide(id))
}
