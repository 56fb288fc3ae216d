import { TextInput, type TextInputProps } from '@mantine/core'
import { useId } from 'react'

interface SuggestInputProps extends TextInputProps {
  /** What is usually meant: the browser offers it. */
  readonly known: readonly string[]
}

/** A text for which the browser offers what is known. */
export function SuggestInput({ known, ...props }: SuggestInputProps) {
  const list = useId()
  return (
    <>
      <TextInput {...props} list={known.length === 0 ? undefined : list} />
      <datalist id={list}>
        {known.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </>
  )
}
