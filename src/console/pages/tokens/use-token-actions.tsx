import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { api, call } from '../../lib/api.ts'
import { faultText } from '../../lib/error-text.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
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
  const { language } = useLanguage()
  const text = useText(tokensText)
  const queries = useQueryClient()
  const closeButtonProps = { 'aria-label': text.close }
  const seen = async (names: readonly string[] = ['tokens', 'token']) => {
    await Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: [name] })))
  }

  async function attempt(
    work: () => Promise<string | undefined>,
    names?: readonly string[],
  ): Promise<boolean> {
    try {
      const message = await work()
      if (message !== undefined) notifications.show({ message, color: 'green', closeButtonProps })
      await seen(names)
      return true
    } catch (error) {
      const message = error instanceof Error ? faultText(error, language) : String(error)
      notifications.show({ message, color: 'red', autoClose: false, closeButtonProps })
      return false
    }
  }

  const restore = ({ id, name }: Named) =>
    attempt(async () => {
      await call(api.tokens({ id }).restore.post())
      return text.restored(name)
    })

  return {
    seen,
    setStatus: ({ id, name }: Named, status: 'active' | 'disabled') =>
      attempt(async () => {
        await call(api.tokens({ id }).patch({ status }))
        return status === 'active' ? text.enabled(name) : text.disabledNow(name)
      }),
    /** Resolves to whether it is gone. */
    remove: (token: Named) =>
      attempt(async () => {
        await call(api.tokens({ id: token.id }).delete())
        const shown = `removed-${token.id}`
        const undo = () => {
          notifications.hide(shown)
          void restore(token)
        }
        notifications.show({
          id: shown,
          autoClose: undoShownMs,
          closeButtonProps,
          message: (
            <Group justify="space-between" wrap="nowrap">
              <LongText>{text.removed(token.name)}</LongText>
              <Button size="xs" variant="default" onClick={undo} flex="none">
                {text.undo}
              </Button>
            </Group>
          ),
        })
        return undefined
        // Its own page is about to be left, and would not find it any more.
      }, ['tokens']),
  }
}
