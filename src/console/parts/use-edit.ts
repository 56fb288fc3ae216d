import { type FormValidateInput, type UseFormReturnType, useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { type Texts, useText } from '../lib/language.tsx'
import { presentOf } from './conflict.tsx'

const en = { saved: 'Saved. It holds from the next request on.' }

const texts: Texts<typeof en> = { en, zh: { saved: '已保存，从下一个请求起生效。' } }

interface EditOptions<State, Values> {
  /** How the thing is when its page opens. */
  readonly live: State
  readonly valuesOf: (state: State) => Values
  readonly validate: (seen: State) => FormValidateInput<Values>
  /** Saves what differs from `seen`, over the state of that revision; answers the new state. */
  readonly send: (seen: State, values: Values, revision: string) => Promise<State>
  /** Shows a refusal at the fields that it names; false: not all of it has one. */
  readonly showAtFields: (form: UseFormReturnType<Values>, error: unknown) => boolean
  /** Tells the rest of the console of a new state. */
  readonly tell: (now: State) => void
}

/** A thing that is edited on a page of its own, with its form. `EditForm` shows it. */
export interface Edit<State, Values> {
  readonly form: UseFormReturnType<Values>
  /** The state that the form was filled from. */
  readonly seen: State
  /** What another person has saved since; a save met it. */
  readonly present: State | undefined
  /** Why the last save failed, when no field shows it; else null. */
  readonly error: unknown
  /** Takes a new state, and leaves what is typed. */
  readonly show: (now: State) => void
  /** Takes a new state into the form: what is typed is lost. */
  readonly showInForm: (now: State) => void
  /** Saves over the state of this revision; shows how it fails. */
  readonly save: (revision: string) => Promise<void>
}

/** Edits a thing that other people may change meanwhile. */
export function useEdit<State, Values extends object>(
  options: EditOptions<State, Values>,
): Edit<State, Values> {
  const text = useText(texts)
  const [seen, setSeen] = useState(options.live)
  const [present, setPresent] = useState<State>()
  const [error, setError] = useState<unknown>(null)
  const form = useForm<Values>({
    initialValues: options.valuesOf(options.live),
    validate: options.validate(seen),
  })

  function show(now: State): void {
    setSeen(now)
    setPresent(undefined)
    options.tell(now)
  }

  function showInForm(now: State): void {
    show(now)
    form.setInitialValues(options.valuesOf(now))
    form.setValues(options.valuesOf(now))
  }

  async function save(revision: string): Promise<void> {
    setError(null)
    setPresent(undefined)
    try {
      showInForm(await options.send(seen, form.values, revision))
      notifications.show({ message: text.saved, color: 'green' })
    } catch (failure) {
      const other = presentOf<State>(failure)
      if (other) setPresent(other)
      else if (!options.showAtFields(form, failure)) setError(failure)
    }
  }

  return { form, seen, present, error, show, showInForm, save }
}
