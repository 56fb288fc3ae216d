/** Loaded when a field is entered that has a list: it brings all that places a list beside its field. */
export { MultiSelect } from '@mantine/core'
