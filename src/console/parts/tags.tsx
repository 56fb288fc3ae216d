import { Pill, PillsInput } from '@mantine/core'
import {
  type ClipboardEvent,
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
  useState,
} from 'react'

type OfInput =
  | 'placeholder'
  | 'disabled'
  | 'required'
  | 'role'
  | 'aria-haspopup'
  | 'aria-expanded'
  | 'onFocus'
  | 'onBlur'
  | 'onKeyDown'
  | 'onPaste'

interface FieldLook extends Pick<ComponentProps<'input'>, OfInput> {
  readonly label?: ReactNode
  readonly description?: ReactNode
  readonly error?: ReactNode
  readonly rightSection?: ReactNode
}

interface ValuesField extends FieldLook {
  readonly values: readonly string[]
  readonly onValues: ((values: string[]) => void) | undefined
  readonly typed: string
  readonly setTyped: (typed: string) => void
}

/** A field of values, each of which can be taken out, and of what is being typed after them. */
export function ValuesField({ values, onValues, typed, setTyped, ...look }: ValuesField) {
  const { label, description, error, rightSection, required, onKeyDown, ...field } = look
  const without = (place: number) => onValues?.(values.filter((_, at) => at !== place))
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    const isEmpty = typed === '' && !event.nativeEvent.isComposing
    if (event.key === 'Backspace' && isEmpty && values.length > 0) without(values.length - 1)
    onKeyDown?.(event)
  }
  return (
    <PillsInput {...{ label, description, error, rightSection, required }}>
      <Pill.Group>
        {values.map((value, place) => (
          <Pill key={value} withRemoveButton onRemove={() => without(place)}>
            {value}
          </Pill>
        ))}
        <PillsInput.Field
          {...field}
          required={required && values.length === 0}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          onKeyDown={press}
        />
      </Pill.Group>
    </PillsInput>
  )
}

export interface TagsProps extends FieldLook {
  readonly value?: string[]
  readonly onChange?: (tags: string[]) => void
}

const between = /[\s,;]+/

/** Texts, each a tag: ended by Enter, a space, a comma, a semicolon, or by leaving the field. */
export function Tags({ value = [], onChange, ...look }: TagsProps) {
  const [typed, setTyped] = useState('')
  const take = (text: string) => {
    const tags = text.split(between).filter((tag) => tag !== '')
    setTyped('')
    if (tags.length > 0) onChange?.([...new Set([...value, ...tags])])
  }
  const press = (event: KeyboardEvent) => {
    const isEnd = event.key === 'Enter' || between.test(event.key)
    if (!isEnd || event.nativeEvent.isComposing || typed.trim() === '') return
    event.preventDefault()
    take(typed)
  }
  const paste = (event: ClipboardEvent) => {
    event.preventDefault()
    take(typed + event.clipboardData.getData('text/plain'))
  }
  return (
    <ValuesField
      {...look}
      {...{ values: value, onValues: onChange, typed, setTyped }}
      onBlur={() => take(typed)}
      onKeyDown={press}
      onPaste={paste}
    />
  )
}
