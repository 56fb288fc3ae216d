import { Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate } from '@tanstack/react-router'
import type { GroupItem, GroupView } from '../../../admin/groups/schema.ts'
import { api, call } from '../../lib/api.ts'
import { formatCount, useText } from '../../lib/language.ts'
import { useAllGroups } from '../../lib/names.ts'
import { Action, Dialog, sayDone, useRefresh } from '../../parts/action.tsx'
import { ChoiceInput } from '../../parts/choice-input.tsx'
import { SendForm } from '../../parts/form.tsx'
import { groupText } from './text.ts'

/** How many tokens belong to a group; `+`: at least. */
export const tokenCount = ({ tokens, tokens_is_exact }: GroupItem | GroupView) =>
  formatCount(tokens) + (tokens_is_exact ? '' : '+')

/** What can be done with a group as a whole. */
export function Actions({ group, show }: { group: GroupView; show: (now: GroupView) => void }) {
  const text = useText(groupText)
  const { id, name, status, tokens } = group
  const isActive = status === 'active'
  const toggle = async () => {
    show(await call(api.admin.groups({ id }).patch({ status: isActive ? 'disabled' : 'active' })))
    return isActive ? text.disabledDone : text.enabledDone
  }
  const question = {
    ...{ title: text.disableAsk(name), text: text.disableText(tokens), isDangerous: true },
  }
  return (
    <>
      <Action
        variant={isActive ? 'default' : 'filled'}
        label={isActive ? text.disable : text.enable}
        ask={isActive && question}
        run={toggle}
      />
      <Dialog
        label={text.delete}
        title={text.deleteAsk(name)}
        look={{ variant: 'subtle', color: 'red' }}
        closeButtonProps={{ 'aria-label': text.cancel }}
      >
        {(close) => <Removal group={group} close={close} />}
      </Dialog>
    </>
  )
}

function Removal({ group, close }: { readonly group: GroupView; readonly close: () => void }) {
  const text = useText(groupText)
  const refresh = useRefresh()
  const navigate = useNavigate()
  const form = useForm<{ target: string | null }>({ initialValues: { target: null } })
  const { id, name, tokens } = group
  const others = useOthers(id)
  return (
    <SendForm
      form={form}
      send={async ({ target }) => {
        const query = target === null ? {} : { move_tokens_to: Number(target) }
        const { moved_tokens } = await call(api.admin.groups({ id }).delete({}, { query }))
        await refresh('groups', 'channels', 'channel')
        sayDone(moved_tokens > 0 ? text.moved(name, moved_tokens) : text.deleted(name))
        await navigate({ to: '/admin/groups' })
      }}
      submit={text.delete}
      look={{ color: 'red', disabled: tokens > 0 && form.values.target === null }}
      cancel={close}
    >
      <Text size="sm">{text.deleteText}</Text>
      {tokens > 0 && others?.length === 0 && <Text size="sm">{text.noOther}</Text>}
      {tokens > 0 && others !== undefined && others.length > 0 && (
        <>
          <Text size="sm">{text.moveText(tokenCount(group))}</Text>
          <ChoiceInput
            {...{ label: text.moveTo, data: others, required: true }}
            {...form.getInputProps('target')}
          />
        </>
      )}
    </SendForm>
  )
}

/** The other groups, with their multipliers: the tokens will pay by these. */
const useOthers = (id: number) =>
  useAllGroups()
    ?.filter((one) => one.id !== id)
    .map((one) => ({ value: String(one.id), label: `${one.name} (× ${one.rate_multiplier})` }))
