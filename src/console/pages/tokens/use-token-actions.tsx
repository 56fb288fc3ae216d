import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { attempt, useRefresh } from '../../parts/action.tsx'
import { LongText } from '../../parts/text.tsx'
import { tokensText } from './text.ts'

/** Long enough to read it and to reach the button; the API would take it back for 10 minutes. */
const undoShownMs = 20_000

interface Named {
  readonly id: number
  readonly name: string
}

/** What is done to a token at once, with a notification that says so. */
export function useTokenActions() {
  const text = useText(tokensText)
  const refresh = useRefresh()

  const restore = ({ id, name }: Named) =>
    attempt(async () => {
      await call(api.tokens({ id }).restore.post())
      await refresh('tokens', 'token')
      return text.restored(name)
    })

  function offerUndo(token: Named): void {
    const id = `removed-${token.id}`
    const undo = () => {
      notifications.hide(id)
      void restore(token)
    }
    const message = (
      <Group justify="space-between" wrap="nowrap">
        <LongText>{text.removed(token.name)}</LongText>
        <Button size="xs" variant="default" onClick={undo} flex="none">
          {text.undo}
        </Button>
      </Group>
    )
    notifications.show({ id, message, autoClose: undoShownMs })
  }

  return {
    setStatus: ({ id, name }: Named, status: 'active' | 'disabled') =>
      attempt(async () => {
        await call(api.tokens({ id }).patch({ status }))
        await refresh('tokens', 'token')
        return status === 'active' ? text.enabled(name) : text.disabledNow(name)
      }),
    /** Resolves to whether it is gone. */
    remove: (token: Named) =>
      attempt(async () => {
        await call(api.tokens({ id: token.id }).delete())
        offerUndo(token)
        // Its own page is about to be left, and would not find it any more.
        await refresh('tokens')
        return undefined
      }),
  }
}
