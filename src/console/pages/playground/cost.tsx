import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, CallFailed, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { Money } from '../../parts/money.tsx'
import { texts } from './text.ts'

/**
 * A receipt is stored shortly after the answer has ended: when to look, and how often. One that was
 * stopped may be read on for minutes.
 */
const firstLookMs = 600
const soonLooks = 8
const looks = 200
const apartMs = (count: number) => (count < soonLooks ? 400 : 3_000)

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** What it cost, as its receipt says. */
export function Cost({ requestId }: { readonly requestId: string }) {
  const text = useText(texts)
  const receipt = useQuery({
    queryKey: ['cost', requestId],
    queryFn: async () => {
      await pause(firstLookMs)
      return call(api.requests({ id: requestId }).get())
    },
    retry: (count, error) => count < looks && error instanceof CallFailed && error.status === 404,
    retryDelay: apartMs,
  })
  if (receipt.isPending && receipt.failureCount < soonLooks) return null
  const toRequest = (words: string) => (
    <Anchor
      inherit
      underline="always"
      renderRoot={(props) => <Link to="/requests/$id" params={{ id: requestId }} {...props} />}
    >
      {words}
    </Anchor>
  )
  if (!receipt.data) {
    return (
      <Text size="sm" c="dimmed">
        {text.costLater} {toRequest(text.toRequest)}
      </Text>
    )
  }
  return (
    <Text size="sm">
      {text.cost}{' '}
      <strong>
        <Money usd={receipt.data.amount} />
      </strong>{' '}
      · {toRequest(text.receipt)}
    </Text>
  )
}
