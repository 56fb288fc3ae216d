import { TextInput, type TextInputProps } from '@mantine/core'

export interface WholeInputProps
  extends Omit<TextInputProps, 'value' | 'defaultValue' | 'onChange'> {
  /** '': nothing is typed. */
  readonly value?: number | ''
  readonly onChange?: (value: number | '') => void
}

/** A field for a whole number: all but digits and a sign before them is left out as it is typed. */
export const WholeInput = ({ value = '', onChange, ...look }: WholeInputProps) => (
  <TextInput
    {...look}
    inputMode="numeric"
    autoComplete="off"
    value={String(value)}
    onChange={({ currentTarget }) => {
      const [digits = ''] = /-?\d+/.exec(currentTarget.value) ?? []
      onChange?.(digits === '' ? '' : Number(digits))
    }}
  />
)
