import { type FormValidateInput, type UseFormReturnType, useForm } from '@mantine/form'
import { useDidUpdate } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useText } from '../lib/language.tsx'
import { bilingual } from '../lib/texts.ts'
import { presentOf } from './conflict.tsx'
import { choose, isSame, merge } from './merge.ts'

const texts = bilingual({
  saved: ['Saved. It holds from the next request on.', '已保存，从下一个请求起生效。'],
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
