import { Select, TextInput, type TextInputProps } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useFilters } from '../lib/use-filters.ts'

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

type Choices = readonly (string | { readonly value: string; readonly label: string })[]

interface ChoiceProps {
  /** What the address calls it. */
  readonly name: string
  readonly label: string
  /** What stands there when nothing is chosen. */
  readonly all: string
  readonly data: Choices
}

/** Narrows a list to one of some; a cross takes it away. */
export function Choice({ name, label, all, data }: ChoiceProps) {
  const [filters, set] = useFilters()
  const value = data.find((one) => wordOf(one) === filters[name])
  return (
    <Select
      label={label}
      placeholder={all}
      data={[...data]}
      value={value === undefined ? null : wordOf(value)}
      onChange={(chosen) => set({ [name]: chosen })}
      clearable
    />
  )
}

/** Narrows a list to one of some, of which the first is all. */
export function FixedChoice({ all, data, ...props }: ChoiceProps & Pick<TextInputProps, 'w'>) {
  const [filters, set] = useFilters()
  const value = data.find((one) => wordOf(one) === filters[props.name])
  return (
    <Select
      label={props.label}
      w={props.w}
      data={[{ value: 'all', label: all }, ...data]}
      value={value === undefined ? 'all' : wordOf(value)}
      onChange={(chosen) => set({ [props.name]: chosen === 'all' ? null : chosen })}
      allowDeselect={false}
    />
  )
}

const wordOf = (choice: Choices[number]) => (typeof choice === 'string' ? choice : choice.value)
