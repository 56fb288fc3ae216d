import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { GroupView } from '../../../admin/groups/schema.ts'
import { api, call } from '../../lib/api.ts'
import { commonText, formatCount, useText } from '../../lib/language.ts'
import { attempt, confirm, sayDone, useAttempt, useRefresh } from '../../parts/action.tsx'
import { ErrorNotice } from '../../parts/page.tsx'
import { groupText } from './text.ts'

interface ActionsProps {
  readonly group: GroupView
  /** Shows what became of it. */
  readonly show: (now: GroupView) => void
}

/** What can be done with a group as a whole. */
export function Actions({ group, show }: ActionsProps) {
  const text = useText(groupText)
  const [isLeaving, setLeaving] = useState(false)
  const { id, name, status, tokens } = group
  const isActive = status === 'active'

  const toggle = () =>
    attempt(async () => {
      const question = {
        ...{ title: text.disableAsk(name), confirm: text.disable, isDangerous: true },
        text: text.disableText(tokens),
      }
      if (isActive && !(await confirm(question))) return undefined
      show(await call(api.admin.groups({ id }).patch({ status: isActive ? 'disabled' : 'active' })))
      return isActive ? text.disabledDone : text.enabledDone
    })

  return (
    <>
      <Button variant={isActive ? 'default' : 'filled'} onClick={() => void toggle()}>
        {isActive ? text.disable : text.enable}
      </Button>
      <Button variant="subtle" color="red" onClick={() => setLeaving(true)}>
        {text.delete}
      </Button>
      <Removal group={group} isOpen={isLeaving} close={() => setLeaving(false)} />
    </>
  )
}

interface RemovalProps {
  readonly group: GroupView
  readonly isOpen: boolean
  readonly close: () => void
}

/** Asks before a group is removed, and where its tokens go. */
function Removal({ group, isOpen, close }: RemovalProps) {
  const text = useText(groupText)
  const words = useText(commonText)
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={text.deleteAsk(group.name)}
      closeButtonProps={{ 'aria-label': words.cancel }}
    >
      <Question group={group} close={close} />
    </Modal>
  )
}

function Question({ group, close }: Omit<RemovalProps, 'isOpen'>) {
  const text = useText(groupText)
  const words = useText(commonText)
  const refresh = useRefresh()
  const navigate = useNavigate()
  const [target, setTarget] = useState<string | null>(null)
  const { error, attempt } = useAttempt()
  const { id, name, tokens, tokens_is_exact } = group
  const others = useOthers(id)
  const count = formatCount(tokens) + (tokens_is_exact ? '' : '+')

  const remove = () =>
    attempt(async () => {
      const query = target === null ? {} : { move_tokens_to: Number(target) }
      const { moved_tokens } = await call(api.admin.groups({ id }).delete({}, { query }))
      await refresh('groups', 'channels', 'channel')
      sayDone(moved_tokens > 0 ? text.moved(name, moved_tokens) : text.deleted(name))
      await navigate({ to: '/admin/groups' })
    })

  return (
    <Stack>
      <Text size="sm">{text.deleteText}</Text>
      {tokens > 0 && others?.length === 0 && <Text size="sm">{text.noOther}</Text>}
      {tokens > 0 && others !== undefined && others.length > 0 && (
        <>
          <Text size="sm">{text.moveText(count)}</Text>
          <Select
            label={text.moveTo}
            data={others}
            value={target}
            onChange={setTarget}
            searchable
            required
          />
        </>
      )}
      {error !== null && <ErrorNotice error={error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {words.cancel}
        </Button>
        <Button color="red" disabled={tokens > 0 && target === null} onClick={() => void remove()}>
          {text.delete}
        </Button>
      </Group>
    </Stack>
  )
}

/** The other groups, with their multipliers: the tokens will pay by these. */
function useOthers(id: number) {
  const { data } = useQuery({
    queryKey: ['groups', 'targets'],
    queryFn: () => call(api.admin.groups.get({ query: { page_size: 100 } })),
  })
  return data?.items
    .filter((one) => one.id !== id)
    .map((one) => ({ value: String(one.id), label: `${one.name} (× ${one.rate_multiplier})` }))
}
