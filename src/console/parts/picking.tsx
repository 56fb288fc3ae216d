import IconSelector from '@tabler/icons-react/icons/IconSelector'
import { useState } from 'react'
import { attempt } from './action.tsx'
import { loadCode } from './on-demand.ts'
import { type TagsProps, ValuesField } from './tags.tsx'

type Code = typeof import('./picking-code.ts')

/** The code of the list, once it was loaded. */
let loaded: Code | undefined

interface SomeOfProps extends TagsProps {
  readonly data: readonly string[]
}

/**
 * Some of many, found by typing. The code of its list is loaded when the field is first entered; what is typed
 * until then is searched once it is there.
 */
export function SomeOf({ data, ...props }: SomeOfProps) {
  const [code, setCode] = useState(loaded)
  const [typed, setTyped] = useState('')
  const [hasFocus, setFocus] = useState(false)
  const enter = () => {
    setFocus(true)
    void attempt(async () => {
      loaded = await loadCode(() => import('./picking-code.ts'))
      setCode(loaded)
    })
  }
  if (code) {
    return (
      <code.MultiSelect
        {...props}
        data={[...data]}
        searchable
        clearable
        limit={100}
        hidePickedOptions
        defaultSearchValue={typed}
        autoFocus={hasFocus}
      />
    )
  }
  const { value = [], onChange, ...look } = props
  return (
    <ValuesField
      {...look}
      {...{ values: value, onValues: onChange, typed, setTyped }}
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      rightSection={<IconSelector size={14} color="var(--mantine-color-dimmed)" />}
      onFocus={enter}
      onBlur={() => setFocus(false)}
      // Enter chooses from the list, and sends no form.
      onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
    />
  )
}
