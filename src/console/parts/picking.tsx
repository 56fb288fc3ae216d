import { type MultiSelectProps, type TagsInputProps, TextInput } from '@mantine/core'
import { type ComponentType, lazy, Suspense } from 'react'

const load = () => import('./picking-code.ts')
const MultiSelect = lazy(async () => ({
  default: (await load()).MultiSelect as ComponentType<MultiSelectProps>,
}))
const TagsInput = lazy(async () => ({
  default: (await load()).TagsInput as ComponentType<TagsInputProps>,
}))

/** Some of many. Its code is loaded when it is first shown; until then the field is there, but can't be used. */
export const SomeOf = (props: MultiSelectProps) => (
  <Suspense fallback={<Waiting {...props} />}>
    <MultiSelect {...props} />
  </Suspense>
)

/** Texts, each a tag; loaded in the same way. */
export const Tags = (props: TagsInputProps) => (
  <Suspense fallback={<Waiting {...props} />}>
    <TagsInput {...props} />
  </Suspense>
)

const Waiting = ({ label, description }: Pick<MultiSelectProps, 'label' | 'description'>) => (
  <TextInput {...{ label, description }} disabled aria-busy />
)
