import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { GroupView } from '../../../admin/groups/schema.ts'
import { groupText } from '../../groups/text.ts'
import { api, call } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { confirm } from '../../parts/confirm.tsx'
import { ErrorNotice } from '../../parts/notices.tsx'

interface ActionsProps {
  readonly group: GroupView
  /** Shows what became of it. */
  readonly show: (now: GroupView) => void
}

/** What can be done with a group as a whole. */
export function Actions({ group, show }: ActionsProps) {
  const text = useText(groupText)
  const { language } = useLanguage()
  const [isLeaving, setLeaving] = useState(false)
  const { id, name, status, tokens } = group
  const isActive = status === 'active'

  async function toggle(): Promise<void> {
    const isSure =
      !isActive ||
      (await confirm({
        title: text.disableAsk(name),
        text: text.disableText(formatCount(tokens, language)),
        confirm: text.disable,
        cancel: text.cancel,
        isDangerous: true,
      }))
    if (!isSure) return
    try {
      const change = { status: isActive ? ('disabled' as const) : ('active' as const) }
      show(await call(api.admin.groups({ id }).patch(change)))
      notifications.show({
        message: isActive ? text.disabledDone : text.enabledDone,
        color: 'green',
      })
    } catch (error) {
      notifications.show({ message: String((error as Error).message), color: 'red' })
    }
  }

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
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={text.deleteAsk(group.name)}
      closeButtonProps={{ 'aria-label': text.cancel }}
    >
      <Question group={group} close={close} />
    </Modal>
  )
}

function Question({ group, close }: Omit<RemovalProps, 'isOpen'>) {
  const text = useText(groupText)
  const { language } = useLanguage()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [target, setTarget] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const { id, name, tokens, tokens_is_exact } = group
  const others = useOthers(id)
  const count = formatCount(tokens, language) + (tokens_is_exact ? '' : '+')

  async function remove(): Promise<void> {
    setError(null)
    try {
      const query = target === null ? {} : { move_tokens_to: Number(target) }
      const { moved_tokens } = await call(api.admin.groups({ id }).delete({}, { query }))
      for (const key of ['groups', 'channels', 'channel']) {
        await queries.invalidateQueries({ queryKey: [key] })
      }
      const message = moved_tokens > 0 ? text.moved(name, moved_tokens) : text.deleted(name)
      notifications.show({ message, color: 'green' })
      await navigate({ to: '/admin/groups' })
    } catch (failure) {
      setError(failure)
    }
  }

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
          {text.cancel}
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
