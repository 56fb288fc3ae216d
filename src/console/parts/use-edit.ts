import { type FormValidateInput, type UseFormReturnType, useForm } from '@mantine/form'
import { useDidUpdate } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { type Texts, useText } from '../lib/language.tsx'
import { presentOf } from './conflict.tsx'
import { merge } from './merge.ts'

const en = { saved: 'Saved. It holds from the next request on.' }

const texts: Texts<typeof en> = { en, zh: { saved: '已保存，从下一个请求起生效。' } }

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
  /** Why the last save failed, when no field shows it; else null. */
  readonly error: unknown
  /** Takes a new state into the form. What is typed stays; where both changed, `present` tells. */
  readonly show: (now: State) => void
  /** Saves what is typed; shows how it fails. */
  readonly save: () => Promise<void>
  /** Saves what is typed over `present`, whose other fields stay. */
  readonly keepMine: () => Promise<void>
  /** Takes `present` into the form: what is typed is lost. */
  readonly takeTheirs: () => void
}

/** Edits a thing that other people may change meanwhile. */
export function useEdit<State, Values extends object>(
  options: EditOptions<State, Values>,
): Edit<State, Values> {
  const text = useText(texts)
  const { live, valuesOf } = options
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
    form.setValues(values)
    form.resetDirty(valuesOf(now))
  }

  // Of the form and not of `seen`: whoever calls may do so long after it was drawn.
  const mergedWith = (now: State) =>
    merge({ before: form.getInitialValues(), typed: form.getValues(), now: valuesOf(now) })

  useDidUpdate(() => {
    if (!form.isDirty()) fill(live, valuesOf(live))
  }, [live])

  function show(now: State): void {
    const { values, isClash } = mergedWith(now)
    if (isClash) setPresent(now)
    else fill(now, values)
    options.tell(now)
  }

  async function saveOver(state: State, values: Values): Promise<void> {
    setError(null)
    setPresent(undefined)
    try {
      const now = await options.send(state, values)
      fill(now, valuesOf(now))
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
    ...{ form, seen, present, error, show },
    save: () => saveOver(seen, form.getValues()),
    async keepMine() {
      if (present === undefined) return
      const { values } = mergedWith(present)
      fill(present, values)
      await saveOver(present, values)
    },
    takeTheirs() {
      if (present === undefined) return
      fill(present, valuesOf(present))
      options.tell(present)
    },
  }
}
