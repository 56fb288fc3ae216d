import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import type { GroupView } from '../../../admin/groups/schema.ts'
import { groupText } from '../../groups/text.ts'
import { api, call } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { confirm } from '../../parts/confirm.tsx'
import { Removal } from './removal.tsx'

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
