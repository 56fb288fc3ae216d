import { TextInput, type TextInputProps } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useId, useState } from 'react'
import { useFilters } from '../lib/filters.ts'
import { commonText, useText } from '../lib/language.ts'
import { ChoiceInput, type ChoiceInputProps, type Choices } from './choice-input.tsx'
import { toLocalInput } from './form-fields.ts'

/** As wide as half of a phone, with a gap of `sm`; where there is room, as wide as its words. */
export const half = { base: 'calc(50% - 0.375rem)', xs: 200 }

/** Narrows a list to what is typed. The address has it as `search`. */
export function Search(props: TextInputProps) {
  const [{ search }, set] = useFilters()
  const typed = useDebouncedCallback((value: string) => set({ search: value }), 250)
  return (
    <TextInput
      type="search"
      defaultValue={search ?? ''}
      onChange={({ currentTarget }) => typed(currentTarget.value)}
      {...props}
    />
  )
}

interface ChoiceProps extends Pick<ChoiceInputProps, 'label' | 'w'> {
  /** What the address calls it. */
  readonly name: string
  /** The words for no filter; usually `All`. */
  readonly all?: string
  readonly data: Choices
}

/** Narrows a list to one of some. */
export function Choice({ name, all, data, ...look }: ChoiceProps) {
  const text = useText(commonText)
  const [filters, set] = useFilters()
  const words = data.map((one) => (typeof one === 'string' ? one : one.value))
  return (
    <ChoiceInput
      {...{ placeholder: all ?? text.all, data }}
      value={words.find((one) => one === filters[name]) ?? null}
      onChange={(chosen) => set({ [name]: chosen })}
      {...look}
    />
  )
}

interface FilterProps extends TextInputProps {
  /** What the address calls it. */
  readonly name: string
}

interface TextFilterProps extends FilterProps {
  /** What is usually meant: the browser offers it. */
  readonly known?: readonly string[] | undefined
}

/** Filters a list by a text; empty: by none. It applies on Enter, when the field is left, or when one is picked. */
export function TextFilter({ name, known = [], ...props }: TextFilterProps) {
  const [filters, set] = useFilters()
  const { all } = useText(commonText)
  const list = useId()
  const now = filters[name] ?? ''
  const [typed, setTyped] = useState(now)
  useEffect(() => setTyped(now), [now])
  const take = (input: HTMLInputElement) => {
    const value = input.value.trim()
    if (value !== now && input.checkValidity()) set({ [name]: value })
  }
  return (
    <>
      <TextInput
        placeholder={all}
        {...props}
        list={known.length === 0 ? undefined : list}
        value={typed}
        onChange={({ currentTarget, nativeEvent }) => {
          setTyped(currentTarget.value)
          if (isPicked(nativeEvent)) take(currentTarget)
        }}
        onBlur={({ currentTarget }) => take(currentTarget)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') take(currentTarget)
        }}
      />
      {known.length > 0 && (
        <datalist id={list}>
          {known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </>
  )
}

/** Whether a text was picked from what the browser offers. */
const isPicked = (event: Event) =>
  event instanceof InputEvent && event.inputType === 'insertReplacementText'

/** Narrows a list by a time: written in local time, in the address in UTC. */
export function TimeFilter({ name, label }: FilterProps) {
  const [filters, set] = useFilters()
  const now = filters[name]
  return (
    <TextInput
      key={now ?? ''}
      type="datetime-local"
      label={label}
      defaultValue={now === undefined ? '' : toLocalInput(new Date(now))}
      onBlur={({ currentTarget: { value } }) => {
        const changed = value === '' ? undefined : new Date(value).toISOString()
        if (changed !== now) set({ [name]: changed })
      }}
    />
  )
}
