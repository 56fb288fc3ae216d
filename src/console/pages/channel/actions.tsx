import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Channel } from '../../../admin/channels/schema.ts'
import { channelText } from '../../channels/text.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { confirm } from '../../parts/confirm.tsx'

interface ActionsProps {
  readonly channel: Channel
  /** Shows what became of it. */
  readonly show: (now: Channel) => void
}

type Status = Channel['status']

/** What can be done with a channel as a whole. */
export function Actions({ channel, show }: ActionsProps) {
  const text = useText(channelText)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { id, name, status, groups, state } = channel
  const route = api.admin.channels({ id })
  const ask = (title: string, words: string, deed: string, isDangerous: boolean) =>
    confirm({ title, text: words, confirm: deed, cancel: text.cancel, isDangerous })

  async function attempt(work: () => Promise<string | undefined>): Promise<void> {
    try {
      const message = await work()
      if (message !== undefined) notifications.show({ message, color: 'green' })
    } catch (error) {
      notifications.show({ message: String((error as Error).message), color: 'red' })
    }
  }

  const change = (to: Status, isSure: () => Promise<boolean>) =>
    void attempt(async () => {
      if (!(await isSure())) return undefined
      show(await call(route.patch({ status: to })))
      return text.statusDone[to]
    })

  const remove = () =>
    void attempt(async () => {
      const names = groups.map((group) => group.name).join(', ')
      const words =
        names === '' ? text.deleteText : `${text.deleteGroups(names)} ${text.deleteText}`
      if (!(await ask(text.deleteAsk(name), words, text.delete, true))) return undefined
      await call(route.delete({}, { query: { take_out_of_groups: groups.length > 0 } }))
      for (const key of ['channels', 'groups', 'group']) {
        await queries.invalidateQueries({ queryKey: [key] })
      }
      await navigate({ to: '/admin/channels' })
      return text.deleted(name)
    })

  const recover = () =>
    void attempt(async () => {
      show(await call(route.recover.post()))
      return text.recovered
    })

  return (
    <>
      {state.parts.length > 0 && (
        <Button variant="light" onClick={recover}>
          {text.recover}
        </Button>
      )}
      {status !== 'active' && (
        <Button onClick={() => change('active', () => Promise.resolve(true))}>
          {text.activate}
        </Button>
      )}
      {status === 'active' && (
        <Button
          variant="default"
          onClick={() =>
            change('draining', () => ask(text.drainAsk(name), text.drainText, text.drain, false))
          }
        >
          {text.drain}
        </Button>
      )}
      {status !== 'disabled' && (
        <Button
          variant="default"
          onClick={() =>
            change('disabled', () =>
              ask(text.disableAsk(name), text.disableText, text.disable, true),
            )
          }
        >
          {text.disable}
        </Button>
      )}
      <Button variant="subtle" color="red" onClick={remove}>
        {text.delete}
      </Button>
    </>
  )
}
