import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import { type FormValidateInput, useForm } from '@mantine/form'
import { useDidUpdate } from '@mantine/hooks'
import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { CallFailed } from '../lib/api.ts'
import { choose, isSame, merge } from '../lib/form-values.ts'
import { bilingual, useText } from '../lib/language.ts'
import { sayDone, useRefresh } from './action.tsx'
import { showAtFields } from './form.tsx'
import { ErrorNotice } from './page.tsx'
import { useUnsaved } from './unsaved.tsx'

const texts = bilingual({
  saved: ['Saved. It applies from the next request on.', '已保存，从下一个请求起生效。'],
  save: ['Save', '保存'],
  discard: ['Discard changes', '放弃修改'],
  title: ['Somebody else has changed this meanwhile', '其他人刚刚修改了它'],
  changed: ['What is different now:', '与您看到的不同之处：'],
  none: ['Only what this page does not show, such as a key.', '只有本页不显示的内容，例如密钥。'],
  theirs: ['Take theirs', '采用对方的'],
  mine: ['Keep mine', '保留我的'],
  hint: [
    'Take theirs: your entries are lost. Keep mine: your changes are saved over theirs, the rest stays.',
    '采用对方的：您输入的内容将丢失。保留我的：保存您改动的部分，其余保持对方的修改。',
  ],
  wholeHint: [
    'Take theirs: your entries are lost. Keep mine: all of this form is saved over it.',
    '采用对方的：您输入的内容将丢失。保留我的：用整个表单的内容覆盖对方的修改。',
  ],
})

interface EditOptions<State, Values> {
  /** The saved state: a form in which nothing is typed shows it. */
  readonly live: State
  /** Where the cache has it. */
  readonly queryKey: QueryKey
  /** What else in the cache changes with it. */
  readonly changes?: readonly string[]
  readonly valuesOf: (state: State) => Values
  readonly validate?: (seen: State) => FormValidateInput<Values>
  /** Saves what differs from `seen`; the API refuses it when `seen` is out of date. Returns the new state. */
  readonly send: (seen: State, values: Values) => Promise<State>
  /** The form's field of a field of the API. */
  readonly fieldOf?: (field: string) => string
  /** Fields belong together, as those of a price: two people's changes are not merged. */
  readonly isWhole?: boolean
  /** Replaces the usual message. */
  readonly saySaved?: (now: State, before: State) => void
  /** Asks before something is saved that is easily not meant; resolves to whether to go on. */
  readonly ask?: (seen: State, values: Values) => Promise<boolean>
}

/** What `useEdit` gives; `EditForm` shows it. */
export type Edit<State, Values extends object> = ReturnType<typeof useEdit<State, Values>>

