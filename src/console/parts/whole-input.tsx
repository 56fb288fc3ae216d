import { TextInput, type TextInputProps } from '@mantine/core'
import { wholeOf } from '../lib/whole.ts'

export interface WholeInputProps
  extends Omit<TextInputProps, 'value' | 'defaultValue' | 'onChange'> {
  /** '': nothing is typed. */
  readonly value?: number | string
  /** Given a number, or as it is typed what is none. */
  readonly onChange?: (value: number | string) => void
}

/** A field for a whole number. */
export const WholeInput = ({ value = '', onChange, ...look }: WholeInputProps) => (
  <TextInput
    {...look}
    inputMode="numeric"
    autoComplete="off"
    value={String(value)}
    onChange={({ currentTarget }) => onChange?.(wholeOf(currentTarget.value))}
  />
)
