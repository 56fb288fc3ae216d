import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import { type FormValidateInput, type UseFormReturnType, useForm } from '@mantine/form'
import { useDidUpdate } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { type ReactNode, useState } from 'react'
import { CallFailed } from '../lib/api.ts'
import { bilingual, useText } from '../lib/language.ts'
import { choose, isSame, merge } from './form-values.ts'
import { ErrorNotice } from './page.tsx'

const texts = bilingual({
  saved: ['Saved. It holds from the next request on.', '已保存，从下一个请求起生效。'],
  save: ['Save', '保存'],
  discard: ['Discard changes', '放弃修改'],
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

interface EditOptions<State, Values> {
  /** How the thing is at present: a form in which nothing is typed shows it. */
  readonly live: State
  readonly valuesOf: (state: State) => Values
  /** What is told before anything is sent; absent: nothing. */
  readonly validate?: (seen: State) => FormValidateInput<Values>
  /** Saves what differs from `seen`, unless it is another by now; answers the new state. */
  readonly send: (seen: State, values: Values) => Promise<State>
  /** Shows a refusal at the fields that it names; false: not all of it has one. */
  readonly showAtFields: (form: UseFormReturnType<Values>, error: unknown) => boolean
  /** Tells the rest of the console of a new state. */
  readonly tell: (now: State) => void
  /** Its fields make sense together alone, as those of a price: nobody's are mixed with another's. */
  readonly isWhole?: boolean
  /** Says that it is saved; absent: in a few words. */
  readonly saySaved?: (now: State, before: State) => void
}

/** A thing that is edited, with its form. `EditForm` shows it. */
export interface Edit<State, Values> {
  readonly form: UseFormReturnType<Values>
  /** The state that the form was filled from. */
  readonly seen: State
  /** What another person has saved since, which does not go with what is typed. */
  readonly present: State | undefined
  readonly isWhole: boolean
  /** Why the last save failed, when no field shows it; else null. */
  readonly error: unknown
  /** Whether anything is typed that is not saved. */
  readonly isTyped: boolean
  /** Shows how the thing is at present: what is typed is lost. */
  readonly discard: () => void
  /** Takes a new state into the form. What is typed stays; where both changed, `present` tells. */
  readonly show: (now: State) => void
  /** Takes a new state into the form: what is typed is lost. */
  readonly showInForm: (now: State) => void
  /** Saves what is typed; shows how it fails. */
  readonly save: () => Promise<void>
  /** Saves what is typed over `present`, whose other fields stay unless it `isWhole`. */
  readonly keepMine: () => Promise<void>
}

/** Edits a thing that other people may change meanwhile. */
export function useEdit<State, Values extends object>(
  options: EditOptions<State, Values>,
): Edit<State, Values> {
  const text = useText(texts)
  const { live, valuesOf, isWhole = false } = options
  const [seen, setSeen] = useState(live)
  const [present, setPresent] = useState<State>()
  const [error, setError] = useState<unknown>(null)
  const form = useForm<Values>({
    initialValues: valuesOf(live),
    validate: options.validate?.(seen) ?? {},
  })

  function fill(now: State, values: Values): void {
    setSeen(now)
    setPresent(undefined)
    setError(null)
    form.setValues(values)
    form.resetDirty(valuesOf(now))
  }

  // Of the form and not of `seen`: whoever calls may do so long after it was drawn.
  function mergedWith(now: State, before = form.getInitialValues()) {
    return (isWhole ? choose : merge)({ before, typed: form.getValues(), now: valuesOf(now) })
  }

  // The form's own mark is of what was touched: a field that was put back takes it from the others.
  const isTyped = () => !isSame(form.getValues(), form.getInitialValues())

  useDidUpdate(() => {
    if (!isTyped()) fill(live, valuesOf(live))
  }, [live])

  function show(now: State): void {
    const { values, isClash } = mergedWith(now)
    if (isClash) setPresent(now)
    else fill(now, values)
    options.tell(now)
  }

  function showInForm(now: State): void {
    fill(now, valuesOf(now))
    options.tell(now)
  }

  async function saveOver(state: State, values: Values): Promise<void> {
    setError(null)
    setPresent(undefined)
    try {
      const now = await options.send(state, values)
      // What is typed meanwhile stays.
      fill(now, mergedWith(now, values).values)
      options.tell(now)
      if (options.saySaved) options.saySaved(now, state)
      else notifications.show({ message: text.saved, color: 'green' })
    } catch (failure) {
      const other = presentOf<State>(failure)
      if (other) setPresent(other)
      else if (!options.showAtFields(form, failure)) setError(failure)
    }
  }

  return {
    ...{ form, seen, present, isWhole, error, show, showInForm },
    isTyped: isTyped(),
    discard() {
      fill(live, valuesOf(live))
      form.clearErrors()
    },
    save: () => saveOver(seen, form.getValues()),
    async keepMine() {
      if (present === undefined) return
      const values = isWhole ? form.getValues() : mergedWith(present).values
      fill(present, values)
      await saveOver(present, values)
    },
  }
}

interface EditFormProps<State, Values> {
  readonly edit: Edit<State, Values>
  /** What two people may have changed, by its label. */
  readonly shown: (state: State) => Readonly<Record<string, unknown>>
  /** The fields. */
  readonly children: ReactNode
  /** What is pressed below them; absent: to save, and to discard. */
  readonly buttons?: ReactNode
}

/** The form of a thing that is edited: its fields, what another person has changed, and saving. */
export function EditForm<State, Values>({
  edit,
  shown,
  children,
  buttons,
}: EditFormProps<State, Values>) {
  const { form, seen, present, error } = edit
  return (
    <form onSubmit={form.onSubmit(edit.save)} noValidate>
      <Stack>
        {children}
        {present && (
          <Conflict
            seen={seen}
            present={present}
            show={shown}
            isWhole={edit.isWhole}
            takeTheirs={() => edit.showInForm(present)}
            keepMine={() => void edit.keepMine()}
          />
        )}
        {error !== null && <ErrorNotice error={error} />}
        {buttons ?? <Buttons edit={edit} />}
      </Stack>
    </form>
  )
}

function Buttons<State, Values>({ edit }: Pick<EditFormProps<State, Values>, 'edit'>) {
  const text = useText(texts)
  return (
    <Group>
      <Button type="submit" loading={edit.form.submitting} disabled={!edit.isTyped}>
        {text.save}
      </Button>
      {edit.isTyped && (
        <Button variant="subtle" onClick={edit.discard}>
          {text.discard}
        </Button>
      )}
    </Group>
  )
}

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
function Conflict<State>(props: ConflictProps<State>) {
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
