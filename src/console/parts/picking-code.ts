/** Loaded by the first form that has one of them: they bring all that places a list beside its field. */
export { MultiSelect, TagsInput } from '@mantine/core'
