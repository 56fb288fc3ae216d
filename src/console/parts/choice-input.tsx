import { NativeSelect, type NativeSelectProps } from '@mantine/core'

export type Choices = readonly (string | { readonly value: string; readonly label: string })[]

export interface ChoiceInputProps extends Omit<NativeSelectProps, 'data' | 'value' | 'onChange'> {
  readonly data: Choices
  /** Left out: the field keeps its own. */
  readonly value?: string | null
  readonly onChange?: (value: string | null) => void
  /** The words for no choice, which may then be made again. */
  readonly placeholder?: string
}

const wordOf = (choice: Choices[number]) => (typeof choice === 'string' ? choice : choice.value)

/** One of some, in the list that the browser brings along. */
export function ChoiceInput({ data, value, onChange, placeholder, ...look }: ChoiceInputProps) {
  const isNone = value !== undefined && !data.some((choice) => wordOf(choice) === value)
  const none = { value: '', label: placeholder ?? '' }
  return (
    <NativeSelect
      data={isNone || placeholder !== undefined ? [none, ...data] : [...data]}
      {...(value !== undefined && { value: isNone ? '' : (value ?? '') })}
      onChange={({ currentTarget }) => onChange?.(currentTarget.value || null)}
      {...look}
    />
  )
}
