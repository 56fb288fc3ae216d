import { Box, Button, Switch, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ChannelItem, Tested } from '../../../admin/channels/schema.ts'
import { api, call } from '../../lib/api.ts'
import { formatDuration } from '../../lib/format.ts'
import { localeOf, useLanguage, useText } from '../../lib/language.ts'
import { attempt, offerUndo, sayDone, useRefresh } from '../../parts/action.tsx'
import { causeText } from '../requests/causes.ts'
import { channelsText } from './list-text.ts'

interface OfChannel {
  readonly channel: ChannelItem
}

/** Switches a channel on or off, with an undo. */
export function OnOff({ channel: { id, name, status } }: OfChannel) {
  const text = useText(channelsText)
  const refresh = useRefresh()
  const [isBusy, setBusy] = useState(false)
  const isOn = status !== 'disabled'
  const set = async (to: ChannelItem['status']) => {
    await call(api.admin.channels({ id }).patch({ status: to }))
    await refresh('channels', 'channel', 'groups', 'group')
  }
  const change = async () => {
    setBusy(true)
    await attempt(async () => {
      await set(isOn ? 'disabled' : 'active')
      if (!isOn) return text.isOn(name)
      offerUndo(text.isOff(name), async () => {
        await set(status)
        sayDone(text.isOn(name))
      })
    })
    setBusy(false)
  }
  return (
    <Switch
      size="xs"
      aria-label={text.turnOn(name)}
      checked={isOn}
      disabled={isBusy}
      onChange={() => void change()}
    />
  )
}

interface LastTest {
  readonly result: Tested
  readonly at: number
}

const testKey = (id: number) => ['channel-test', id] as const

/** Sends one small real request to a channel; the lists show what came of it until they are reloaded. */
export function useChannelTest() {
  const queries = useQueryClient()
  return async ({ id }: { readonly id: number }): Promise<Tested> => {
    const result = await call(api.admin.channels({ id }).test.post({}))
    queries.setQueryData<LastTest>(testKey(id), { result, at: Date.now() })
    return result
  }
}

/** Tests a channel, and says what came of it and how long it took. */
export function TestInRow({ channel }: OfChannel) {
  const text = useText(channelsText)
  const test = useChannelTest()
  const [isBusy, setBusy] = useState(false)
  const last = useQuery<LastTest>({
    queryKey: testKey(channel.id),
    queryFn: () => Promise.reject(new Error('It is tested on demand only.')),
    ...{ enabled: false, gcTime: Number.POSITIVE_INFINITY },
  })
  const press = async () => {
    setBusy(true)
    await attempt(async () => {
      await test(channel)
    })
    setBusy(false)
  }
  return (
    <Box maw={220}>
      <Button
        {...{ size: 'compact-xs', variant: 'default', loading: isBusy }}
        aria-label={text.testOf(channel.name)}
        onClick={() => void press()}
      >
        {text.test}
      </Button>
      <div aria-live="polite">{last.data && <Result {...last.data} />}</div>
    </Box>
  )
}

function Result({ result, at }: LastTest) {
  const text = useText(channelsText)
  const { language } = useLanguage()
  const time = new Intl.DateTimeFormat(localeOf(language), { timeStyle: 'short' }).format(at)
  return (
    <Text
      size="xs"
      c={result.ok ? 'dimmed' : 'red'}
      className={result.ok ? 'line' : 'cut'}
      title={text.testNow(time)}
    >
      {result.ok
        ? text.testWorks(formatDuration(result.first_byte_ms ?? result.duration_ms))
        : failureOf(result)}
    </Text>
  )
}

/** Why a test failed, in a sentence. */
export const failureOf = ({ failure, why, error, status }: Tested): string =>
  (failure && (causeText(failure, 'attempt') ?? why)) || error || `HTTP ${status ?? '—'}`
