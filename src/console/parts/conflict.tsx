import { Alert, Button, Group, List, Text } from '@mantine/core'
import { CallFailed } from '../lib/api.ts'
import { useText } from '../lib/language.tsx'
import { bilingual } from '../lib/texts.ts'

const texts = bilingual({
  title: ['Somebody else has changed this meanwhile', '其他人刚刚修改了它'],
  changed: ['What is different now:', '与您看到的不同之处：'],
  none: ['Only what this page does not show, such as a key.', '只有本页不显示的内容，例如密钥。'],
  theirs: ['Take theirs', '采用对方的'],
  mine: ['Keep mine', '保留我的'],
  hint: [
    'Take theirs: what you typed is lost. Keep mine: what you changed is saved over it, the rest stays theirs.',
    '采用对方的：您输入的内容将丢失。保留我的：保存您改动的部分，其余保持对方的修改。',
  ],
  wholeHint: [
    'Take theirs: what you typed is lost. Keep mine: all of this form is saved over it.',
    '采用对方的：您输入的内容将丢失。保留我的：用整个表单的内容覆盖对方的修改。',
  ],
})

/** The present state that a refused change met; undefined: it failed for another reason. */
export const presentOf = <State,>(error: unknown): State | undefined =>
  error instanceof CallFailed && error.reason === 'conflict' ? (error.data as State) : undefined

interface ConflictProps<State> {
  readonly seen: State
  readonly present: State
  /** What people see of a state, by the label of its field. */
  readonly show: (state: State) => Readonly<Record<string, unknown>>
  /** Keeping mine keeps nothing of theirs. */
  readonly isWhole: boolean
  readonly takeTheirs: () => void
  readonly keepMine: () => void
}

/** Shows what another person has changed since, and lets this one decide. */
export function Conflict<State>(props: ConflictProps<State>) {
  const text = useText(texts)
  const [before, now] = [props.show(props.seen), props.show(props.present)]
  const changed = Object.keys(now).filter((name) => words(before[name]) !== words(now[name]))
  return (
    <Alert color="yellow" title={text.title} role="alert">
      <Text size="sm">{changed.length > 0 ? text.changed : text.none}</Text>
      <List size="sm" my="xs">
        {changed.map((name) => (
          <List.Item key={name} className="cut">
            {name}: {words(before[name])} → <b>{words(now[name])}</b>
          </List.Item>
        ))}
      </List>
      <Text size="sm" mb="xs">
        {props.isWhole ? text.wholeHint : text.hint}
      </Text>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={props.takeTheirs}>
          {text.theirs}
        </Button>
        <Button size="xs" onClick={props.keepMine}>
          {text.mine}
        </Button>
      </Group>
    </Alert>
  )
}

/** A value in a line: lists by their items, the empty ones by a dash. */
function words(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–'
  if (Array.isArray(value)) return value.map(words).join(', ') || '–'
  if (typeof value !== 'object') return String(value)
  return Object.entries(value)
    .map(([name, one]) => `${name} ${words(one)}`)
    .join(', ')
}
