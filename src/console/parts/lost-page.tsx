import { Alert, Button, Group, Text } from '@mantine/core'
import { useBlocker, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useText } from '../lib/language.ts'
import { shellText } from './shell-text.ts'

/** A page that can be loaded before it is shown. */
interface Loadable {
  preload?(): Promise<unknown> | undefined
}

/**
 * Keeps the page that is shown when another one can't be loaded, and says so. Where the gateway answers, it
 * has another version whose files have other names: then the browser opens the page anew.
 */
export function LostPage() {
  const text = useText(shellText)
  const router = useRouter()
  const [retry, setRetry] = useState<() => void>()
  useBlocker({
    enableBeforeUnload: false,
    async shouldBlockFn({ next: { routeId, pathname, search } }) {
      const component: Loadable | undefined = Object.hasOwn(router.routesById, routeId)
        ? router.routesById[routeId as keyof typeof router.routesById]?.options?.component
        : undefined
      const go = { to: pathname, search } as never
      try {
        await component?.preload?.()
        setRetry(undefined)
        return false
      } catch {
        if (await isThere()) location.assign(router.history.createHref(hrefOf(go)))
        else setRetry(() => () => void router.navigate(go))
        return true
      }
    },
  })
  const hrefOf = (to: never) => router.buildLocation(to).href

  return (
    retry && (
      <Alert color="yellow" title={text.lost} role="alert" mb="md">
        <Group justify="space-between">
          <Text size="sm">{text.lostHint}</Text>
          <Button size="xs" variant="default" onClick={retry}>
            {text.retry}
          </Button>
        </Group>
      </Alert>
    )
  )
}

/** Whether the gateway answers. */
const isThere = () =>
  fetch('/console', { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
