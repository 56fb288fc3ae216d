import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { Channel } from '../../../admin/channels/schema.ts'
import { channelText } from '../../channels/text.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { attempt, confirm, useRefresh } from '../../parts/action.tsx'

interface ActionsProps {
  readonly channel: Channel
  /** Shows what became of it. */
  readonly show: (now: Channel) => void
}

/** What can be done with a channel as a whole. */
export function Actions({ channel, show }: ActionsProps) {
  const text = useText(channelText)
  const refresh = useRefresh()
  const navigate = useNavigate()
  const { id, name, status, groups, state } = channel
  const route = api.admin.channels({ id })

  const change = (to: Channel['status'], question?: Parameters<typeof confirm>[0]) =>
    void attempt(async () => {
      if (question && !(await confirm(question))) return undefined
      show(await call(route.patch({ status: to })))
      return text.statusDone[to]
    })

  const remove = () =>
    void attempt(async () => {
      const names = groups.map((group) => group.name).join(', ')
      const words =
        names === '' ? text.deleteText : `${text.deleteGroups(names)} ${text.deleteText}`
      const question = { title: text.deleteAsk(name), text: words, confirm: text.delete }
      if (!(await confirm({ ...question, isDangerous: true }))) return undefined
      await call(route.delete({}, { query: { take_out_of_groups: groups.length > 0 } }))
      await refresh('channels', 'groups', 'group')
      await navigate({ to: '/admin/channels' })
      return text.deleted(name)
    })

  const recover = () =>
    void attempt(async () => {
      show(await call(route.recover.post()))
      return text.recovered
    })

  const drainWords = { title: text.drainAsk(name), text: text.drainText, confirm: text.drain }
  const disableWords = {
    ...{ title: text.disableAsk(name), text: text.disableText, confirm: text.disable },
    isDangerous: true,
  }
  return (
    <>
      {state.parts.length > 0 && (
        <Button variant="light" onClick={recover}>
          {text.recover}
        </Button>
      )}
      {status !== 'active' && <Button onClick={() => change('active')}>{text.activate}</Button>}
      {status === 'active' && (
        <Button variant="default" onClick={() => change('draining', drainWords)}>
          {text.drain}
        </Button>
      )}
      {status !== 'disabled' && (
        <Button variant="default" onClick={() => change('disabled', disableWords)}>
          {text.disable}
        </Button>
      )}
      <Button variant="subtle" color="red" onClick={remove}>
        {text.delete}
      </Button>
    </>
  )
}