/** Edits something that other people may change meanwhile. */
export function useEdit<State, Values extends object>(options: EditOptions<State, Values>) {
  const text = useText(texts)
  const queries = useQueryClient()
  const refresh = useRefresh()
  const { live, valuesOf, isWhole = false } = options
  const [seen, setSeen] = useState(live)
  const [present, setPresent] = useState<State>()
  const [error, setError] = useState<unknown>(null)
  const form = useForm<Values>({
    initialValues: valuesOf(live),
    validate: options.validate?.(seen) ?? {},
  })

  useUnsaved(form)

  function fill(now: State, values = valuesOf(now)): void {
    setSeen(now)
    setPresent(undefined)
    setError(null)
    form.setValues(values)
    form.resetDirty(valuesOf(now))
  }

  // Reads the form, not `seen`: callers may hold an old render of this function.
  function mergedWith(now: State, before = form.getInitialValues()) {
    return (isWhole ? choose : merge)({ before, typed: form.getValues(), now: valuesOf(now) })
  }

  // The form's own mark also counts a field that was changed back.
  const isTyped = () => !isSame(form.getValues(), form.getInitialValues())

  useDidUpdate(() => {
    if (!isTyped()) fill(live)
  }, [live])

  /** Puts a new state into the cache; an answer that is under way does not replace it. */
  async function publish(now: State): Promise<void> {
    const { queryKey, changes = [] } = options
    void refresh(...changes)
    await queries.cancelQueries({ queryKey, exact: true })
    queries.setQueryData(queryKey, now)
  }

  /** Takes a new state into the form. What is typed stays; a conflict sets `present`. */
  function show(now: State): void {
    const { values, isClash } = mergedWith(now)
    if (isClash) setPresent(now)
    else fill(now, values)
    void publish(now)
  }

  /** The same; what is typed is lost. */
  function showInForm(now: State): void {
    fill(now)
    void publish(now)
  }

  async function saveOver(state: State, values: Values): Promise<void> {
    if (options.ask && !(await options.ask(state, values))) return
    setError(null)
    setPresent(undefined)
    try {
      const now = await options.send(state, values)
      // What is typed meanwhile stays.
      fill(now, mergedWith(now, values).values)
      void publish(now)
      if (options.saySaved) options.saySaved(now, state)
      else sayDone(text.saved)
    } catch (failure) {
      const other = presentOf<State>(failure)
      if (other) setPresent(other)
      else if (!showAtFields(form, failure, options.fieldOf)) setError(failure)
    }
  }

  return {
    ...{ form, isWhole, show, showInForm },
    /** The state that the form was filled from. */
    seen,
    /** What another person has saved since and conflicts with what is typed. */
    present,
    /** Why the last save failed, when no field shows it; else null. */
    error,
    /** Whether anything is typed that is not saved. */
    isTyped: isTyped(),
    discard() {
      fill(live)
      form.clearErrors()
    },
    save: () => saveOver(seen, form.getValues()),
    /** Saves what is typed over `present`, whose other fields stay unless it `isWhole`. */
    async keepMine() {
      if (present === undefined) return
      const values = isWhole ? form.getValues() : mergedWith(present).values
      fill(present, values)
      await saveOver(present, values)
    },
  }
}

interface EditFormProps<State, Values extends object> {
  readonly edit: Edit<State, Values>
  /** What two people may have changed, by its label. */
  readonly shown: (state: State) => Readonly<Record<string, unknown>>
  readonly children: ReactNode
  /** Replaces the buttons to save and to discard. */
  readonly buttons?: ReactNode
}

/** The form of something that is edited: its fields, a conflict with another person, and saving. */
export function EditForm<State, Values extends object>({
  edit,
  shown,
  children,
  buttons,
}: EditFormProps<State, Values>) {
  const text = useText(texts)
  const { form, error, isTyped } = edit
  return (
    <form onSubmit={form.onSubmit(edit.save)} noValidate>
      <Stack>
        {children}
        <Conflict edit={edit} shown={shown} />
        {error !== null && <ErrorNotice error={error} />}
        {buttons ?? (
          <Group className="saving" mod={{ typed: isTyped }}>
            <Button type="submit" loading={form.submitting} disabled={!isTyped}>
              {text.save}
            </Button>
            {isTyped && (
              <Button variant="subtle" onClick={edit.discard}>
                {text.discard}
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </form>
  )
}

/** The present state that a refused change met; undefined: it failed for another reason. */
export const presentOf = <State,>(error: unknown): State | undefined =>
  error instanceof CallFailed && error.reason === 'conflict' ? (error.data as State) : undefined

type ConflictProps<State, Values extends object> = Pick<
  EditFormProps<State, Values>,
  'edit' | 'shown'
>

/** Shows what another person has changed since, and lets this one decide. */
function Conflict<State, Values extends object>({ edit, shown }: ConflictProps<State, Values>) {
  const text = useText(texts)
  const { seen, present, isWhole } = edit
  if (present === undefined) return null
  const [before, now] = [shown(seen), shown(present)]
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
        {isWhole ? text.wholeHint : text.hint}
      </Text>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={() => edit.showInForm(present)}>
          {text.theirs}
        </Button>
        <Button size="xs" onClick={() => void edit.keepMine()}>
          {text.mine}
        </Button>
      </Group>
    </Alert>
  )
}

/** A value in a line: lists by their items, the empty ones by a dash. */
function words(value: unknown): string {
  if (value === null || value === undefined || value === '') return '—'
  if (Array.isArray(value)) return value.map(words).join(', ') || '—'
  if (typeof value !== 'object') return String(value)
  const fields = Object.entries(value)
  return fields.map(([name, one]) => `${name} ${words(one)}`).join(', ')
}
